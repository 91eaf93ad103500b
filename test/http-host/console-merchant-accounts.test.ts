/** Merchant accounts in the console: opening, settings, credentials, cap, dispute rate. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  openAccount,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { hiddenFields, openUser, row, type ShownPage, Visitor } from './console-visitor.ts';

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
    expect(text).toMatch(
      /<td class="number" data-label="Rate">0\.00 %<\/td><td class="number" data-label="Chargebacks">0<\/td>/,
    );
  });

  it('show fees, the cap and the largest payment in their currency', async () => {
    await openAccount(running, TENANT, 592, {
      ...{ monthlyCap: 2_000, maxPrice: 1_500, bankAuthFee: 0.1, chargebackFee: 15 },
      ...{ defaultCurrency: 'KWD' },
    });
    const { text } = await owner.get(`${LIST}/592`);
    for (const amount of ['2,000.000', '1,500.000', '0.100', '15.000', '0.000']) {
      expect(text).toContain(`<dd class="long">${amount} KWD</dd>`);
    }
    expect((await owner.get(`${LIST}/592/edit`)).text).toContain('value="0.1"');
    await accounts().amend(592, { patch: { monthlyCap: 0 } });
    expect((await owner.get(`${LIST}/592`)).text).toContain('<dd class="long">None</dd>');
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

/** All fields as the page shows them. */
function formIn(page: ShownPage): Record<string, string> {
  const texts = [
    ...page.text.matchAll(
      /<input id="[\w-]+" name="([\w-]+)" type="(?:text|password)" value="([^"]*)"/g,
    ),
  ];
  const ticked = [...page.text.matchAll(/name="(\w+)" value="yes" checked/g)];
  return {
    ...hiddenFields(page),
    ...Object.fromEntries(texts.map(([, name = '', value = '']) => [name, value])),
    ...Object.fromEntries(ticked.map(([, name = '']) => [name, 'yes'])),
  };
}

