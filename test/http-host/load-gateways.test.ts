/** GATEWAYS: modules of gateways beside the sandbox, and what is said of one that cannot be loaded. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandboxGateway } from '@counterfoil/engine/gateways';
import { compose } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { expect, it, onTestFinished } from 'vitest';

const SANDBOX = 1;
const STRIPE = 10;

function configOf(gateways: string) {
  return readConfig({
    GATEWAYS: gateways,
    EVENT_STORE_URL: 'memory:',
    READ_MODEL_URL: 'memory:',
    LOG_LEVEL: 'silent',
    NODE_ENV: 'test',
  });
}

async function idsWith(gateways: string): Promise<readonly number[]> {
  const host = await compose(configOf(gateways));
  onTestFinished(() => host.close());
  return [...host.gateways.ids];
}

function moduleOf(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-gateway-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'gateway.mjs');
  writeFileSync(path, source);
  return path;
}

it('has the sandbox alone, without a variable', async () => {
  expect(await idsWith('')).toEqual([SANDBOX]);
});

it('loads a package by its name', async () => {
  expect(await idsWith(' @counterfoil/gateway-stripe ,')).toEqual([SANDBOX, STRIPE]);
});

it.each([
  ['@counterfoil/no-such-gateway', 'cannot be loaded'],
  ['./no-such-file.mjs', 'cannot be loaded'],
  ['node:path', 'does not export openGateway'],
])('refuses %s: %s', async (name, problem) => {
  await expect(compose(configOf(name))).rejects.toThrow(`GATEWAYS: ${name} ${problem}`);
});

it('refuses a module that makes no gateway', async () => {
  const path = moduleOf('export const openGateway = () => ({ name: "nothing" });');
  await expect(compose(configOf(path))).rejects.toThrow('makes no gateway');
});

it('tells a module that fails from one that cannot be loaded', async () => {
  const path = moduleOf('export function openGateway() { throw new Error("no licence"); }');
  await expect(compose(configOf(path))).rejects.toThrow('cannot be opened: no licence');
});

it('takes the gateways that an embedder gives instead', async () => {
  const gateways = [openSandboxGateway({ path: ':memory:', gatewayId: 5 })];
  const host = await compose(configOf('./never-loaded.mjs'), { gateways });
  onTestFinished(() => host.close());
  expect([...host.gateways.ids]).toEqual([5]);
});
