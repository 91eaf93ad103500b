/** Sign-in: invitations, passwords, second factors and sessions. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMemoryEventStore, type TenantId } from '@counterfoil/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ActivityLog } from '../activity/activity-log.ts';
import { ActivityStore } from '../activity/activity-store.ts';
import { CommandRunner } from '../command-runner.ts';
import { silentLogger } from '../logger.ts';
import { Refused } from '../refusal.ts';
import { createStateCache } from '../runtime/state-cache.ts';
import { Credentials } from './credentials.ts';
import { SignIns } from './sign-in.ts';
import { TenantUsers } from './tenant-users.ts';
import { Users } from './users.ts';

const PASSWORD = 'correct horse battery';

const factorOf = (sealed: string, code: string) => ({ sealed, code, password: PASSWORD });
const EMAIL = 'ada@example.com';
const START = Date.parse('2026-03-01T12:00:00.000Z');
const FROM = { address: '10.0.0.1', agent: 'browser' };

/** Passwords at a cost that a test can pay. */
const CHEAP = { N: 16, r: 8, p: 1 };

/** Without mails the token is in the answer. */
function shown<Answer extends { readonly token: string | null }>({ token, ...answer }: Answer) {
  if (token === null) throw new Error('no token was shown');
  return { ...answer, token };
}

/** Lets something else happen right after the next read of a credential. */
class Interrupted extends Credentials {
  next: (() => Promise<unknown>) | undefined;

  override async get(whose: Parameters<Credentials['get']>[0]) {
    const seen = await super.get(whose);
    const { next } = this;
    this.next = undefined;
    await next?.();
    return seen;
  }
}

async function opened() {
  let nowMs = START;
  const now = () => new Date(nowMs).toISOString();
  const executor = { store: createMemoryEventStore(), cache: createStateCache() };
  const commands = new CommandRunner(executor, { now }, () => {});
  const users = new Users(commands, () => ['payments:read']);
  const credentials = new Interrupted(':memory:');
  onTestFinished(() => credentials.close());
  const masterKey = Buffer.alloc(32, 7);
  const store = new ActivityStore(':memory:');
  const activity = new ActivityLog({ store, clock: { now }, logger: silentLogger });
  onTestFinished(() => activity.close());
  const signIns = new SignIns({ users, credentials, masterKey, activity, cost: CHEAP });
  const tenantId = 7 as TenantId;
  const acting = { tenantId, environment: 'live', caller: { actor: 'operator' } } as const;
  const shop = {
    users: new TenantUsers({ users, signIns, settings: { mail: undefined } }, acting),
  };
  const invited = await shop.users.invite({ email: EMAIL, name: 'Ada', roleIds: ['owner'] });
  const { id, token } = shown(invited);
  const signIn = (change: object = {}) =>
    signIns.signIn({ tenantId, email: EMAIL, password: PASSWORD, ...FROM, ...change });
  return {
    signIns,
    credentials,
    shop,
    signIn,
    token,
    whose: { tenantId, userId: id },
    pass: (ms: number) => {
      nowMs += ms;
    },
    now: () => nowMs,
  };
}

async function active() {
  const parts = await opened();
  await parts.signIns.setPassword(parts.token, PASSWORD);
  return parts;
}

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (error instanceof Refused ? error.code : String(error)),
  );
}

/** As an authenticator app computes it. */
function totp(secret: string, ms: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret]
    .map((each) => letters.indexOf(each).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(ms / 30_000)));
  const mac = createHmac('sha1', bytes).update(counter).digest();
  const offset = mac.readUInt8(19) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

describe('a proof of the password', () => {
  it('is good for five minutes, and while that is the password', async () => {
    const { signIns, shop, signIn, whose, pass } = await active();
    const request = { tenantId: whose.tenantId, email: EMAIL, password: PASSWORD, ...FROM };
    expect(await codeOf(signIns.provePassword({ ...request, password: 'wrong' }))).toBe(
      'SignInRefused',
    );
    const password = await signIns.provePassword(request);
    expect(await codeOf(signIn({ password }))).toBeUndefined();
    expect(await codeOf(signIn({ password: { proof: `9${password.proof}` } }))).toBe(
      'SignInRefused',
    );
    // As long as a proof, in characters that take more bytes.
    const [until] = password.proof.split('.');
    const other = { proof: `${until}.${'é'.repeat(43)}` };
    expect(await codeOf(signIn({ password: other }))).toBe('SignInRefused');
    pass(5 * 60_000);
    expect(await codeOf(signIn({ password }))).toBe('SignInRefused');
    const next = await signIns.provePassword(request);
    const { token } = shown(await shop.users.reset(whose.userId));
    await signIns.setPassword(token, `${PASSWORD}!`);
    expect(await codeOf(signIn({ password: next }))).toBe('SignInRefused');
  });
});