describe('a change', () => {
  const EDIT = `${PAGE}/edit`;

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

  it('shows what is not set as empty, suggests companies by name, and takes a cap away', async () => {
    const page = await owner.get(EDIT);
    expect(page.text).toMatch(/<datalist id="gatewayId-options"><option value="\d+">[^<]+</);
    const form = formIn(page);
    expect(form['customFee']).toBe('');
    const { monthlyCap } = await accounts().get(ACCOUNT);
    expect((await owner.post(EDIT, { ...form, monthlyCap: '' })).status).toBe(303);
    expect((await accounts().get(ACCOUNT)).monthlyCap).toBe(0);
    await accounts().amend(ACCOUNT, { patch: { monthlyCap } });
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

describe('opening', () => {
  const NEW = `${LIST}/new`;
  const FIELDS = {
    title: 'Second',
    mid: '592',
    gatewayId: '1',
    descriptor: 'SECOND',
    defaultCurrency: 'GBP',
    currencies: 'gbp, usd',
    monthlyCap: '1000',
    apiKey: SECRET,
  };
  const ids = async () => (await accounts().list()).items.map(({ id }) => id);

  it('makes one account, with its credentials, however often the form is sent', async () => {
    const before = await ids();
    const page = await owner.get(NEW);
    expect((await owner.get(LIST)).text).toContain(`href="${NEW}"`);
    const form = { ...formIn(page), ...FIELDS };
    const answers = await Promise.all([owner.post(NEW, form), owner.post(NEW, form)]);
    answers.push(await owner.post(NEW, form));
    const opened = (await ids()).filter((id) => !before.includes(id));
    expect(opened).toHaveLength(1);
    for (const { status, location } of answers) {
      expect([status, location]).toEqual([303, `${LIST}/${opened[0]}`]);
    }
    const account = await accounts().get(opened[0] ?? 0);
    expect([account.title, account.monthlyCap, account.enabledNetworkB]).toEqual([
      'Second',
      1000,
      true,
    ]);
    for (const { gatewayCredentials } of account.currencies) {
      expect(gatewayCredentials.apiKey).toMatch(/^\*+$/);
    }
  });

  it('is refused beside the fields, and does not send secrets back', async () => {
    const before = await ids();
    const form = {
      ...formIn(await owner.get(NEW)),
      ...FIELDS,
      mid: '',
      mcc: '12',
      gatewayId: '777',
      notes: 'x'.repeat(10_001),
    };
    const { status, text } = await owner.post(NEW, form);
    expect(status).toBe(400);
    for (const field of ['mid', 'mcc', 'notes']) expect(text).toContain(`id="${field}-problem"`);
    expect(text).toContain('value="SECOND"');
    expect(text).toContain('Enter the credentials again');
    expect(text).not.toContain(SECRET);
    const unknown = await owner.post(NEW, { ...form, mid: '592', mcc: '', notes: '' });
    expect(unknown.text).toContain('id="gatewayId-problem"');
    const masked = await owner.post(NEW, { ...formIn(unknown), ...FIELDS, apiKey: '***' });
    expect(masked.text).toContain('id="apiKey-problem"');
    expect(await ids()).toEqual(before);
  });

  it('is for those alone who may write them', async () => {
    const roleId = await readersRole();
    await openUser(running, TENANT, { email: 'reader@example.com', roleIds: [roleId] });
    const reader = await signedIn('reader@example.com');
    expect((await reader.get(LIST)).text).not.toContain(NEW);
    for (const page of [NEW, `${PAGE}/credentials`]) {
      expect((await reader.get(page)).status, page).toBe(403);
    }
  });

  async function readersRole(): Promise<string> {
    const { users } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const { id } = await users.createRole({ name: 'Reader', scopes: ['merchant-accounts:read'] });
    return id;
  }
});

describe('credentials', () => {
  const CREDENTIALS = `${PAGE}/credentials`;
  const secretsOf = async (code: string) => {
    const { currencies } = await accounts().get(ACCOUNT);
    return currencies.find(({ currency }) => currency === code)?.gatewayCredentials;
  };

  it('are masked, and stay as they are where the mask is sent back', async () => {
    const page = await owner.get(CREDENTIALS);
    const form = formIn(page);
    expect(form['apiKey-GBP']).toMatch(/^\*+$/);
    expect(form['apiKey-USD']).toBe('');
    expect(page.text).not.toContain(SECRET);
    const { rowVersion } = await accounts().get(ACCOUNT);
    expect((await owner.post(CREDENTIALS, form)).status).toBe(303);
    expect((await accounts().get(ACCOUNT)).rowVersion).toBe(rowVersion);
  });

  it('are replaced once, and removed where a field is emptied', async () => {
    const form = formIn(await owner.get(CREDENTIALS));
    const changed = { ...form, 'apiKey-GBP': '', 'username-GBP': 'shop', 'apiKey-USD': 'sk_usd' };
    expect((await owner.post(CREDENTIALS, changed)).status).toBe(303);
    const { rowVersion } = await accounts().get(ACCOUNT);
    const again = await owner.post(CREDENTIALS, changed);
    expect([again.status, again.location]).toEqual([303, PAGE]);
    expect((await accounts().get(ACCOUNT)).rowVersion).toBe(rowVersion);
    expect([(await secretsOf('GBP'))?.apiKey, (await secretsOf('GBP'))?.username]).toEqual([
      '',
      expect.stringMatching(/^\*+$/),
    ]);
    const { text } = await owner.get(PAGE);
    expect(text).toContain('<dt>GBP</dt><dd>User name</dd>');
    expect(text).toContain('<dt>USD</dt><dd>API key</dd>');
  });

  it('are not replaced on a page that is out of date', async () => {
    const form = formIn(await owner.get(CREDENTIALS));
    await accounts().amend(ACCOUNT, { patch: { currencies: [{ currency: 'GBP' }] } });
    const refused = await owner.post(CREDENTIALS, { ...form, 'apiKey-GBP': 'sk_new' });
    expect(refused.status).toBe(409);
    expect(refused.text).not.toContain('sk_new');
    expect(refused.text).not.toContain('rowVersion is');
    expect(row(refused, 'Currencies').slice(1)).toEqual(['GBP, USD, EUR, JPY, KWD', 'GBP']);
    expect((await secretsOf('GBP'))?.apiKey).toBe('');
    const seen = { ...formIn(refused), 'password-GBP': 'sk_new' };
    expect((await owner.post(CREDENTIALS, seen)).status).toBe(303);
    expect((await secretsOf('GBP'))?.password).toMatch(/^\*+$/);
  });

  it('that somebody has replaced meanwhile are told of, though they look the same', async () => {
    const form = formIn(await owner.get(CREDENTIALS));
    const gatewayCredentials = { password: 'sk_theirs' };
    await accounts().amend(ACCOUNT, {
      patch: { currencies: [{ currency: 'GBP', gatewayCredentials }] },
    });
    const refused = await owner.post(CREDENTIALS, { ...form, 'password-GBP': 'sk_mine' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('somebody has replaced one of them with another');
  });

  it('that cannot be are refused beside their field', async () => {
    const form = formIn(await owner.get(CREDENTIALS));
    const wrong = { 'apiKey-GBP': '****', 'password-GBP': 'p'.repeat(5_000) };
    const { status, text } = await owner.post(CREDENTIALS, { ...form, ...wrong });
    expect(status).toBe(400);
    expect(text).toContain('id="apiKey-GBP-problem"');
    expect(text).toContain('id="password-GBP-problem"');
    expect(text).not.toContain('pppp');
  });
});
