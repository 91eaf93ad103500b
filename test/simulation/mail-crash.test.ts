/** kill -9 while emails are accepted and delivered: each arrives, and a duplicate has the same id. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Answer, Api, present } from '../e2e/api.ts';
import { MailServer, type TakenMail } from '../e2e/mail-server.ts';
import { Dice } from './dice.ts';
import { KilledHost } from './killed-host.ts';

const SEED = Number(process.env['FC_SEED']);
const ROUNDS = 6;
const REFUNDS_A_ROUND = 8;
const EMAILS_A_ROUND = 8;
const RECEIPTS = 'receipts@shop.example';
const POST = 'post@shop.example';
const POLLING = { timeout: 60_000, interval: 25 };
const HOOK_MS = 60_000;

let server: MailServer;
let host: KilledHost;
let tenantKey = '';
/** The emails that each key was answered with. */
const accepted = new Map<string, Set<string>>();

beforeAll(async () => {
  server = await MailServer.start();
  const from = `Receipts <${RECEIPTS}>`;
  host = new KilledHost({ env: { SMTP_URL: server.url, MAIL_FROM: from } });
  await host.onboard();
  await host.start();
  const domain = await host.caller.post('/api/admin/senderdomains', {
    body: { domain: 'shop.example' },
  });
  expect(domain.status, JSON.stringify(domain.body)).toBe(201);
  const made = await host.caller.post('/api/admin/keys', { body: { kind: 'tenant' } });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  tenantKey = made.body.item.key;
}, HOOK_MS);
afterAll(async () => {
  await host.remove();
  await server.close();
}, HOOK_MS);

it('a host killed while it mails loses no mail, and repeats it under the same id', async () => {
  const dice = new Dice(SEED);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { promise: dead, resolve: tellDead } = Promise.withResolvers<void>();
    let before = dice.roll(REFUNDS_A_ROUND + EMAILS_A_ROUND);
    server.onOffer = async () => {
      before -= 1;
      // The server has all of the mail, and the host does not know it yet.
      if (before >= 0) return;
      server.onOffer = () => {};
      await host.kill();
      tellDead();
    };
    await Promise.all([refunds(REFUNDS_A_ROUND), emails(round)]);
    await dead;
    await host.start();
    // The callers do not know which of theirs were accepted.
    await emails(round);
  }
  const refunded = await vi.waitUntil(async () => {
    const { requested, done } = await refundsOfLog();
    const isSettled = requested.length === done.length && (await queued()) === 0;
    return isSettled && ids(RECEIPTS).size >= done.length ? done : undefined;
  }, POLLING);
  expect(refunded.length).toBeGreaterThan(ROUNDS);
  const references = [...ids(RECEIPTS).values()].map(referenceOf);
  expect(references.toSorted()).toEqual(refunded.toSorted());
  expect(accepted.size).toBe(ROUNDS * EMAILS_A_ROUND);
  const named = [...accepted].map(([key, [id, ...others]]) => [key, id, others.length]);
  const arrived = [...ids(POST)].map(([id, [mail]]) => [mail?.parsed.subject, id?.slice(1, 37), 0]);
  expect(arrived.toSorted()).toEqual(named.toSorted());
  const ends = await Promise.all(
    [...accepted.values()].map(async ([id]) =>
      bodyOf(await mailer().get('/api/email/{id}', { path: { id: present(id) } })),
    ),
  );
  expect(new Set(ends.map(({ email }) => email.status))).toEqual(new Set(['sent']));
  // One for each death: the server had it, and was asked to take it once more.
  expect(server.mails.length).toBeGreaterThanOrEqual(refunded.length + accepted.size + ROUNDS);
  expect(host.faults).toEqual([]);
}, 300_000);

/** What has arrived from a sender, by its id. */
function ids(sender: string): Map<string | undefined, TakenMail[]> {
  const mails = server.mails.filter(({ from }) => from === sender);
  return Map.groupBy(mails, ({ parsed }) => parsed.messageId);
}

/** Submits those of a round, each under its key; some get no answer, for the host dies on the way. */
async function emails(round: number): Promise<void> {
  const submit = async (index: number): Promise<void> => {
    const idempotencyKey = `${round}-${index}`;
    const email = { from: POST, to: `ann${index}@example.com`, subject: idempotencyKey };
    const template = { templateType: 'string', templateContent: 'Hello' } as const;
    const body = { ...email, ...template, idempotencyKey };
    const { id } = bodyOf(await mailer().post('/api/email', { body }));
    accepted.set(idempotencyKey, (accepted.get(idempotencyKey) ?? new Set()).add(id));
  };
  await Promise.allSettled(Array.from({ length: EMAILS_A_ROUND }, (_, index) => submit(index)));
}

function mailer(): Api {
  return new Api({ url: () => host.url, headers: { 'X-Tenant-Key': tenantKey } });
}

function bodyOf<Body>({ status, text, body }: Answer<Body>): Body {
  if (status >= 400) throw new Error(text);
  return body;
}

/** The refund that a mail, and each repetition of it, is about. */
function referenceOf(mails: readonly TakenMail[]): string {
  const references = mails.map(({ parsed }) => /^Reference: (\S+)$/m.exec(parsed.text ?? '')?.[1]);
  expect(new Set(references).size).toBe(1);
  return references[0] ?? '';
}

/** Pays and asks for refunds; some get no answer, for the host dies on the way. */
async function refunds(count: number): Promise<void> {
  const { caller } = host;
  const refund = async (): Promise<void> => {
    const payment = {
      amount: 100,
      currency: 'GBP',
      card: { number: '4242424242424242', expMonth: 12, expYear: 2039, cvv: '737' },
      email: 'ann@example.com',
      applicationId: 1,
    };
    const paid = await caller.post('/v1/payments', { body: payment });
    const about = { messageId: paid.body.id, sendUserCommunication: true };
    await caller.post('/customerapi/refund', { body: { ...caller.claims, ...about } });
  };
  await Promise.allSettled(Array.from({ length: count }, refund));
}

interface Refunds {
  readonly requested: readonly string[];
  readonly done: readonly string[];
}

/** The refunds of the log, by id. */
async function refundsOfLog(): Promise<Refunds> {
  return host.beside(async ({ events }) => {
    const ids = new Map<string, string[]>();
    for await (const batch of events.subscribe({ untilHead: true })) {
      for (const { type, data } of batch) {
        if (!type.startsWith('Refund')) continue;
        ids.set(type, [...(ids.get(type) ?? []), JSON.parse(data).refundId]);
      }
    }
    return { requested: ids.get('RefundRequested') ?? [], done: ids.get('Refunded') ?? [] };
  });
}

async function queued(): Promise<number> {
  const text = await (await fetch(`${host.url}/metrics`)).text();
  return Number(/^mails_queued (\d+)$/m.exec(text)?.[1]);
}
