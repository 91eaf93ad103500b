/** A host with a mail server beside it, and a clock that the test moves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Tenant } from '@counterfoil/core';
import { expect, onTestFinished } from 'vitest';
import { MailServer, type MailServerOptions } from './mail-server.ts';
import {
  Caller,
  eventually,
  type Json,
  openTenant,
  type Running,
  startHost,
  type TenantOptions,
} from './running-host.ts';

export const TENANT = 21;
export const FROM = '"Receipts, Crockery" <receipts@crockery.example>';
export const BEGIN = Date.parse('2026-01-10T12:00:00.000Z');
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const CONFIRMED = { sendUserCommunication: true };

export interface PostOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly smtp?: MailServerOptions['smtp'];
  readonly settings?: Partial<Tenant.Settings>;
  readonly scheme?: 'smtp' | 'smtps';
  readonly host?: string;
  /** The credentials in SMTP_URL. */
  readonly user?: string;
  readonly account?: TenantOptions['account'];
  /** false: the host's own clock. */
  readonly ownClock?: boolean;
  /** Where the host's log lines go. */
  readonly lines?: string[];
}

/** The host of a test, its mail server, and a caller. */
export class Post {
  nowMs = BEGIN;
  server!: MailServer;
  running!: Running;
  caller!: Caller;
  readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-mail-'));
  readonly clock = { now: () => new Date(this.nowMs).toISOString() };
  #env: Readonly<Record<string, string>> = {};
  #lines: string[] | undefined;
  #ownClock = true;

  static async open({
    env = {},
    smtp = {},
    settings = {},
    scheme = 'smtp',
    host = 'localhost',
    user,
    lines,
    account = {},
    ownClock = true,
  }: PostOptions = {}): Promise<Post> {
    const post = new Post();
    post.server = await MailServer.start({ smtp });
    const address = `${host}:${post.server.port}`;
    const url = `${scheme}://${user === undefined ? '' : `${user}@`}${address}`;
    post.#env = { SMTP_URL: url, MAIL_FROM: FROM, ...env };
    post.#lines = lines;
    post.#ownClock = ownClock;
    onTestFinished(() => post.#close());
    await post.start();
    post.caller = await openTenant(post.running, TENANT, { settings, account });
    return post;
  }

  /** Starts the host on the folder, with the same caller's key. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.running = await startHost({
      ...(this.#ownClock && { clock: this.clock }),
      onDisk: true,
      ...(this.#lines !== undefined && { lines: this.#lines }),
      env: { ...this.#env, DATA_DIR: this.folder, ...env },
    });
    if (this.caller !== undefined) {
      const { tenantId, key } = this.caller;
      this.caller = new Caller(this.running.url, tenantId, key);
    }
  }

  async #close(): Promise<void> {
    await this.running.close().catch(() => {});
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async refund(id: string, changes: Json = CONFIRMED): Promise<Json> {
    const { status, text, body } = await this.caller.refund(id, changes);
    expect(status, text).toBe(200);
    return body;
  }

  async metrics(): Promise<Record<string, number>> {
    const { text } = await this.caller.wire.get('/metrics');
    const lines = [...text.matchAll(/^mails_(\w+) (\d+)$/gm)];
    return Object.fromEntries(lines.map(([, name, count]) => [name, Number(count)]));
  }

  /** Waits until the server has accepted that many mails. */
  async mails(count: number): Promise<MailServer['mails']> {
    const { mails } = this.server;
    return eventually(
      async () => mails,
      () => mails.length >= count,
    );
  }

  /** Waits until figures of the host are as wanted. */
  async until(figures: Record<string, number>): Promise<void> {
    await eventually(
      () => this.metrics(),
      (found) => Object.entries(figures).every(([name, count]) => found[name] === count),
    );
  }

  /** The entries of the outbox without probes. */
  outbox(): Record<string, unknown>[] {
    const database = new DatabaseSync(join(this.folder, 'mails.db'), { readOnly: true });
    try {
      return database.prepare("SELECT * FROM mails WHERE status <> 'sent'").all();
    } finally {
      database.close();
    }
  }

  /** Waits for that many attempts of the only mail of the outbox. */
  async tried(times: number): Promise<void> {
    await eventually(
      async () => this.outbox(),
      ([mail]) => mail?.['tries'] === times,
    );
  }

  /** A deliverable mail: when it has arrived, earlier ones were attempted. */
  async probe(): Promise<void> {
    const before = this.server.mails.length;
    const { id } = await this.caller.paid({ email: 'probe@example.com' });
    await this.refund(id);
    await this.mails(before + 1);
    expect(this.server.mails.at(-1)?.to).toEqual(['probe@example.com']);
    this.server.mails.pop();
  }
}
