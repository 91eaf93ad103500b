/** What agents do to payments in the console: what cannot be done is said before, in the words of the domain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CARDS,
  CART,
  type Caller,
  card,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { hiddenFields, openUser, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 62;
const OWNER = 'owner@example.com';
const LIST = '/console/live/transactions';

let running: Running;
let caller: Caller;
let owner: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  owner = new Visitor(running.url);
  await owner.signIn(TENANT, OWNER);
});
afterAll(() => running.close());

function ledger() {
  return running.host.engine.as({ tenantId: TENANT, actor: OWNER });
}

function shown(id: string, page: string, query: Record<string, string> = {}): Promise<ShownPage> {
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
  return owner.get(`${LIST}/${id}${page}${search}`);
}

async function authorized(): Promise<string> {
  return (await caller.pay({ capture: false })).body.id;
}

async function chargedBack(id: string): Promise<void> {
  const report = { provider: 'acquirer', reference: `of ${id}`, amount: '100.00' };
  await ledger().disputes.reportChargeback({ ...report, currency: 'GBP', transactionId: id });
}

describe('a refund by item', () => {
  /** 60.00, of which the items are 55.00. */
  const ordered = () =>
    caller.ordered({ amount: 60, items: [{ ...CART[0], Quantity: 1, UnitPrice: 55 }] });

  it('says beside its fields what is left of the order beyond its items', async () => {
    const { id } = await ordered();
    const { text } = await shown(id, '/refund');
    expect(text).toMatch(/id="shipping-hint">At most 5\.00 GBP/);
    expect(text).toMatch(/id="other-hint">At most 5\.00 GBP/);
    const form = hiddenFields(await shown(id, '/refund/review', { what: 'part', shipping: '5' }));
    expect((await owner.post(`${LIST}/${id}/refund/review`, form)).status).toBe(303);
    const after = (await shown(id, '/refund')).text;
    expect(after).toContain('Nothing is left of the order beyond its items');
    expect(after).not.toContain('id="shipping"');
  });

  it.each([
    ['shipping', { shipping: '6' }],
    ['something else', { other: '5.01' }],
    ['both', { shipping: '3', other: '2.01' }],
  ])('of more %s than that is refused before it is sent', async (_, fields) => {
    const { id } = await ordered();
    const page = await shown(id, '/refund/review', { what: 'part', ...fields });
    expect(page.text).toContain('Only 5.00 GBP of the order is left beyond its items');
    expect(hiddenFields(page)['refund']).toBeUndefined();
  });

  it('says what is left beyond the items after it', async () => {
    const { id } = await ordered();
    const { text } = await shown(id, '/refund/review', { what: 'part', shipping: '1' });
    expect(text).toContain(
      '59.00 GBP can still be refunded after that, 4.00 GBP of it beyond the items.',
    );
  });
});

describe('a refund of an amount', () => {
  it('says to enter one where none is, and what is none', async () => {
    const { id } = await caller.paid();
    for (const amount of ['', '5'.repeat(40), 'five '.repeat(100)]) {
      const { status, text } = await shown(id, '/refund/review', { what: 'part', amount });
      expect(status).toBe(200);
      expect(text).toContain('Enter an amount in GBP');
    }
    // Browsers do not send a form that they find wanting: what was said before would stay.
    expect((await shown(id, '/refund')).text).toContain('hx-validate="false"');
  });
});

describe('the way back from the review of a refund', () => {
  const backOf = ({ text }: ShownPage) =>
    (/<a class="button" href="([^"]+)">Back</.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');

  it('keeps what was entered', async () => {
    const { id } = await caller.ordered();
    const entered = { what: 'part', 'quantity-501': '2', other: '1.50', restock: 'yes' };
    for (const query of [entered, { ...entered, 'quantity-501': '99' }]) {
      const { text } = await owner.get(backOf(await shown(id, '/refund/review', query)));
      expect(text).toMatch(/value="part" checked/);
      expect(text).toMatch(new RegExp(`name="quantity-501" value="${query['quantity-501']}"`));
      expect(text).toMatch(/name="restock" value="yes" checked/);
      expect(text).not.toMatch(/name="notify" value="yes" checked/);
    }
    const { id: paid } = await caller.paid();
    const back = backOf(await shown(paid, '/refund/review', { what: 'part', amount: 'ten' }));
    expect((await owner.get(back)).text).toMatch(/id="amount"[^>]*value="ten"/);
    expect((await shown(paid, '/refund')).text).toMatch(/id="amount"[^>]*value="100.00"/);
  });
});

