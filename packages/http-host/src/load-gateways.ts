/** Loads the gateways that GATEWAYS names, by module. */
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@counterfoil/engine';
import type { PaymentGateway } from '@counterfoil/engine/gateways';

/** What a module of GATEWAYS exports. Nothing of the host is given to it but whether it is production. */
export type OpenGateway = (options: {
  readonly production: boolean;
}) => PaymentGateway | Promise<PaymentGateway>;

interface Named {
  /** Packages, as they are installed beside the host or in the working folder; or paths from there. */
  readonly gatewayModules: readonly string[];
  readonly production: boolean;
}

/** Throws a ConfigError that names the module, and why it cannot be loaded. */
export async function loadGateways(
  { gatewayModules, production }: Named,
  folder: string,
): Promise<readonly PaymentGateway[]> {
  const opened: PaymentGateway[] = [];
  for (const name of gatewayModules) {
    const module = await imported(name, folder);
    const open = module['openGateway'];
    if (typeof open !== 'function') throw problem(`${name} does not export openGateway`);
    opened.push(gatewayIn(await opening(name, open as OpenGateway, production), name));
  }
  return opened;
}

async function imported(name: string, folder: string): Promise<Record<string, unknown>> {
  try {
    if (/^[./]/.test(name)) return await import(pathToFileURL(resolve(folder, name)).href);
    return await import(addressOf(name, folder));
  } catch (error) {
    throw problem(`${name} cannot be loaded: ${textOf(error)}`);
  }
}

/** Installed beside the host, or else in the working folder. */
function addressOf(name: string, folder: string): string {
  try {
    return import.meta.resolve(name);
  } catch {
    return pathToFileURL(createRequire(join(folder, 'here.js')).resolve(name)).href;
  }
}

async function opening(name: string, open: OpenGateway, production: boolean): Promise<unknown> {
  try {
    return await open({ production });
  } catch (error) {
    throw problem(`${name} cannot be opened: ${textOf(error)}`);
  }
}

function gatewayIn(given: unknown, name: string): PaymentGateway {
  const gateway = given as Partial<PaymentGateway> | undefined;
  const isGateway =
    Number.isSafeInteger(gateway?.gatewayId) &&
    typeof gateway?.name === 'string' &&
    typeof gateway.charge === 'function';
  if (!isGateway) throw problem(`openGateway of ${name} makes no gateway`);
  return gateway as PaymentGateway;
}

function problem(text: string): ConfigError {
  return new ConfigError([`GATEWAYS: ${text}`]);
}

/** One line: what is required from where is below it. */
function textOf(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line;
}
