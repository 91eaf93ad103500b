/** What is kept of users beside the log, on each store, and what is not. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger, Refused } from '@counterfoil/engine';
import { expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../setup/databases.ts';
import { casesOfProject } from '../setup/stores.ts';

const PASSWORD = 'correct horse battery';
/** Passwords are slow on purpose. */
const SLOW_MS = 60_000;
const USER = { email: 'ada@example.com', name: 'Ada', roleIds: ['owner'] };
const FROM = { address: '10.0.0.1', agent: 'browser' };

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-users-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function newDatabase() {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return { log: url, readModels: url };
}

const cases = casesOfProject({
  embedded: [['a folder', async () => newFolder()] as const],
  postgres: [['PostgreSQL', newDatabase] as const],
});

it.each(cases)('keeps sign-ins in %s', { timeout: SLOW_MS }, async (_name, newStorage) => {
  const ledger = await openLedger({ storage: await newStorage(), masterKey: randomBytes(32) });
  onTestFinished(() => ledger.close());
  const { signIns } = ledger;
  const { users } = ledger.as({ tenantId: 7, actor: 'operator' });
  const { id, token: first } = await users.invite(USER);
  const { token } = await users.reset(id);
  const refused = signIns.setPassword(first ?? '', PASSWORD).catch((error: unknown) => error);
  expect(await refused).toBeInstanceOf(Refused);
  const whose = await signIns.setPassword(token ?? '', PASSWORD);
  const request = { tenantId: whose.tenantId, email: USER.email, ...FROM };
  const wrong = signIns.signIn({ ...request, password: 'wrong' }).catch((error: unknown) => error);
  expect(await wrong).toMatchObject({ code: 'SignInRefused' });
  const [one, two] = [
    await signIns.signIn({ ...request, password: PASSWORD }),
    await signIns.signIn({ ...request, password: PASSWORD }),
  ];
  expect(await signIns.session(one.token)).toMatchObject({ ...whose, ...FROM });
  await signIns.signOut(whose, one.sessionId);
  expect(await signIns.session(one.token)).toBeUndefined();
  expect((await signIns.sessionsOf(whose)).map(({ sessionId }) => sessionId)).toEqual([
    two.sessionId,
  ]);
});

it('keeps no password and no token in any file', { timeout: SLOW_MS }, async () => {
  const folder = newFolder();
  const ledger = await openLedger({ storage: folder });
  const { users } = ledger.as({ tenantId: 7, actor: 'operator' });
  const { token } = await users.invite(USER);
  if (token === null) throw new Error('no token was shown');
  const { tenantId } = await ledger.signIns.setPassword(token, PASSWORD);
  const request = { tenantId, email: USER.email, password: PASSWORD, ...FROM };
  const session = await ledger.signIns.signIn(request);
  const { secret } = await ledger.signIns.makeSecondFactor();
  await ledger.close();
  expect(readdirSync(folder)).toContain('users.db');
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  for (const each of [PASSWORD, token, session.token, secret]) {
    expect(bytes.some((text) => text.includes(each))).toBe(false);
  }
});
