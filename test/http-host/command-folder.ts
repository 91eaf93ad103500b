/** A data folder, commands that are run on it, and hosts; all in this process where nothing else is asked for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, Tenant, type TenantId } from '@counterfoil/core';
import { openSqliteEventStore } from '@counterfoil/event-stores/sqlite';
import { compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { expect, onTestFinished } from 'vitest';
import { type Ran, ranCommand } from '../setup/command-line.ts';

export const USER_EMAIL = 'agent@example.com';

type Variables = Readonly<Record<string, string>>;

export interface Started {
  readonly host: Host;
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Goes with the test. */
export class Folder {
  readonly path: string;

  constructor(name = mkdtempSync(join(tmpdir(), 'counterfoil-cli-'))) {
    this.path = name;
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  get env(): Variables {
    return { DATA_DIR: this.path, PORT: '0', LOG_LEVEL: 'silent' };
  }

  /** Runs a command; variables of the environment may stand behind its words. */
  async run(...line: readonly (string | Variables)[]): Promise<Ran> {
    const words = line.filter((each) => typeof each === 'string');
    const variables = line.filter((each) => typeof each !== 'string');
    return ranCommand(words, Object.assign({}, this.env, ...variables) as Variables);
  }

  /** The output of a command that must succeed. */
  async done(...line: readonly (string | Variables)[]): Promise<string> {
    const ran = await this.run(...line);
    expect(ran, line.join(' ')).toMatchObject({ code: 0, err: '' });
    return ran.out;
  }

  /** What a command with --json came to. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests read results untyped, like a script
  async json(...line: readonly (string | Variables)[]): Promise<any> {
    return JSON.parse(await this.done(...line, '--json'));
  }

  /** What a command prints that is expected to refuse: one line, and no stack. */
  async refused(...line: readonly (string | Variables)[]): Promise<string> {
    const ran = await this.run(...line);
    expect(ran, line.join(' ')).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(/^[^\n]+\n$/);
    return ran.err;
  }

  /** The settings of tenant 1, straight from its events. */
  async settings(): Promise<Tenant.Settings | undefined> {
    const events = await openSqliteEventStore({ path: join(this.path, 'events.db'), follow: true });
    const tenantId = 1 as TenantId;
    try {
      const { state } = await load({ store: events }, Tenant, Tenant.streamOf({ tenantId }));
      return state?.settings;
    } finally {
      await events.close();
    }
  }

  write(name: string, content: string): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }

  /** Starts a host; it ends with the test. */
  async start(variables: Variables = {}): Promise<Started> {
    const host = await compose(readConfig({ ...this.env, ...variables }));
    const stop = () => host.close();
    onTestFinished(stop);
    return { host, url: await host.listen(), stop };
  }
}

export interface Issued {
  readonly id: string;
  readonly key: string;
}

export function issuedIn(out: string): Issued {
  const [, id = '', key = ''] = /^id:\s+(\S+)\nkey: (\S+)$/m.exec(out) ?? [];
  expect(key).toMatch(/^cf_(live|test)_[\w-]{43}$/);
  return { id, key };
}

/** What a host answers to a request with a key of tenant 1. */
export async function statusWith(url: string, { key }: Pick<Issued, 'key'>): Promise<number> {
  const headers = { Authorization: key, ClientId: '1', UserEmail: USER_EMAIL };
  return (await fetch(`${url}/v1/payments`, { headers })).status;
}
