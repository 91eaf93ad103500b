/** Transactions in the console: what the search box understands, and what agents do to payments. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CARDS,
  type Caller,
  card,
  type Json,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { hiddenFields, openUser, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 53;
const AGENT = 'agent@example.com';
const OTHER = 'other.agent@example.com';
const OWNER = 'owner@example.com';
const AUDITOR = 'auditor@example.com';
const VIEWER = 'viewer@example.com';
const LIST = '/console/live/transactions';

let running: Running;
let caller: Caller;
let agent: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  for (const [email, roleIds] of [
    [AGENT, ['agent']],
    [OTHER, ['agent']],
    [OWNER, ['owner']],
    [VIEWER, ['viewer']],
  ] as const) {
    await openUser(running, TENANT, { email, roleIds });
  }
  agent = await signedIn(AGENT);
});
afterAll(() => running.close());

async function signedIn(email: string): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

function idsIn({ text }: ShownPage): string[] {
  return [...text.matchAll(/href="\/console\/live\/transactions\/([0-9a-f-]{36})"/g)].map(
    ([, id = '']) => id,
  );
}

function searched(q: string): Promise<ShownPage> {
  return agent.get(`${LIST}?${new URLSearchParams({ q })}`);
}

describe('the search box', () => {
  let ada: Json;
  let arn: string;
  beforeAll(async () => {
    const customer = { email: 'ada@example.com', orderId: 4_711_000 };
    ada = await caller.paid({ ...customer, amount: 1234.5, card: card(CARDS.networkB) });
    await caller.paid({ email: 'other@example.com', orderId: 815 });
    const ledger = running.host.engine.as({ tenantId: TENANT, actor: AGENT });
    ({ arn } = (await ledger.payments.get(ada.id)).payment);
  });

  it.each([
    ['an email', () => 'ada@example.com'],
    ['a transaction id', () => ada.id],
    ['an order id', () => '4711000'],
    ['an order id with its sign', () => '#4711000'],
    ['the last four digits', () => '4444'],
    ['the last four digits behind dots', () => '•••• 4444'],
    ['an amount', () => '1234.50'],
    ['an amount with its currency', () => '1,234.50 GBP'],
    ['an amount with its sign', () => '£1234.5'],
    ['an ARN', () => arn],
    ['a name', () => 'ada lovelace'],
    ['a last name, beside others', () => ' Lovelace '],
  ])('understands %s', async (_, words) => {
    expect(idsIn(await searched(words()))).toContain(ada.id);
  });

  it.each(['−20.75 GBP', '-20.75', '-£20.75', 'GBP −20.75'])(
    'understands an amount that was given back: %s',
    async (words) => {
      const { id } = await caller.paid();
      await caller.refund(id, { amount: 20.75 });
      const found = await searched(words);
      expect(found.text).toContain('−20.75 <span class="currency">GBP');
      expect(idsIn(found)).not.toEqual([]);
    },
  );

  it('says what it looked for, and what else the words may mean', async () => {
    const { text } = await searched('4444');
    expect(text).toContain('Searched by <strong>last four digits of a card</strong>');
    expect(text).toContain('as=order');
  });

  it('finds nothing of other currencies, and says what to do', async () => {
    const page = await searched('1234.50 USD');
    expect(idsIn(page)).toEqual([]);
    expect(page.text).toContain('No transaction matches');
    expect(page.text).toContain('dateFrom=2000-01-01">Search all days');
  });
});

describe('the list', () => {
  it('offers merchant accounts and companies by name, to those who may read them', async () => {
    const owner = await signedIn(OWNER);
    const { text } = await owner.get(LIST);
    expect(text).toMatch(
      /<select id="merchantAccountIds"[\s\S]*?<option value="\d+">[^<]+\(\d+\)</,
    );
    const several = await owner.get(`${LIST}?merchantAccountIds=1,2`);
    expect(several.text).toMatch(/<input id="merchantAccountIds"[^>]*value="1,2"/);
  });

  it('offers names as they are now', async () => {
    const { references } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const owner = await signedIn(OWNER);
    const offered = async () => {
      const { text } = await owner.get(LIST);
      return /<select id="campaignIds"[\s\S]*?<\/select>/.exec(text)?.[0];
    };
    const { id } = await references.create('campaigns', { name: 'Spring' });
    expect(await offered()).toContain(`<option value="${id}">Spring (${id})</option>`);
    await references.amend('campaigns', id, { name: 'Summer' });
    expect(await offered()).toContain(`>Summer (${id})<`);
    // Who may not read them is asked for the id.
    const { text } = await agent.get(LIST);
    expect(text).toContain('<input id="campaignIds"');
    expect(text).not.toContain('Summer');
  });

  it('takes all filters from its address, and says which of them is wrong', async () => {
    const both = await agent.get(`${LIST}?${new URLSearchParams({ orderIds: '815,4711000' })}`);
    expect(idsIn(both)).toHaveLength(2);
    const { status, text } = await agent.get(`${LIST}?orderIds=815x`);
    expect(status).toBe(200);
    expect(text).toContain('aria-invalid="true"');
    expect(text).toContain('Order id must be an integer');
    for (const page of [text, both.text]) {
      expect(page).toContain('placeholder="Such as 7">');
      expect(page).not.toContain('id="days-hint"');
    }
  });

  it('goes from page to page, each transaction once', async () => {
    const email = 'often@example.com';
    for (let orderId = 1; orderId <= 27; orderId += 1) await caller.paid({ email, orderId });
    const first = await searched(email);
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const ids = [...idsIn(first), ...idsIn(await agent.get(next))];
    expect(new Set(ids).size).toBe(27);
    expect(ids).toHaveLength(27);
  });

  it('is exported as it was found', async () => {
    const { text, headers } = await agent.get(`${LIST}/export.csv?q=often%40example.com`);
    expect(headers.get('content-type')).toContain('text/csv');
    const lines = text.trim().split('\r\n');
    expect(lines).toHaveLength(28);
    expect(lines[0]).toMatch(/^sent,completed,transactionId/);
    const ledger = running.host.engine.as({ tenantId: TENANT, actor: AGENT });
    const { items } = await ledger.activity.list({ action: 'transactions.export' });
    expect(items.map(({ actor, outcome }) => [actor, outcome])).toEqual([[AGENT, 'done']]);
  });
});

describe('a saved search', () => {
  const saved = `${LIST}/saved`;
  const refused = 'A search for one person is not saved';

  it('is opened by its address, by its user alone, and removed', async () => {
    const shown = await agent.get(`${LIST}?q=GBP+5&days=30&merchantAccountIds=1`);
    const token = await agent.token(LIST);
    const fields = { ...hiddenFields(shown), token, name: 'Fives' };
    const { status, location } = await agent.post(saved, fields);
    expect(status).toBe(303);
    const filters = { days: '30', amounts: '5', currency: 'GBP', merchantAccountIds: '1' };
    expect(location).toBe(`${LIST}?${new URLSearchParams(filters)}`);
    const { text } = await agent.get(location ?? '');
    expect(text).toContain('aria-current="page">Fives</a>');
    expect(text).not.toContain('Save this search');
    const other = await signedIn(OTHER);
    expect((await other.get(LIST)).text).not.toContain('Fives');

    const [, removal = ''] = /action="([^"]+\/remove)"/.exec(text) ?? [];
    expect((await other.post(removal, { token: await other.token(LIST) })).status).toBe(404);
    expect((await agent.post(removal, { token })).location).toBe(LIST);
    expect((await agent.get(LIST)).text).not.toContain('>Fives</a>');
  });

  it('that cannot be saved is shown again with its reason', async () => {
    const token = await agent.token(LIST);
    const again = await agent.post(saved, { currency: 'GBP', name: ' ', token });
    expect(again.status).toBe(400);
    expect(again.text).toContain('must not be empty');
    expect(hiddenFields(again)).toMatchObject({ currency: 'GBP' });
  });

  it.each(['ada@example.com', '4711000', 'Lovelace'])('is not one for %s', async (q) => {
    expect((await searched(q)).text).toContain(refused);
    const token = await agent.token(LIST);
    const { status, text } = await agent.post(saved, { q, name: 'Ada', token });
    expect(status).toBe(400);
    expect(text).toContain('would outlive the person');
  });
});

describe('activity', () => {
  it('leads to the pages of what it is about, where the viewer may see them', async () => {
    const { id } = await caller.paid();
    const page = `/console/live/activity?subject=${id}`;
    const owner = await signedIn(OWNER);
    expect((await owner.get(page)).text).toContain(`<a href="${LIST}/${id}">${id}</a>`);
    const ledger = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const scopes = ['activity:read'];
    const { id: role } = await ledger.users.createRole({ name: 'Auditor', scopes });
    await openUser(running, TENANT, { email: AUDITOR, roleIds: [role] });
    const { text } = await (await signedIn(AUDITOR)).get(page);
    expect(text).toContain(id);
    expect(text).not.toContain(`href="${LIST}/${id}"`);
  });
});

describe('a transaction', () => {
  it('shows its story with who did what', async () => {
    const { id } = await caller.paid();
    const { text } = await agent.get(`${LIST}/${id}`);
    expect(text).toContain('100.00 GBP captured');
    expect(text).toContain('agent@example.com');
  });

  it('shows a child within its payment', async () => {
    const { id } = await caller.paid();
    const { refundId } = (await caller.refund(id, { amount: 1 })).body;
    const { text } = await agent.get(`${LIST}/${refundId}`);
    expect(text).toContain(`id="t-${refundId}" class="asked"`);
    expect(text).toContain('<span class="amount">\u22121.00 <span');
    expect(text).toContain('asked for by agent@example.com');
  });

  it('is not shown among data of the other kind, nor to those who may not see it', async () => {
    const { id } = await caller.paid({ sandbox: true });
    expect((await agent.get(`${LIST}/${id}`)).status).toBe(404);
    expect((await agent.get(`/console/test/transactions/${id}`)).status).toBe(200);
  });

  it('shows the journal only to those who may read the books', async () => {
    const { id } = await caller.paid();
    const owner = await signedIn(OWNER);
    const { text } = await owner.get(`${LIST}/${id}`);
    expect(text).toContain('id="journal"');
    expect(text).toContain('<caption>Acquirer receivable');
    expect(text).toContain('Payment captured');
    expect((await agent.get(`${LIST}/${id}`)).text).not.toContain('id="journal"');
  });
});

describe('a payment that is charged back', () => {
  it('leads to the dispute and its answers, with the deadline', async () => {
    const { id: transactionId } = await caller.paid();
    const { disputes } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const facts = { provider: 'acquirer', reference: 'cb-7', amount: '100.00', currency: 'GBP' };
    await disputes.reportChargeback({ ...facts, reasonCode: '13.1', transactionId });
    const owner = await signedIn(OWNER);
    const { text } = await owner.get(`${LIST}/${transactionId}`);
    const href = /href="(\/console\/live\/disputes\/[^"/]+)\/represent"/.exec(text)?.[1] ?? '';
    expect(text).toMatch(/to be answered by <time/);
    expect((await owner.get(`${href}/represent`)).status).toBe(200);
    const [child] = (await caller.transaction(transactionId)).childTransactions;
    expect((await owner.get(`${LIST}/${child?.messageID}`)).text).toContain(`${href}/represent"`);
    expect((await (await signedIn(VIEWER)).get(`${LIST}/${transactionId}`)).text).not.toContain(
      '/represent"',
    );
  });
});

describe('what followed a payment', () => {
  it('is shown to those who may read it, each with its page', async () => {
    const { webhookEndpoints } = running.host.engine.as({ tenantId: TENANT, actor: OWNER });
    const url = `${running.url}/nowhere`;
    const endpoint = await webhookEndpoints.create({ direction: 'out', url });
    const { id } = await caller.paid();
    const owner = await signedIn(OWNER);
    let href = '';
    await expect
      .poll(async () => {
        const { text } = await owner.get(`${LIST}/${id}`);
        [, href = ''] = /href="([^"]+\/deliveries\/[^"]+)"/.exec(text) ?? [];
        return href;
      })
      .toContain(endpoint.id);
    expect((await owner.get(href)).text).toContain('payment.captured');
    await webhookEndpoints.remove(endpoint.id);
    const { text } = await agent.get(`${LIST}/${id}`);
    expect(text).not.toContain('id="webhooks"');
  });
});

async function review(visitor: Visitor, id: string, query: Record<string, string>) {
  return hiddenFields(
    await visitor.get(`${LIST}/${id}/refund/review?${new URLSearchParams(query)}`),
  );
}

describe('a refund', () => {
  it('is done once, however often its form is sent', async () => {
    const { id } = await caller.paid();
    const form = await review(agent, id, { what: 'part', amount: '12.34' });
    const path = `${LIST}/${id}/refund/review`;
    const answers = await Promise.all([agent.post(path, form), agent.post(path, form)]);
    answers.push(await agent.post(path, form));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    const { childTransactions } = await caller.transaction(id);
    expect(childTransactions.map(({ priceVal }: Json) => priceVal)).toEqual([12.34]);
    const { text } = await agent.get(`${LIST}/${id}`);
    expect(text).toContain('12.34 GBP refunded');
    expect(text).toContain(`asked for by ${AGENT}`);
  });

  it('of everything says so, and leaves nothing', async () => {
    const { id } = await caller.paid();
    const page = await agent.get(`${LIST}/${id}/refund/review?what=all`);
    expect(page.text).toContain('100.00 GBP goes back to the card of customer@example.com');
    await agent.post(`${LIST}/${id}/refund/review`, hiddenFields(page));
    expect((await caller.transaction(id)).refunded).toBe(true);
    expect((await agent.get(`${LIST}/${id}/refund`)).text).toContain('Nothing is left to refund');
  });

  it('of items takes their share, and puts them back in stock', async () => {
    const { id } = await caller.ordered();
    const query = { what: 'part', 'quantity-501': '2', 'quantity-503': '1', shipping: '' };
    const form = await review(agent, id, { ...query, restock: 'yes' });
    const answer = await agent.post(`${LIST}/${id}/refund/review`, form);
    expect(answer.status, answer.text).toBe(303);
    const { payment } = await running.host.engine
      .as({ tenantId: TENANT, actor: AGENT })
      .payments.get(id);
    expect(payment.refunds.map(({ amountMinor }) => amountMinor)).toEqual([4_000n]);
    expect(payment.refunds[0]?.items.every(({ restock }) => restock)).toBe(true);
    const { text } = await agent.get(`${LIST}/${id}/refund`);
    expect(text).toContain('2 of 4');
  });

  it('of all that is left and of items at once is refused', async () => {
    const { id } = await caller.ordered();
    for (const more of ['quantity-501=1', 'shipping=2.00']) {
      const page = await agent.get(`${LIST}/${id}/refund/review?what=all&${more}`);
      expect(page.text).toContain('All that is left is chosen, and items or a part are entered');
      expect(hiddenFields(page)['refund']).toBeUndefined();
    }
    const none = await agent.get(
      `${LIST}/${id}/refund/review?what=all&quantity-501=0&shipping=0.00`,
    );
    expect(hiddenFields(none)['refund']).toBeDefined();
  });

  it('of all that is left and of another amount at once is refused', async () => {
    const { id } = await caller.paid();
    const path = `${LIST}/${id}/refund/review?what=all&amount`;
    expect((await agent.get(`${path}=1.00`)).text).toContain('another amount is entered');
    expect(hiddenFields(await agent.get(`${path}=100.00`))['refund']).toBeDefined();
  });

  it.each([
    ['more than is left', '100.01', 'Only 100.00 GBP is left to refund'],
    ['too many decimals', '1.234', 'Enter an amount in GBP'],
    ['no number', 'ten', 'Enter an amount in GBP'],
    ['a decimal comma, which is no thousand', '1,5', 'Enter an amount in GBP'],
    ['nothing', '0', 'Say how much'],
  ])('of %s cannot be sent', async (_, amount, text) => {
    const { id } = await caller.paid();
    const page = await agent.get(`${LIST}/${id}/refund/review?what=part&amount=${amount}`);
    expect(page.text).toContain(text);
    expect(hiddenFields(page)['refund']).toBeUndefined();
  });

  it('that the gateway refuses is no success', async () => {
    const { id } = await caller.paid({ card: card(CARDS.refundFails) });
    const form = await review(agent, id, { what: 'all' });
    const { status, text } = await agent.post(`${LIST}/${id}/refund/review`, form);
    expect(status).toBe(402);
    expect(text).toContain('The gateway refused');
  });
});

describe('two agents at once', () => {
  it('the second is shown what the first did, and nothing is done', async () => {
    const { id } = await caller.paid();
    const other = await signedIn(OTHER);
    const [first, second] = [
      await review(agent, id, { what: 'part', amount: '60' }),
      await review(other, id, { what: 'part', amount: '30' }),
    ];
    await agent.post(`${LIST}/${id}/refund/review`, first);
    const { status, text } = await other.post(`${LIST}/${id}/refund/review`, second);
    expect(status).toBe(409);
    expect(text).toContain('60.00 GBP refunded');
    expect(text).toContain(`asked for by ${AGENT}`);
    expect((await caller.transaction(id)).childTransactions).toHaveLength(1);
    // Begun again, with what is left.
    const again = await review(other, id, { what: 'part', amount: '30' });
    expect((await other.post(`${LIST}/${id}/refund/review`, again)).status).toBe(303);
  });
});

describe('a capture and a void', () => {
  it('are done once, and say what became of the payment', async () => {
    const owner = await signedIn(OWNER);
    for (const [action, query, expected] of [
      ['capture', '?amount=40', 'Captured'],
      ['void', '', 'Voided'],
    ] as const) {
      const { id } = (await caller.pay({ capture: false })).body;
      const form = hiddenFields(await owner.get(`${LIST}/${id}/${action}${query}`));
      const path = `${LIST}/${id}/${action}`;
      const sent = [await owner.post(path, form), await owner.post(path, form)];
      expect(sent.map(({ status }) => status)).toEqual([303, 303]);
      expect((await caller.transaction(id)).status).toBe(expected);
    }
  });
});

describe('a void', () => {
  it('names what was captured of the payment', async () => {
    const owner = await signedIn(OWNER);
    const { id } = (await caller.pay({ capture: false })).body;
    const { payments } = running.host.engine.as({ tenantId: TENANT, actor: AGENT });
    await payments.capture(id, { amount: '40' });
    const { text } = await owner.get(`${LIST}/${id}/void`);
    expect(text).toContain('The capture of 40.00 GBP is given up');
  });
});

describe('roles', () => {
  it('that do not allow it show no button, and are refused', async () => {
    const { id } = await caller.paid();
    const { id: open } = (await caller.pay({ capture: false })).body;
    const viewer = await signedIn(VIEWER);
    const form = await review(agent, id, { what: 'all' });
    const token = await viewer.token(`${LIST}/${id}`);
    const sent = [
      await viewer.post(`${LIST}/${id}/refund/review`, { ...form, token }),
      await viewer.post(`${LIST}/${open}/capture`, { ...form, token }),
      await viewer.post(`${LIST}/${open}/void`, { ...form, token }),
    ];
    expect(sent.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await viewer.get(`${LIST}/${id}`)).text).not.toContain('/refund"');
    expect((await viewer.get(`${LIST}/${open}`)).text).not.toMatch(/\/(capture|void)"/);
    expect((await agent.get(`${LIST}/${id}`)).text).toContain('/refund"');
    expect((await caller.transaction(id)).childTransactions).toEqual([]);
  });
});

describe('customers', () => {
  const CUSTOMERS = '/console/live/customers';

  it('are found by an email that they paid with, and shown with their payments', async () => {
    const { id } = await caller.paid({ email: 'grace@example.com' });
    const { customerID } = await caller.transaction(id);
    const found = await agent.get(`${CUSTOMERS}?q=grace%40example.com`);
    expect(found.text).toContain(`href="${CUSTOMERS}/${customerID}"`);
    const shown = await agent.get(`${CUSTOMERS}/${customerID}`);
    expect(idsIn(shown)).toEqual([id]);
    expect(shown.text).toContain('•••• 4242');
  });

  it('are changed once by those who saw the same', async () => {
    const { id } = await caller.paid({ email: 'changed@example.com' });
    const path = `${CUSTOMERS}/${(await caller.transaction(id)).customerID}`;
    const seen = hiddenFields(await agent.get(path));
    const changed = { ...seen, email: 'changed@example.com', firstName: 'Grace', lastName: 'H.' };
    expect((await agent.post(path, changed)).status).toBe(303);
    const second = await agent.post(path, { ...changed, firstName: 'Eve' });
    expect(second.status).toBe(409);
    expect(second.text).toContain('value="Eve"');
    expect((await agent.get(path)).text).toContain('value="Grace"');
  });

  it('are erased when their number is typed, by those who may', async () => {
    const { id } = await caller.paid({ email: 'leaving@example.com' });
    const { customerID } = await caller.transaction(id);
    const path = `${CUSTOMERS}/${customerID}`;
    const viewer = await signedIn(VIEWER);
    const token = await viewer.token(path);
    const typed = String(customerID);
    expect((await viewer.post(`${path}/erase`, { token, typed })).status).toBe(403);
    expect((await viewer.get(path)).text).not.toContain(`${path}/erase`);
    const { token: own = '' } = hiddenFields(await agent.get(`${path}/erase`));
    expect((await agent.post(`${path}/erase`, { token: own, typed: '1' })).status).toBe(400);
    expect((await agent.get(path)).text).toContain('leaving@example.com');
    expect((await agent.post(`${path}/erase`, { token: own, typed })).status).toBe(303);
    expect((await agent.get(path)).text).not.toContain('leaving@example.com');
    const late = await agent.get(`${path}/erase`);
    expect(late.text).toContain('is erased already');
    expect(late.text).not.toContain('Erase for good');
  });

  it('that are not there are not found', async () => {
    expect((await agent.get(`${CUSTOMERS}/987654321`)).status).toBe(404);
    expect((await agent.get(`${CUSTOMERS}/987654321/erase`)).status).toBe(404);
    expect((await agent.get(`${CUSTOMERS}?q=987654321`)).text).toContain('No such customer');
  });
});
