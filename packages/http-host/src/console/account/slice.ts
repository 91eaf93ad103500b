/** The account of the user: sessions and the second factor. */
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { consoleForm, consolePage, consoleSlice, type Visit } from '../slice.ts';
import { qrCode } from './qr-code.ts';

const ACCOUNT_PATH = '/account';
const FACTOR_PATH = '/account/second-factor';

function whoseOf({ tenantId, user }: Visit) {
  return { tenantId, userId: user.id };
}

const account = consolePage({
  path: ACCOUNT_PATH,
  title: 'Your account',
  template: '/account/account',
  async load(visit) {
    const { signIns } = visit.services;
    const sessions = await signIns.sessionsOf(whoseOf(visit));
    return {
      sessions: sessions
        .map((each) => ({ ...each, isThis: each.sessionId === visit.sessionId }))
        .toReversed(),
      hasSecondFactor: await signIns.hasSecondFactor(whoseOf(visit)),
      factorHref: visit.href(FACTOR_PATH),
      actions: {
        endSession: visit.href('/account/end-session'),
        removeFactor: visit.href('/account/remove-second-factor'),
      },
    };
  },
});

const endSession = consoleForm({
  name: 'end-session',
  path: '/account/end-session',
  body: z.object({ session: bounded(64) }),
  page: account,
  async act(visit, { body: { session } }) {
    await visit.services.signIns.signOut(whoseOf(visit), session);
    return { to: visit.href(ACCOUNT_PATH), notice: 'The session is ended.' };
  },
});

const PASSWORD = bounded(1_000);
const SECRET = /^[A-Z2-7]{16,64}$/;

const secondFactor = consolePage({
  path: FACTOR_PATH,
  title: 'Turn on the second factor',
  template: '/account/second-factor',
  async load(visit, { again }) {
    // A wrong code leaves the secret in force that was scanned.
    const { secret: kept, sealed: keptSealed } = again?.values ?? {};
    const isKept = typeof kept === 'string' && SECRET.test(kept) && typeof keptSealed === 'string';
    const { secret, sealed } = isKept
      ? { secret: kept, sealed: keptSealed }
      : await visit.services.signIns.makeSecondFactor();
    const label = encodeURIComponent(`Counterfoil:${visit.user.email}`);
    const uri = `otpauth://totp/${label}?secret=${secret}&issuer=Counterfoil`;
    const actions = { confirm: visit.href(FACTOR_PATH), back: visit.href(ACCOUNT_PATH) };
    return { secret, sealed, uri, code: qrCode(uri), actions };
  },
});

const confirmSecondFactor = consoleForm({
  name: 'confirm-second-factor',
  path: FACTOR_PATH,
  body: z.object({
    ...{ sealed: bounded(200), secret: bounded(64), code: bounded(16), password: PASSWORD },
  }),
  page: secondFactor,
  async act(visit, { body: { sealed, code, password } }) {
    const { signIns } = visit.services;
    const given = { sealed, code: code.replaceAll(/\s/g, ''), password };
    const codes = await signIns.confirmSecondFactor(whoseOf(visit), given);
    return {
      template: '/account/recovery-codes',
      title: 'Your recovery codes',
      data: { codes, back: visit.href(ACCOUNT_PATH) },
    };
  },
});

const removeSecondFactor = consoleForm({
  name: 'remove-second-factor',
  path: '/account/remove-second-factor',
  body: z.object({ password: PASSWORD }),
  page: account,
  async act(visit, { body: { password } }) {
    await visit.services.signIns.removeSecondFactor(whoseOf(visit), password);
    return { to: visit.href(ACCOUNT_PATH), notice: 'The second factor is off.' };
  },
});

export const ACCOUNT = consoleSlice({
  pages: [account, secondFactor],
  forms: [endSession, confirmSecondFactor, removeSecondFactor],
});
