/** Timeout and concurrency limit of gateway calls. */
import { expect, it } from 'vitest';
import { boundedGateway } from './bounded-gateway.ts';
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

const never = () => new Promise<never>(() => {});

function bounded(gateway: PaymentGateway, maxInFlight = 10) {
  const errors: unknown[] = [];
  const logger = { error: (facts: unknown) => void errors.push(facts) };
  const port = boundedGateway(gateway, { timeoutMs: 5, maxInFlight, logger });
  const call = (name: Call): Promise<unknown> =>
    (port[name] as (...given: unknown[]) => Promise<unknown>).apply(
      port,
      name === 'tokenize' ? [{}, ''] : [{}],
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
  const sound = adapter(async () => 'answer');
  expect(await bounded(sound.gateway).call('refund')).toBe('answer');
  const failure = new Error('no connection');
  const broken = adapter(() => Promise.reject(failure));
  const { call, errors } = bounded(broken.gateway);
  await expect(call('refund')).rejects.toMatchObject({ refusal: { gatewayId: 3 } });
  expect(errors).toMatchObject([{ err: failure, gatewayId: 3 }]);
});
