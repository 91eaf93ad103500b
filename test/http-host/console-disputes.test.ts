/** Disputes in the console: the queue, files of evidence, and answers that are given once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  type Json,
  openTenant,
  type Running,
  startHost,
} from '../e2e/running-host.ts';
import { hiddenFields, openUser, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 58;
const WORKER = 'disputes@example.com';
const VIEWER = 'viewer@example.com';
const AGENT = 'agent@example.com';
const QUEUE = '/console/live/disputes';

let running: Running;
let caller: Caller;
let worker: Visitor;
let viewer: Visitor;

beforeAll(async () => {
  running = await startHost();
  caller = await openTenant(running, TENANT);
  for (const [email, roleId] of [
    [WORKER, 'disputes'],
    [VIEWER, 'viewer'],
    [AGENT, 'agent'],
  ] as const) {
    await openUser(running, TENANT, { email, roleIds: [roleId] });
  }
  worker = await signedIn(WORKER);
  viewer = await signedIn(VIEWER);
});
afterAll(() => running.close());

async function signedIn(email: string): Promise<Visitor> {
  const visitor = new Visitor(running.url);
  await visitor.signIn(TENANT, email);
  return visitor;
}

function disputes() {
  return running.host.engine.as({ tenantId: TENANT, actor: WORKER }).disputes;
}

let reports = 0;

/** The id of a dispute of 100.00 GBP, on a payment of its own unless `more` names another place. */
async function disputed(kind: 'chargeback' | 'alert', more: Json = {}): Promise<string> {
  reports += 1;
  const transactionId = more.orderId === undefined ? (await caller.paid()).id : undefined;
  const report = {
    provider: 'acquirer',
    reference: `report-${reports}`,
    amount: '100.00',
    currency: 'GBP',
    ...(transactionId !== undefined && { transactionId }),
    ...more,
  };
  const alert = { ...report, type: 'CustomerDispute', source: 'AlertProvider' } as const;
  const { disputeId } =
    kind === 'alert'
      ? await disputes().reportAlert(alert)
      : await disputes().reportChargeback(report);
  return disputeId;
}

const statusOf = async (id: string) => (await disputes().get(id)).dispute.status;

async function answer(id: string, name: string, fields: Record<string, string> = {}) {
  const path = `${QUEUE}/${id}/${name}`;
  const form = { ...hiddenFields(await worker.get(path)), ...fields };
  return { path, form, answer: await worker.post(path, form) };
}

describe('the queue', () => {
  it('has what waits, the nearest deadline first', async () => {
    const later = await disputed('chargeback', { respondBy: '2999-01-02T00:00:00.000Z' });
    const sooner = await disputed('chargeback', { respondBy: '2999-01-01T00:00:00.000Z' });
    const { text } = await worker.get(`${QUEUE}?kind=chargeback`);
    const places = [sooner, later].map((id) => text.indexOf(`href="${QUEUE}/${id}"`));
    expect(places[0]).toBeGreaterThan(0);
    expect(places[1]).toBeGreaterThan(places[0] ?? 0);
  });

  it('is narrowed by status and kind, and goes on from page to page', async () => {
    const alert = await disputed('alert');
    const idsIn = ({ text }: ShownPage) =>
      [...text.matchAll(/href="[^"]+\/disputes\/([0-9a-f-]{36})"/g)].map(([, id = '']) => id);
    expect(idsIn(await worker.get(`${QUEUE}?kind=chargeback`))).not.toContain(alert);
    expect(idsIn(await worker.get(`${QUEUE}?dueBy=2000-01-01`))).not.toContain(alert);
    expect(idsIn(await worker.get(`${QUEUE}?dueBy=2999-01-01`))).toContain(alert);
    expect(idsIn(await worker.get(`${QUEUE}?merchantAccountId=999999`))).toEqual([]);
    expect(idsIn(await worker.get(`${QUEUE}?status=AlertOpen`))).toContain(alert);
    expect(idsIn(await worker.get(`${QUEUE}?status=AlertExpired`))).toEqual([]);
    expect((await worker.get(`${QUEUE}?status=Lost`)).status).toBe(400);
    for (let more = 0; more < 25; more += 1)
      await disputed('chargeback', { orderId: 90_000 + more });
    const first = await worker.get(`${QUEUE}?status=Unmatched`);
    await disputed('chargeback', { orderId: 80_000 });
    expect(idsIn(first)).toHaveLength(25);
    const all = await worker.get(QUEUE);
    const next = /rel="next" href="([^"]+)"/.exec(all.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = idsIn(await worker.get(next));
    expect(second.length).toBeGreaterThan(0);
    expect(second.filter((id) => idsIn(all).includes(id))).toEqual([]);
  });

  it('is for those who may read it, and answers are for those who may give them', async () => {
    const id = await disputed('chargeback');
    expect((await (await signedIn(AGENT)).get(QUEUE)).status).toBe(403);
    const { status, text } = await viewer.get(`${QUEUE}/${id}`);
    expect(status).toBe(200);
    expect(text).not.toContain(`${QUEUE}/${id}/`);
    for (const page of ['accept', 'represent', 'refund', 'decline', 'match']) {
      expect((await viewer.get(`${QUEUE}/${id}/${page}`)).status, page).toBe(403);
    }
    const token = await viewer.token(QUEUE);
    expect((await viewer.upload(`${QUEUE}/${id}/evidence`, { token })).status).toBe(403);
  });

  it('has no dispute of the other data', async () => {
    const { id: transactionId } = await caller.paid({ sandbox: true });
    const id = await disputed('chargeback', { transactionId, sandbox: true });
    expect((await worker.get(`${QUEUE}/${id}`)).status).toBe(404);
    expect((await worker.get(`/console/test/disputes/${id}`)).status).toBe(200);
  });
});