describe('an invitation', () => {
  it('makes the user active when the password is set, once', async () => {
    const { signIns, signIn, shop, token, whose } = await opened();
    expect(await codeOf(signIn())).toBe('SignInRefused');
    expect(await codeOf(signIns.setPassword(token, 'too short'))).toBe('PasswordTooWeak');
    await signIns.setPassword(token, PASSWORD);
    expect((await shop.users.get(whose.userId)).status).toBe('active');
    expect(await codeOf(signIns.setPassword(token, PASSWORD))).toBe('LinkUnknown');
    expect(await signIn()).toMatchObject({ ...whose, ...FROM });
  });

  it('ends after 24 hours, and with the next one', async () => {
    const { signIns, shop, token, whose, pass } = await opened();
    const { token: second } = shown(await shop.users.reset(whose.userId));
    expect(await codeOf(signIns.setPassword(token, PASSWORD))).toBe('LinkUnknown');
    pass(24 * 3_600_000);
    expect(await codeOf(signIns.setPassword(second, PASSWORD))).toBe('LinkUnknown');
  });
});

describe('sign-in', () => {
  it('refuses unknown emails and wrong passwords alike, and delays after five failures', async () => {
    const { signIn, pass } = await active();
    for (const change of [{ email: 'nobody@example.com' }, { password: 'wrong password' }]) {
      for (let count = 0; count < 5; count += 1) {
        expect(await codeOf(signIn(change))).toBe('SignInRefused');
      }
      expect(await codeOf(signIn(change))).toBe('SignInDelayed');
    }
    expect(await codeOf(signIn())).toBe('SignInDelayed');
    pass(1_001);
    expect(await codeOf(signIn())).toBeUndefined();
    expect(await codeOf(signIn({ password: 'wrong password' }))).toBe('SignInRefused');
  });

  it('is refused to a disabled user, whose sessions end', async () => {
    const { signIns, signIn, shop, whose } = await active();
    const { token } = await signIn();
    await shop.users.invite({ email: 'b@example.com', name: 'B', roleIds: ['owner'] });
    expect(await codeOf(shop.users.change(whose.userId, { status: 'disabled' }))).toBe('LastOwner');
    const third = { email: 'c@example.com', name: 'C', roleIds: ['owner'] };
    const other = shown(await shop.users.invite(third));
    await signIns.setPassword(other.token, PASSWORD);
    await shop.users.change(whose.userId, { status: 'disabled' });
    expect(await signIns.session(token)).toBeUndefined();
    expect(await codeOf(signIn())).toBe('SignInRefused');
  });

  it('takes a code of the second factor, or a recovery code, each once', async () => {
    const { signIns, signIn, whose, pass, now } = await active();
    const { secret, sealed } = await signIns.makeSecondFactor();
    expect(await codeOf(signIns.confirmSecondFactor(whose, factorOf(sealed, '000000x')))).toBe(
      'SignInRefused',
    );
    const recovery = await signIns.confirmSecondFactor(
      whose,
      factorOf(sealed, totp(secret, now())),
    );
    expect(new Set(recovery).size).toBe(10);
    expect(await codeOf(signIn())).toBe('SecondFactorRequired');
    expect(await codeOf(signIn({ code: totp(secret, now()) }))).toBe('SignInRefused');
    pass(30_000);
    const code = totp(secret, now());
    const raced = await Promise.all([codeOf(signIn({ code })), codeOf(signIn({ code }))]);
    expect(raced.toSorted()).toEqual(['SignInRefused', undefined]);
    expect(await codeOf(signIn({ code: recovery[0] }))).toBeUndefined();
    expect(await codeOf(signIn({ code: recovery[0] }))).toBe('SignInRefused');
    await signIns.removeSecondFactor(whose, PASSWORD);
    expect(await codeOf(signIn())).toBeUndefined();
  });
});

describe('a second factor', () => {
  it('is turned on and off with the password again, which is not tried without end', async () => {
    const { signIns, signIn, whose, now, pass } = await active();
    const { secret, sealed } = await signIns.makeSecondFactor();
    const other = { ...factorOf(sealed, totp(secret, now())), password: 'another password' };
    expect(await codeOf(signIns.confirmSecondFactor(whose, other))).toBe('SignInRefused');
    expect(await signIns.hasSecondFactor(whose)).toBe(false);
    await signIns.confirmSecondFactor(whose, factorOf(sealed, totp(secret, now())));
    for (let count = 0; count < 5; count += 1) {
      expect(await codeOf(signIns.removeSecondFactor(whose, 'guess'))).toBe('SignInRefused');
    }
    expect(await codeOf(signIns.removeSecondFactor(whose, PASSWORD))).toBe('SignInDelayed');
    expect(await signIns.hasSecondFactor(whose)).toBe(true);
    pass(1_001);
    await signIns.removeSecondFactor(whose, PASSWORD);
    expect(await codeOf(signIn())).toBeUndefined();
  });
});

