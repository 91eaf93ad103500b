/** What is kept of users beside the log, and what is not. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@counterfoil/engine';
import { expect, it, onTestFinished } from 'vitest';

const PASSWORD = 'correct horse battery';
/** Passwords are slow on purpose. */
const SLOW_MS = 60_000;

it('keeps no password and no token in any file', { timeout: SLOW_MS }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-users-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openLedger({ storage: folder });
  const { users } = ledger.as({ tenantId: 7, actor: 'operator' });
  const user = { email: 'ada@example.com', name: 'Ada', roleIds: ['owner'] };
  const { token } = await users.invite(user);
  const { tenantId } = await ledger.signIns.setPassword(token, PASSWORD);
  const from = { address: '10.0.0.1', agent: 'browser' };
  const request = { tenantId, email: 'ada@example.com', password: PASSWORD, ...from };
  const session = await ledger.signIns.signIn(request);
  const { secret } = await ledger.signIns.makeSecondFactor();
  expect(await ledger.signIns.session(session.token)).toMatchObject(from);
  await ledger.close();
  expect(readdirSync(folder)).toContain('users.db');
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  for (const each of [PASSWORD, token, session.token, secret]) {
    expect(bytes.some((text) => text.includes(each))).toBe(false);
  }
});
