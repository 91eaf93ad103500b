/** Concurrent callers on one payment, each retrying conflicts under its own key. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Caller, openTenant, type Running, startHost } from './running-host.ts';

const CALLERS = 50;
const MOST_ROUNDS = 20;

let running: Running;
let caller: Caller;

beforeAll(async () => {
  running = await startHost({ onDisk: true });
  caller = await openTenant(running, 17);
});
afterAll(async () => running.close());

/** Repeats whatever was answered with a conflict, as the answer asks its caller to. */
async function untilSettled(ask: (key: string) => Promise<Answer>): Promise<readonly Answer[]> {
  const keys = Array.from({ length: CALLERS }, (_, index) => `racer-${index}`);
  const settled = new Map<string, Answer>();
  for (let round = 0; settled.size < CALLERS && round < MOST_ROUNDS; round += 1) {
    const open = keys.filter((key) => !settled.has(key));
    await Promise.all(
      open.map(async (key) => {
        const answer = await ask(key);
        if (answer.status !== 409) settled.set(key, answer);
      }),
    );
  }
  return keys.flatMap((key) => settled.get(key) ?? []);
}

/** All but what names the request: a repeated refusal carries the id of its own request. */
function textOf({ status, text, body }: Answer): string {
  return `${status} ${text.replace(`"requestId":"${body.requestId}"`, '"requestId":""')}`;
}

it('gives back as often as the amount allows, and answers each key again as before', async () => {
  const { id } = await caller.paid();
  const refund = (key: string) =>
    caller.post('/v1/payments/{id}/refund', {
      path: { id },
      body: { amount: 7 },
      headers: { 'Idempotency-Key': key },
    });
  const answers = await untilSettled(refund);
  const paid = answers.filter(({ status }) => status === 201);
  expect(answers).toHaveLength(CALLERS);
  expect(paid).toHaveLength(14);
  expect(new Set(paid.map(({ body }) => body.id)).size).toBe(14);
  for (const { status, body } of answers) {
    if (status !== 201) expect([status, body.code]).toEqual([400, 'refund_exceeds_refundable']);
  }
  const { body } = await caller.get('/v1/payments/{id}', { path: { id } });
  expect(body).toMatchObject({ refundedAmount: 98, pendingRefundAmount: 0, refundableAmount: 2 });
  const again = await untilSettled(refund);
  for (const { body, headers } of again.filter(({ status }) => status !== 201)) {
    expect(body.requestId).toBe(headers.get('x-request-id'));
  }
  expect(again.map(textOf)).toEqual(answers.map(textOf));
});
