/** Timeout and concurrency limit of gateway calls, and the check of their answers. */
import { expect, it } from 'vitest';
import { boundedGateway } from './bounded-gateway.ts';
import { noCalls } from './call-counts.ts';
import { GatewayTimeout, type PaymentGateway } from './payment-gateway.ts';

const CALLS = [
  'tokenize',
  'findToken',
  'charge',
  'confirm',
  'capture',
  'void',
  'refund',
  'findCharge',
  'findFollowUp',
  'noticesOf',
] as const;
type Call = (typeof CALLS)[number];
const LOOKED_UP: readonly Call[] = ['tokenize', 'findToken', 'noticesOf'];

/** An adapter whose calls all do the same and record their arguments. */
function adapter(answer: (signal: AbortSignal) => Promise<unknown>) {
  const signals: AbortSignal[] = [];
  const call = (...given: readonly unknown[]) => {
    const signal = given.at(-1) as AbortSignal;
    signals.push(signal);
    return answer(signal);
  };
  const gateway = { gatewayId: 3, name: 'Acme', close: async () => undefined };
  const calls = Object.fromEntries(CALLS.map((each) => [each, call]));
  return { gateway: { ...gateway, ...calls } as unknown as PaymentGateway, signals };
}

const NUMBER = '4242424242424242';
const DONE = { result: 'done', gatewayTransactionId: 'g1', arn: '', note: '' };

const never = () => new Promise<never>(() => {});

function bounded(gateway: PaymentGateway, maxInFlight = 10) {
  const errors: unknown[] = [];
  const logger = { error: (facts: unknown) => void errors.push(facts) };
  const port = boundedGateway(gateway, { timeoutMs: 5, maxInFlight, logger });
  const call = (name: Call): Promise<unknown> =>
    (port[name] as (...given: unknown[]) => Promise<unknown>).apply(
      port,
      name === 'tokenize' ? [{ number: NUMBER }, ''] : [{}],
    );
  return { call, errors };
}

it.each(CALLS)('%s times out, and aborts the signal of the adapter', async (name) => {
  const { gateway, signals } = adapter(never);
  const ended = bounded(gateway).call(name);
  if (LOOKED_UP.includes(name)) {
    await expect(ended).rejects.toMatchObject({
      code: 'GatewayFailed',
      refusal: { gatewayId: 3 },
      isTransient: true,
    });
  } else await expect(ended).rejects.toThrow(GatewayTimeout);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it('reports a timeout also when the adapter rejects on its signal', async () => {
  const { gateway } = adapter(
    (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('ended'))),
      ),
  );
  await expect(bounded(gateway).call('charge')).rejects.toThrow(GatewayTimeout);
});

it('refuses a call beyond the limit before it is sent', async () => {
  const { gateway, signals } = adapter(never);
  const { call } = bounded(gateway, 2);
  const first = [call('charge'), call('findCharge')];
  for (const name of CALLS) {
    await expect(call(name)).rejects.toMatchObject({ code: 'GatewayBusy', isTransient: true });
  }
  expect(signals).toHaveLength(2);
  for (const each of first) await expect(each).rejects.toThrow(GatewayTimeout);
  await expect(call('charge')).rejects.toThrow(GatewayTimeout);
  expect(signals).toHaveLength(3);
});

it('passes answers on, and names the gateway of a failure', async () => {
  const sound = adapter(async () => DONE);
  expect(await bounded(sound.gateway).call('refund')).toEqual(DONE);
  const failure = new Error('no connection');
  const broken = adapter(() => Promise.reject(failure));
  const { call, errors } = bounded(broken.gateway);
  await expect(call('refund')).rejects.toMatchObject({ refusal: { gatewayId: 3 } });
  expect(errors).toMatchObject([{ err: failure, gatewayId: 3 }]);
});