describe('a capture of a part', () => {
  it.each(['0', '100.01', '12,50', '9'.repeat(40)])(
    'that cannot be is asked for again: %s',
    async (amount) => {
      const id = await authorized();
      const page = await shown(id, '/capture', { amount });
      expect(page.text).toContain('<details class="ask" open>');
      expect(page.text).toMatch(
        new RegExp(`id="amount"[^>]*value="${amount}"[^>]*aria-invalid="true"`),
      );
      expect(page.text).toContain('id="amount-problem"');
      expect(hiddenFields(page)['amount']).toBeUndefined();
      expect(page.text).not.toContain('method="post" action="/console/live/transactions');
    },
  );
});

describe('what cannot be done', () => {
  it.each([
    ['a capture', 'of a captured payment', '/capture', () => caller.paid(), 'Captured'],
    ['a capture', 'of a declined one', '/capture', () => declined(), 'Declined'],
    ['a void', 'of a declined one', '/void', () => declined(), 'Declined'],
    ['a refund', 'of a declined one', '/refund', () => declined(), 'Declined'],
    ['a refund', 'of a declined one', '/refund/review?what=all', () => declined(), 'Declined'],
  ])('is said of %s %s, with what happened: %s', async (_, __, page, pay, status) => {
    const { id } = await pay();
    const { status: code, text } = await owner.get(`${LIST}/${id}${page}`);
    expect(code).toBe(200);
    expect(text).toContain(`tatus ${status} `);
    expect(text).toContain(`<span class="badge`);
    expect(text).toContain('What happened last');
    expect(text).not.toContain(`method="post" action="${LIST}`);
    expect(text).not.toContain('What happens<');
    expect(text).not.toContain('captured too long ago');
  });

  async function declined(): Promise<{ id: string }> {
    return (await caller.pay({ card: card(CARDS.doNotHonour) })).body;
  }

  it('is said to the agent who comes second, with who came first', async () => {
    const id = await authorized();
    await ledger().payments.capture(id, { amount: '80' });
    const { text } = await shown(id, '/capture');
    expect(text).toContain('80.00 GBP captured');
    expect(text).toContain(OWNER);
  });

  it('is no void of a payment that was charged back', async () => {
    const { id } = await caller.paid();
    expect((await shown(id, '')).text).toContain(`${id}/void"`);
    await chargedBack(id);
    expect((await shown(id, '')).text).not.toContain(`${id}/void"`);
    const { text } = await shown(id, '/void');
    expect(text).toContain('Money of this payment has been given back');
    expect(text).toContain('Charged back');
    expect(text).not.toContain(`method="post" action="${LIST}`);
  });

  it('is no refund of what a chargeback holds, or what is given back', async () => {
    const { id } = await caller.paid();
    await chargedBack(id);
    expect((await shown(id, '/refund')).text).toContain('A chargeback holds the money');
    const { id: other } = await caller.paid();
    await caller.refund(other);
    expect((await shown(other, '/refund')).text).toContain('Nothing is left to refund');
  });
});

describe('a review that is sent after the session has ended', () => {
  it('is there again, as it was, once the agent has signed in', async () => {
    const id = await authorized();
    const { id: paid } = await caller.paid();
    for (const [payment, path, query] of [
      [paid, '/refund/review', { what: 'part', amount: '12.34', notify: 'yes' }],
      [id, '/capture', { amount: '40' }],
      [id, '/void', {}],
    ] as const) {
      const agent = new Visitor(running.url);
      await agent.signIn(TENANT, OWNER);
      const address = `${LIST}/${payment}${path}`;
      const first = await agent.get(`${address}?${new URLSearchParams(query)}`);
      const main = first.text.slice(first.text.indexOf('<main'));
      const action = /<form method="post" action="([^"]+)"/.exec(main)?.[1] ?? '';
      await agent.submit(address, '/console/sign-out');
      const sent = await agent.post(action.replaceAll('&amp;', '&'), hiddenFields(first));
      const signIn = new URL(sent.location ?? '', running.url);
      expect(signIn.pathname).toBe('/console/sign-in');
      await agent.signIn(TENANT, OWNER);
      const again = await agent.get(signIn.searchParams.get('next') ?? '');
      const { token: _, key: __, ...reviewed } = hiddenFields(again);
      const { token: ___, key: ____, ...before } = hiddenFields(first);
      expect(reviewed).toEqual(before);
      expect(again.text).toContain('What happens<');
    }
  });
});