describe('a chargeback', () => {
  it('is represented once, with the files that are ticked and what is said', async () => {
    const id = await disputed('chargeback');
    const page = `${QUEUE}/${id}`;
    for (const [name, content] of [
      ['receipt.txt', 'Delivered on 3 March'],
      ['other.txt', 'Of another order'],
    ] as const) {
      const token = await worker.token(page);
      const file = new File([content], name);
      expect((await worker.upload(`${page}/evidence`, { token }, { file })).status).toBe(303);
    }
    const { files } = (await disputes().get(id)).evidence;
    expect(files.map(({ name }) => name)).toEqual(['receipt.txt', 'other.txt']);
    const digests = files[0]?.digest ?? '';
    const explanation = 'Delivered:\r\n\r\n  signed for\r\n';
    const given = { digests, explanation, trackingNumber: 'AB 12', note: 'Sent to the bank' };
    const said = { explanation: 'Delivered: signed for', trackingNumber: 'AB 12' };
    const { path, form } = await answer(id, 'represent', given);
    expect(await statusOf(id)).toBe('ChargebackUnderReview');
    const { evidence } = await disputes().get(id);
    expect(evidence.fields).toEqual(said);
    expect((await worker.post(path, { ...form, trackingNumber: 'CD 34' })).status).toBe(303);
    expect((await disputes().get(id)).evidence.fields).toEqual(said);
    const { text } = await worker.get(page);
    const handedIn = text.slice(text.indexOf('<h3>Handed in'));
    expect(handedIn).toContain('<dt>Tracking number</dt><dd class="long">AB 12</dd>');
    expect(handedIn).toContain('<dt>What happened</dt><dd class="long">Delivered: signed for</dd>');
    expect(handedIn).toContain('<dt>Files</dt><dd class="long">receipt.txt</dd>');
  });

  it.each([
    ['no file and no text', false, {}],
    ['a text of spaces', false, { explanation: ' \r\n ', note: 'For ourselves' }],
    ['a file that is not ticked', true, {}],
  ])('is not represented with nothing: %s', async (_, hasFile, given) => {
    const id = await disputed('chargeback');
    if (hasFile) {
      const content = Buffer.from('Delivered on 3 March');
      await disputes().keepEvidence(id, { name: 'receipt.txt', content });
    }
    const { status, text } = (await answer(id, 'represent', given)).answer;
    expect(status).toBe(400);
    expect(text).toContain('<a href="#explanation">There is nothing to hand in');
    expect(text).toContain('id="explanation-problem"');
    const { dispute, evidence } = await disputes().get(id);
    expect([dispute.status, evidence.submittedAt]).toEqual(['ChargebackOpen', null]);
  });

  it('on top of a refund is represented with the refund alone', async () => {
    const { id: transactionId } = await caller.paid();
    await caller.refund(transactionId);
    const id = await disputed('chargeback', { transactionId });
    expect((await answer(id, 'represent')).answer.status).toBe(303);
    const { text } = await worker.get(`${QUEUE}/${id}`);
    expect(text).toContain('<dt>Refunds before the chargeback</dt>');
    expect(text).toContain('<dt>Files</dt><dd class="long">None.</dd>');
  });

  it('takes no file that is none, and says so', async () => {
    const id = await disputed('chargeback');
    const page = `${QUEUE}/${id}`;
    const token = await worker.token(page);
    const none = await worker.upload(`${page}/evidence`, { token });
    expect(none.status).toBe(400);
    expect(none.text).toContain('Choose a file');
    const file = new File([new Uint8Array([0, 1, 2, 255])], 'program.exe');
    expect((await worker.upload(`${page}/evidence`, { token }, { file })).status).toBe(400);
    const large = new File([new Uint8Array(6 * 2 ** 20)], 'large.txt');
    const { status } = await worker.upload(`${page}/evidence`, { token }, { file: large });
    expect(status).toBe(413);
    expect((await disputes().get(id)).evidence.files).toEqual([]);
  });

  it('takes no file of a visitor who is not signed in', async () => {
    const id = await disputed('chargeback');
    const file = new File(['text'], 'a.txt');
    const visitor = new Visitor(running.url);
    const { status } = await visitor.upload(`${QUEUE}/${id}/evidence`, { token: 'a' }, { file });
    expect(status).toBe(403);
  });

  it('is accepted once, in words', async () => {
    const id = await disputed('chargeback');
    expect((await worker.get(`${QUEUE}/${id}/accept`)).text).toContain('given up for good');
    const { path, form, answer: first } = await answer(id, 'accept', { note: 'Not worth it' });
    expect(first.status).toBe(303);
    expect(await statusOf(id)).toBe('ChargebackAccepted');
    expect((await worker.post(path, form)).status).toBe(303);
    expect((await disputes().get(id)).dispute.note).toBe('Not worth it');
    expect((await worker.get(path)).text).toContain('Nothing to do: chargeback accepted');
  });

  it('is not answered by a page that is out of date', async () => {
    const id = await disputed('chargeback');
    const form = hiddenFields(await worker.get(`${QUEUE}/${id}/represent`));
    await answer(id, 'accept');
    const { status, text } = await worker.post(`${QUEUE}/${id}/represent`, form);
    expect(status).toBe(409);
    expect(text).toContain('Somebody else has changed the dispute');
    expect(await statusOf(id)).toBe('ChargebackAccepted');
  });
});

