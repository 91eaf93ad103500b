/** Two hosts on one log and one PostgreSQL, and callers of both. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '@counterfoil/engine';
import { type Engine, newStores } from './engines.ts';
import { Caller, openTenant, type Running, startHost, type TenantOptions } from './running-host.ts';

/** The engines of a log that several hosts can share. */
export const SHARED_ENGINES = ['postgres', 'eventstoredb'] as const satisfies readonly Engine[];

export interface TwoHostsOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Where the log lines of both hosts go. */
  readonly lines?: string[];
}

export class TwoHosts {
  /** What both have in common: their stores, and their key. */
  readonly env: Readonly<Record<string, string>>;
  readonly #options: TwoHostsOptions;
  readonly #release: () => Promise<void>;
  #hosts: Running[] = [];

  private constructor(
    env: Readonly<Record<string, string>>,
    options: TwoHostsOptions,
    release: () => Promise<void>,
  ) {
    this.env = env;
    this.#options = options;
    this.#release = release;
  }

  /** On an empty log; the first to start is the one that leads. */
  static async start(engine: Engine, options: TwoHostsOptions = {}): Promise<TwoHosts> {
    const { env, release } = await newStores(engine);
    const masterKey = randomBytes(32).toString('base64');
    const both = new TwoHosts({ ...env, MASTER_KEY: masterKey, ...options.env }, options, release);
    await both.add();
    await both.add();
    return both;
  }

  get first(): Running {
    return this.#at(0);
  }

  get second(): Running {
    return this.#at(1);
  }

  #at(index: number): Running {
    const running = this.#hosts[index];
    if (running === undefined) throw new Error('that host does not run');
    return running;
  }

  /** Another host with a new data folder. */
  async add(): Promise<Running> {
    const { clock, lines } = this.#options;
    const running = await startHost({
      env: this.env,
      ...(clock !== undefined && { clock }),
      ...(lines !== undefined && { lines }),
      onDisk: true,
    });
    this.#hosts.push(running);
    return running;
  }

  /** Ends the first host; the second takes its place. */
  async closeFirst(): Promise<void> {
    await this.#hosts.shift()?.close();
  }

  /** The same agent of a new tenant at either host. */
  async openTenant(id: number, options: TenantOptions = {}): Promise<readonly [Caller, Caller]> {
    const caller = await openTenant(this.first, id, options);
    return [caller, atHost(this.second, caller)];
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((running) => running.close()));
    await this.#release();
  }
}

/** The same agent at another host. */
export function atHost({ url }: { readonly url: string }, { tenantId, key }: Caller): Caller {
  return new Caller(url, tenantId, key);
}

/** Concurrent requests, alternating between the hosts. */
export function spread<Result>(
  callers: readonly [Caller, Caller],
  count: number,
  ask: (caller: Caller, index: number) => Promise<Result>,
): Promise<Result[]> {
  const turns = Array.from({ length: count }, (_, index) => index);
  return Promise.all(turns.map((index) => ask(callers[index % 2 === 0 ? 0 : 1], index)));
}
