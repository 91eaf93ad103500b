/** Merchant accounts in the console: settings, cap, dispute rate. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { openUser, Visitor } from './console-visitor.ts';

const TENANT = 59;
const ACCOUNT = 591;
const OWNER = 'owner@example.com';
const LIST = '/console/live/merchant-accounts';
const PAGE = `${LIST}/${ACCOUNT}`;
const SECRET = 'sk_live_do_not_show';

let running: Running;
let caller: Caller;
let owner: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  for (const [email, roleId] of [
    [OWNER, 'owner'],
    ['finance@example.com', 'finance'],
    ['agent@example.com', 'agent'],
  ] as const) {
    await openUser(running, TENANT, { email, roleIds: [roleId] });
  }
  owner = await signedIn(OWNER);
  const gatewayCredentials = { apiKey: SECRET };
  const others = ['USD', 'EUR', 'JPY', 'KWD'].map((currency) => ({ currency }));
  const currencies = [{ currency: 'GBP', gatewayCredentials }, ...others];
  await accounts().amend(ACCOUNT, { patch: { monthlyCap: 400, currencies } });
  await caller.paid();
});
afterAll(() => running.close());

async function signedIn(email: string): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

function accounts() {
  return running.host.engine.as({ tenantId: TENANT, actor: OWNER }).merchantAccounts;
}

describe('merchant accounts', () => {
  it('are listed, and shown in groups without credentials', async () => {
    const { text: list } = await owner.get(LIST);
    expect(list).toContain(`href="${PAGE}">Account ${ACCOUNT}`);
    const { text } = await owner.get(PAGE);
    expect(text).toContain('Limits and routing');
    expect(text).toContain('<dd class="long">5719</dd>');
    for (const page of [list, text]) {
      expect(page).not.toContain(SECRET);
      expect(page).not.toContain('***');
    }
  });

  it('show what was captured of the cap, and the dispute rate beside its thresholds', async () => {
    const { text } = await owner.get(PAGE);
    expect(text).toMatch(/<meter [^>]*value="25"/);
    expect(text).toContain(`statement?merchantAccountId=${ACCOUNT}`);
    expect(text).toContain('Warning from 0.65 % and 75 chargebacks');
    expect(text).toMatch(/<td class="number">0 %<\/td><td class="number">0<\/td>/);
  });

  it('are for those alone who may read them', async () => {
    const agent = await signedIn('agent@example.com');
    expect((await agent.get(LIST)).status).toBe(403);
    const finance = await signedIn('finance@example.com');
    expect((await finance.get(PAGE)).status).toBe(403);
  });

  it('that are not there are not found', async () => {
    for (const page of ['987654', 'a']) {
      expect((await owner.get(`${LIST}/${page}`)).status, page).toBe(404);
    }
  });
});