describe('an alert', () => {
  it('is refunded once, however often its form is sent', async () => {
    const id = await disputed('alert');
    const path = `${QUEUE}/${id}/refund`;
    const form = hiddenFields(await worker.get(path));
    const answers = await Promise.all([worker.post(path, form), worker.post(path, form)]);
    answers.push(await worker.post(path, form));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(await statusOf(id)).toBe('AlertResolved');
    const { transactionId } = (await disputes().get(id)).dispute;
    const { refunds } = (
      await running.host.engine
        .as({ tenantId: TENANT, actor: WORKER })
        .payments.get(transactionId ?? '')
    ).payment;
    expect(refunds).toHaveLength(1);
  });

  it('is declined', async () => {
    const id = await disputed('alert');
    expect((await answer(id, 'decline')).answer.status).toBe(303);
    expect(await statusOf(id)).toBe('AlertDeclined');
  });
});

describe('a report without a payment', () => {
  it('is matched by hand', async () => {
    const id = await disputed('chargeback', { orderId: 70_001 });
    const { id: transactionId } = await caller.paid();
    const page = await worker.get(`${QUEUE}/${id}`);
    expect(page.text).toContain('No payment found');
    expect((await answer(id, 'match', { transactionId: 'none' })).answer.status).toBe(400);
    expect((await answer(id, 'match', { transactionId })).answer.status).toBe(303);
    expect(await statusOf(id)).toBe('ChargebackOpen');
  });
});