describe('a new password', () => {
  const next = `${PASSWORD} 2`;

  it.each([false, true])(
    'holds against a sign-in that checks the old one meanwhile (second factor: %s)',
    async (hasFactor) => {
      const { signIns, credentials, shop, signIn, whose, pass, now } = await active();
      const { secret, sealed } = await signIns.makeSecondFactor();
      if (hasFactor)
        await signIns.confirmSecondFactor(whose, factorOf(sealed, totp(secret, now())));
      pass(30_000);
      const { token } = shown(await shop.users.reset(whose.userId));
      credentials.next = () => signIns.setPassword(token, next);
      const code = totp(secret, now());
      expect(await codeOf(signIn({ code }))).toBe('SignInRefused');
      expect(await signIns.sessionsOf(whose)).toEqual([]);
      expect(await codeOf(signIn({ password: next, code }))).toBeUndefined();
    },
  );

  it('is set, and a second factor turned off, also while a code is used', async () => {
    const { signIns, credentials, shop, signIn, whose, pass, now } = await active();
    const { secret, sealed } = await signIns.makeSecondFactor();
    await signIns.confirmSecondFactor(whose, factorOf(sealed, totp(secret, now())));
    const { token } = shown(await shop.users.reset(whose.userId));
    pass(30_000);
    credentials.next = () => signIn({ code: totp(secret, now()) });
    await signIns.setPassword(token, next);
    expect(await codeOf(signIn({ password: next }))).toBe('SecondFactorRequired');
    pass(30_000);
    credentials.next = () => signIn({ password: next, code: totp(secret, now()) });
    await signIns.removeSecondFactor(whose, next);
    expect(await signIns.hasSecondFactor(whose)).toBe(false);
  });
});

describe('a session', () => {
  it('ends after 30 minutes without use, and after 12 hours at most', async () => {
    const { signIns, signIn, pass } = await active();
    const idle = await signIn();
    pass(30 * 60_000);
    expect(await signIns.session(idle.token)).toBeUndefined();
    const used = await signIn();
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      pass(20 * 60_000);
      expect(await signIns.session(used.token)).toBeDefined();
    }
    pass(20 * 60_000);
    expect(await signIns.session(used.token)).toBeUndefined();
  });

  it('is listed and ended by itself, and by a new password with all others', async () => {
    const { signIns, signIn, shop, whose } = await active();
    const [one, two] = [await signIn(), await signIn()];
    expect((await signIns.sessionsOf(whose)).map(({ sessionId }) => sessionId)).toHaveLength(2);
    expect(await signIns.session(one.token)).toBeDefined();
    await signIns.signOut(whose, one.sessionId);
    expect(await signIns.session(one.token)).toBeUndefined();
    expect(await signIns.session(two.token)).toBeDefined();
    const { token } = shown(await shop.users.reset(whose.userId));
    await signIns.setPassword(token, `${PASSWORD} 2`);
    expect(await signIns.sessionsOf(whose)).toEqual([]);
  });

  it('ends at once where another process ends it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-sessions-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [here, there] = [0, 1].map(() => {
      const credentials = new Credentials(join(folder, 'users.db'));
      onTestFinished(() => credentials.close());
      return credentials;
    }) as [Credentials, Credentials];
    const at = new Date(START).toISOString();
    const whose = { tenantId: 7 as TenantId, userId: 'ada' };
    const session = { ...whose, sessionId: 'one', createdAt: at, usedAt: at, ...FROM };
    await here.addSession('digest', session);
    expect(await here.session('digest')).toEqual(session);
    expect(await here.session('digest')).toEqual(session);
    await there.endSessions(whose);
    // Another process is never within a turn of the event loop.
    await nextTurn();
    expect(await here.session('digest')).toBeUndefined();
  });

  it('tells what its user may do now', async () => {
    const { signIns, signIn, shop, whose } = await active();
    const { token } = await signIn();
    const scopes = async () => [...((await signIns.visitor(token))?.scopes ?? [])];
    expect(await scopes()).toEqual(['payments:read']);
    const other = { email: 'b@example.com', name: 'B', roleIds: ['owner'] };
    await signIns.setPassword(shown(await shop.users.invite(other)).token, PASSWORD);
    await shop.users.change(whose.userId, { roleIds: [] });
    expect(await scopes()).toEqual([]);
  });
});
