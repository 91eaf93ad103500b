/** Merchant accounts in the console: settings, cap, dispute rate. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { hiddenFields, openUser, type ShownPage, Visitor } from './console-visitor.ts';

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

describe('a change', () => {
  const EDIT = `${PAGE}/edit`;

  /** All fields as the page shows them. */
  function formIn(page: ShownPage): Record<string, string> {
    const texts = [
      ...page.text.matchAll(/<input id="\w+" name="(\w+)" type="text" value="([^"]*)"/g),
    ];
    const ticked = [...page.text.matchAll(/name="(\w+)" value="yes" checked/g)];
    return {
      ...hiddenFields(page),
      ...Object.fromEntries(texts.map(([, name = '', value = '']) => [name, value])),
      ...Object.fromEntries(ticked.map(([, name = '']) => [name, 'yes'])),
    };
  }

  it('is made of what was changed alone, once, and keeps the credentials', async () => {
    const form = { ...formIn(await owner.get(EDIT)), title: 'Renamed', notes: 'One\r\ntwo' };
    expect((await owner.post(EDIT, form)).status).toBe(303);
    const { title, notes, mcc, monthlyCap, currencies, rowVersion } = await accounts().get(ACCOUNT);
    expect([title, notes, mcc, monthlyCap]).toEqual(['Renamed', 'One\ntwo', '5719', 400]);
    expect(currencies[0]?.gatewayCredentials.apiKey).toMatch(/^\*+$/);
    expect((await owner.post(EDIT, form)).status).toBe(303);
    expect((await accounts().get(ACCOUNT)).rowVersion).toBe(rowVersion);
  });

  it('that somebody else was faster than is shown beside theirs, and saved after that', async () => {
    const form = { ...formIn(await owner.get(EDIT)), mcc: '1111', psp: 'Mine' };
    await accounts().amend(ACCOUNT, { patch: { mcc: '2222', agent: 'Theirs' } });
    const refused = await owner.post(EDIT, form);
    expect(refused.status).toBe(409);
    expect(refused.text).toMatch(
      /MCC<\/th><td[^>]*>5719<\/td><td[^>]*>2222<\/td><td[^>]*><strong>1111/,
    );
    expect((await accounts().get(ACCOUNT)).psp).toBe('');
    expect((await owner.post(EDIT, formIn(refused))).status).toBe(303);
    const { mcc, psp, agent } = await accounts().get(ACCOUNT);
    expect([mcc, psp, agent]).toEqual(['1111', 'Mine', 'Theirs']);
  });

  it('that is wrong is refused beside its field', async () => {
    const form = { ...formIn(await owner.get(EDIT)), mcc: '12', discountRatePercentage: 'much' };
    const { status, text } = await owner.post(EDIT, form);
    expect(status).toBe(400);
    expect(text).toContain('id="mcc-problem"');
    expect(text).toContain('value="much"');
    expect(text).not.toContain(SECRET);
  });
});
