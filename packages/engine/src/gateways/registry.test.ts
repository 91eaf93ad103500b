/** Gateways are found by id. */
import { expect, it, onTestFinished } from 'vitest';
import { gatewayRegistry } from './registry.ts';
import { openSandboxGateway } from './sandbox/sandbox-gateway.ts';

const BOUNDS = { timeoutMs: 1_000, maxInFlight: 10, logger: { error() {} } };

const open = (gatewayId: number, name: string) =>
  openSandboxGateway({ path: ':memory:', gatewayId, name });

it('finds each gateway by its id, and closes them all', async () => {
  const gateways = [open(1, 'One'), open(2, 'Two')];
  const registry = gatewayRegistry(gateways, BOUNDS);
  expect(registry.gateway(1)).toMatchObject({ gatewayId: 1, name: 'One' });
  expect(registry.gateway(2)).toMatchObject({ gatewayId: 2, name: 'Two' });
  expect(registry.gateways).toEqual(gateways);
  await registry.close();
  for (const gateway of gateways)
    await expect(gateway.findCharge({ idempotencyKey: 'k' })).rejects.toThrow();
});

it('refuses a gateway that is absent', () => {
  expect(() => gatewayRegistry([], BOUNDS).gateway(1)).toThrow('GatewayUnknown {"gatewayId":1}');
});

it('refuses two gateways of one id', async () => {
  const gateways = [open(1, 'One'), open(1, 'Two')];
  expect(() => gatewayRegistry(gateways, BOUNDS)).toThrow('One and Two both claim gateway id 1');
  await Promise.all(gateways.map((gateway) => gateway.close()));
});

it('logs gateways that fail to close, and does not wait for ever', async () => {
  const logged: unknown[] = [];
  const logger = { error: (facts: { gatewayId?: number }) => void logged.push(facts.gatewayId) };
  const stuck = Object.assign(open(1, 'One'), { close: () => new Promise<void>(() => undefined) });
  const failing = Object.assign(open(2, 'Two'), { close: () => Promise.reject(new Error('no')) });
  await gatewayRegistry([stuck, failing], { ...BOUNDS, timeoutMs: 5, logger }).close();
  expect(logged.toSorted()).toEqual([1, 2]);
});

it('counts the calls of each gateway by itself, also of two of one name', async () => {
  const gateways = [open(1, 'Sandbox'), open(2, 'Sandbox')];
  const registry = gatewayRegistry(gateways, BOUNDS);
  onTestFinished(() => registry.close());
  await registry.gateway(2).noticesOf?.('unknown', {} as never);
  const calls = [...registry.counts].map(([name, counts]) => [name, counts.calls]);
  expect(calls).toEqual([
    ['Sandbox', 0],
    ['Sandbox 2', 1],
  ]);
});