it('counts calls by how they ended', async () => {
  const counts = noCalls();
  const bounds = { timeoutMs: 5, maxInFlight: 1, logger: { error() {} }, counts };
  const request = {} as never;
  await boundedGateway(adapter(async () => DONE).gateway, bounds).refund(request);
  expect(counts).toMatchObject({ calls: 1, unanswered: 0, failed: 0, inFlight: 0 });
  const silent = boundedGateway(adapter(never).gateway, bounds);
  const waiting = silent.refund(request);
  expect(counts.inFlight).toBe(1);
  await expect(silent.refund(request)).rejects.toMatchObject({ code: 'GatewayBusy' });
  await expect(waiting).rejects.toThrow(GatewayTimeout);
  const broken = adapter(() => Promise.reject(new Error('no connection')));
  await expect(boundedGateway(broken.gateway, bounds).refund(request)).rejects.toThrow();
  expect(counts).toMatchObject({ calls: 4, unanswered: 1, failed: 2, inFlight: 0 });
  expect(counts.tookMs).toBeGreaterThan(4);
});

const RUBBISH = [
  ['null', null],
  ['a text', 'approved'],
  ['an empty object', {}],
  ['another result', { result: 'approved', gatewayTransactionId: 'g1' }],
  ['no id', { result: 'captured' }],
  ['no id', { result: 'done' }],
  ['a wrong type', { result: 'captured', gatewayTransactionId: 5 }],
  ['a wrong note', { ...DONE, note: 5 }],
  ['no hardness', { result: 'declined', declineCode: 'x' }],
  ['a wrong card', { token: 5, fingerprint: '', bin: '', last4: '', expMonth: 1, expYear: 2040 }],
  ['a wrong notice', [{ kind: 'alert', reference: 'r', amountMinor: 1, source: 'RDR' }]],
] as const;

it.each(CALLS)('%s leaves nothing certain when the answer is none', async (name) => {
  const mayBeUndefined = ['findToken', 'findCharge', 'findFollowUp'].includes(name);
  const undef = mayBeUndefined ? [] : ([['undefined', undefined]] as const);
  for (const [, answer] of [...RUBBISH, ...undef]) {
    const { call, errors } = bounded(adapter(async () => answer).gateway);
    const error = await call(name).catch((thrown: unknown) => thrown);
    if (LOOKED_UP.includes(name)) expect(error).toMatchObject({ code: 'GatewayFailed' });
    else expect(error).toBeInstanceOf(GatewayTimeout);
    expect(errors).toMatchObject([
      { gatewayId: 3, err: { message: expect.stringMatching(/^Acme \(gateway 3\) gave no/) } },
    ]);
  }
});

it('fills in what an answer may lack, and leaves out what it has beside', async () => {
  const answered = (name: Call, answer: unknown) =>
    bounded(adapter(async () => answer).gateway).call(name);
  const gatewayTransactionId = 'g1';
  expect(await answered('refund', { result: 'done', gatewayTransactionId, raw: {} })).toEqual(DONE);
  expect(await answered('charge', { result: 'captured', gatewayTransactionId })).toEqual({
    ...DONE,
    result: 'captured',
    authCode: '',
    avsChecked: false,
  });
  const note = 'x'.repeat(1_001);
  expect(await answered('findCharge', { result: 'failed', note })).toEqual({
    result: 'failed',
    note: note.slice(1),
  });
  expect(await answered('findFollowUp', undefined)).toBeUndefined();
});

it('refuses a token that holds the number of the card', async () => {
  const card = { fingerprint: 'f', bin: '424242', last4: '4242', expMonth: 1, expYear: 2040 };
  const tokenize = (token: string) =>
    bounded(adapter(async () => ({ ...card, token })).gateway).call('tokenize');
  expect(await tokenize('tok_1')).toMatchObject({ token: 'tok_1' });
  await expect(tokenize(`tok_${NUMBER}`)).rejects.toMatchObject({ code: 'GatewayFailed' });
});

it('refuses for an adapter that throws before it answers', async () => {
  const { gateway } = adapter(() => {
    throw new Error('no promise');
  });
  for (const name of CALLS) {
    await expect(bounded(gateway).call(name)).rejects.toMatchObject({ code: 'GatewayFailed' });
  }
});
