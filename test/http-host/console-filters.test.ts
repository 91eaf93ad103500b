/** Filters and fields of the console that cannot be: said in the words of their labels, with nothing lost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { hiddenFields, openUser, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 64;
const ACCOUNT = 641;
const OWNER = 'owner@example.com';
const CONSOLE = '/console/live';

let running: Running;
let owner: Visitor;

beforeAll(async () => {
  running = await startHost();
  await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  owner = new Visitor(running.url);
  await owner.signIn(TENANT, OWNER);
});
afterAll(() => running.close());

/** What stands in the alert of a page. */
function said({ text }: ShownPage): string {
  const [, alert = ''] = /<div class="problems"[^>]*>([\s\S]*?)<\/div>/.exec(text) ?? [];
  return alert.replaceAll(/<[^>]*>/g, '').trim();
}

const long = 'a'.repeat(321);

describe('a filter that cannot be', () => {
  it.each([
    ['leads?email=ann', 'Email must be an email address'],
    ['mails?to=ann', 'To must be an email address'],
    ['activity?dateFrom=soon', 'From must be '],
    ['activity?dateFrom=2026-02-02&dateTo=2026-01-01', 'From must not be after the last day'],
    ['leads?status=lost', 'State must be '],
    ['mails?kind=poem', 'Kind must be '],
    [`customers?q=${long}`, 'The search must have at most 320 characters'],
    [`subscriptions?q=${long}`, 'The search must have at most 320 characters'],
    [`transactions?q=${long}`, 'The search must have at most 320 characters'],
    ['transactions?dateFrom=2026-02-02&dateTo=2026-01-01', 'From must not be after the last day'],
    ['subscriptions?status=lost', 'State must be '],
    ['disputes?merchantAccountId=none', 'Merchant account must be an integer'],
    ['settlements?merchantAccountId=none', 'Merchant account must be an integer'],
    ['settlements?settlementId=none', 'Import must be '],
    ['settlements?after=MQ', 'The address names no page of this list'],
    ['settlements/imports?merchantAccountId=none', 'Merchant account must be an integer'],
    ['ledger?currency=pounds', 'Currency must have at most 3 characters'],
    ['ledger/accounts?merchantAccountId=none', 'Merchant account must be an integer'],
    ['ledger/account?account=sales&currency=GBP&from=soon', 'From must be '],
    [`ledger/statement?merchantAccountId=${ACCOUNT}&month=soon`, 'Month must be '],
    [`ledger/entries?merchantAccountId=${ACCOUNT}&month=soon`, 'Month must be '],
    ['customers?after=MQ', 'The address names no page of this list'],
    ['leads?after=MQ', 'The address names no page of this list'],
    ['transactions?after=MQ', 'The address names no page of this list'],
  ])('of %s is said in words, above the list', async (address, words) => {
    const page = await owner.get(`${CONSOLE}/${address}`);
    expect(said(page)).toContain(words);
    expect(page.text).toContain('aria-current="page"');
    expect(page.text).toContain('<form method="get"');
  });

  it('keeps what was typed and the others', async () => {
    const leads = await owner.get(`${CONSOLE}/leads?email=ann&sessionId=visit-7`);
    expect(leads.status).toBe(400);
    expect(leads.text).toMatch(/id="email"[^>]*value="ann"[^>]*aria-invalid="true"/);
    expect(leads.text).toContain('id="email-problem"');
    expect(leads.text).toContain('value="visit-7"');
    const mails = await owner.get(`${CONSOLE}/mails?to=ann&status=sent`);
    expect(mails.text).toMatch(/id="to"[^>]*value="ann"/);
    expect(mails.text).toContain('value="sent" selected');
  });

  it.each([
    ['overview?by=year', 'By must be ', 'href="#by"', 'id="by"'],
    ['overview?to=soon', 'To must be ', 'href="#to"', 'id="to"'],
    [
      'transactions/unanswered?after=MQ',
      'The address names no page',
      'Every payment has its answer',
    ],
  ])('of %s is said above what is shown without it', async (address, words, ...shown) => {
    const page = await owner.get(`${CONSOLE}/${address}`);
    expect(page.status).toBe(400);
    expect(said(page)).toContain(words);
    for (const each of shown) expect(page.text).toContain(each);
  });

  it('of ids and months stays as it was typed, beside what is wrong with it', async () => {
    for (const [address, id, value] of [
      ['settlements?merchantAccountId=none', 'merchantAccountId', 'none'],
      [`ledger/statement?merchantAccountId=${ACCOUNT}&month=soon`, 'month', 'soon'],
      ['ledger/accounts?currency=pounds', 'currency', 'pounds'],
    ] as const) {
      const { text } = await owner.get(`${CONSOLE}/${address}`);
      expect(text).toMatch(new RegExp(`id="${id}"[^>]*value="${value}"[^>]*aria-invalid="true"`));
      expect(text).toContain(`id="${id}-problem"`);
    }
  });

  it('is refused of a file', async () => {
    expect((await owner.get(`${CONSOLE}/leads.csv?email=ann`)).status).toBe(400);
  });
});

describe('a field that cannot be', () => {
  it('is named by its label', async () => {
    const edit = `${CONSOLE}/merchant-accounts/${ACCOUNT}/edit`;
    const send = async (fields: Record<string, string>) => {
      const { text } = await owner.get(edit);
      const shown = [...text.matchAll(/<input id="(\w+)" name="\w+" type="text" value="([^"]*)"/g)];
      const typed = Object.fromEntries(shown.map(([, name = '', value = '']) => [name, value]));
      return owner.post(edit, { ...typed, ...hiddenFields({ text } as ShownPage), ...fields });
    };
    expect(said(await send({ maxPrice: '-1' }))).toMatch(/^Largest payment must be /);
    expect(said(await send({ companyId: '99' }))).toBe('There is no company 99');
    expect(said(await send({ chargebackFee: '1.234' }))).toMatch(/^Chargeback has more decimals/);
  });
});

describe('a card number', () => {
  const NUMBER = '4242424242424242';

  it('in a filter or a field is refused within the console, with the way back, and not repeated', async () => {
    const edit = `${CONSOLE}/merchant-accounts/${ACCOUNT}/edit`;
    const searched = await owner.get(`${CONSOLE}/transactions?q=${NUMBER}`);
    const typed = await owner.post(edit, { ...hiddenFields(await owner.get(edit)), mid: NUMBER });
    for (const [page, back, words] of [
      [searched, `${CONSOLE}/transactions`, 'The search must not hold a card number'],
      [typed, edit, 'MID must not hold a card number'],
    ] as const) {
      expect(page.status).toBe(400);
      expect(page.text).toContain('aria-label="Sections"');
      expect(page.text).toContain(words);
      expect(page.text).toContain(`href="${back}">Back to the page`);
      expect(page.text).not.toContain(NUMBER);
    }
  });

  it('tells those who are not signed in nothing more', async () => {
    const { status, text } = await new Visitor(running.url).get(`${CONSOLE}/leads?email=${NUMBER}`);
    expect(status).toBe(400);
    expect(text).not.toContain('aria-label="Sections"');
    expect(text).not.toContain(NUMBER);
  });
});
