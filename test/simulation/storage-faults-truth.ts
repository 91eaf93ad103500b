/** A folder of a host with a short past, and what that host answered about it: the truth that later answers are held to. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TenantId } from '@counterfoil/core';
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import { type ComposeOptions, compose, type Host } from '@counterfoil/http-host';
import { readConfig } from '@counterfoil/http-host/config';
import { vi } from 'vitest';
import {
  type Answer,
  Caller,
  type Json,
  type KeptRequest,
  requestOf,
  type Schemas,
} from './caller.ts';
import { issueKey, loggerTo, onboard } from './local-host.ts';

const TENANT_ID = 1 as TenantId;
const POLLING = { timeout: 20_000, interval: 10 };
const PAYMENTS = 12;
const APPROVED = '4242424242424242';
const DECLINED = SANDBOX_CARDS.find(({ behaviour }) => behaviour === 'stolen')?.number;

/** A request that changes nothing, or nothing any more, and what it was answered. */
interface Question {
  readonly request: KeptRequest;
  readonly answer: Answer;
}

export interface Truth {
  /** Of the stopped host; to be copied, and left as it is. */
  readonly folder: string;
  readonly apiKey: string;
  readonly questions: readonly Question[];
  readonly events: number;
}

/** A host in this process, and the lines that it logs. */
export interface Opened {
  readonly host: Host;
  readonly url: string;
  readonly logs: readonly string[];
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'counterfoil-fault-'));
}

export async function openHost(
  folder: string,
  options: Omit<ComposeOptions, 'logger'> = {},
): Promise<Opened> {
  const logs: string[] = [];
  const logger = loggerTo(logs, 'warn');
  const config = readConfig({ DATA_DIR: folder, PORT: '0' });
  const host = await compose(config, { ...options, logger });
  return { host, url: await host.listen(), logs };
}

export function callerOf(url: string, key: string): Caller {
  return new Caller(() => url, { tenantId: TENANT_ID, key });
}

/** Lives a short past, asks about all of it, and stops in order. */
export async function makeTruth(): Promise<Truth> {
  const folder = newFolder();
  const { host, url } = await openHost(folder);
  await onboard(host, TENANT_ID, { accounts: [{ id: 1, reservePercentage: 5, bankAuthFee: 0.1 }] });
  const apiKey = await issueKey(host, TENANT_ID);
  const caller = callerOf(url, apiKey);
  const replays = await livePast(caller);
  await host.readSide.caughtUp(TENANT_ID);
  const questions = [...replays, ...(await askAll(caller, replays))];
  const head = await host.events.head();
  await host.close();
  return { folder, apiKey, questions, events: Number(head) };
}

export function paymentBody(index: number, behaviour?: string): Json {
  const drawn = index % 4 === 3 ? DECLINED : APPROVED;
  const special = SANDBOX_CARDS.find((card) => card.behaviour === behaviour);
  const number = special?.number ?? drawn;
  return {
    amount: 10 + index,
    currency: 'GBP',
    card: { number, expMonth: 12, expYear: 2040, cvv: '9173', holder: 'Ada Lovelace' },
    email: `customer${index % 5}@example.com`,
  };
}

/** Payments that nothing happened to afterwards, and payments with a refund; both can be repeated. */
async function livePast(caller: Caller): Promise<Question[]> {
  const replays: Question[] = [];
  const send = async (request: KeptRequest): Promise<void> => {
    replays.push({ request, answer: await caller.send(request) });
  };
  for (let index = 0; index < PAYMENTS; index += 1) {
    const asked = { body: paymentBody(index), key: `past-${index}` };
    await send(requestOf('post', '/v1/payments', asked));
  }
  const refunded = await caller.post('/v1/payments', { body: paymentBody(0), key: 'refunded' });
  const refund = { path: { id: refunded.body.id }, body: { amount: 4 }, key: 'refund' };
  await send(requestOf('post', '/v1/payments/{id}/refund', refund));
  return replays;
}

async function askAll(caller: Caller, replays: readonly Question[]): Promise<Question[]> {
  const asked: Question[] = [];
  const ask = async (request: KeptRequest): Promise<void> => {
    const answer = await caller.send(request);
    if (answer.status !== 200) throw new Error(`${request.path}: ${JSON.stringify(answer.body)}`);
    asked.push({ request, answer });
  };
  const search = (body: Schemas['TransactionSearch']) =>
    ask(requestOf('post', '/api/transactions/search', { body }));
  for (const { answer } of replays) {
    const id = answer.body.paymentId ?? answer.body.id;
    await ask(requestOf('get', '/v1/payments/{id}', { path: { id } }));
    const body = { ...caller.claims, id, getSearchData: true };
    await ask(requestOf('post', '/customerapi/detail', { body }));
  }
  await search({ limit: 100 });
  await search({ emails: ['customer1@example.com'], limit: 100 });
  await search({ amounts: [12, 13], limit: 100 });
  await search({ descriptorContains: 'london', limit: 100 });
  await ask(requestOf('get', '/api/ledger/trial-balance'));
  await ask(requestOf('get', '/api/ledger/accounts', { query: { limit: 50 } }));
  return asked;
}

/** A copy of the truth's folder, to be damaged. */
export function copyOf({ folder }: Truth): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export interface Heard {
  /** Answers that are as they were. */
  readonly same: number;
  /** Refusals: 5xx, and 401 where the key cannot be looked up. */
  readonly refused: readonly string[];
  /** Answers that are not true. */
  readonly wrong: readonly string[];
}

/** Asks everything again. An answer is the truth, a refusal of the server's, or wrong. */
export async function hear(url: string, { apiKey, questions }: Truth): Promise<Heard> {
  const caller = callerOf(url, apiKey);
  const refused: string[] = [];
  const wrong: string[] = [];
  let same = 0;
  for (const { request, answer } of questions) {
    const { path, key } = request;
    const now = await caller.send(request);
    if (now.status >= 500) refused.push(`${path}: ${now.status} ${now.body.code}`);
    else if (
      now.status === answer.status &&
      JSON.stringify(strip(now.body)) === JSON.stringify(strip(answer.body))
    )
      same += 1;
    else
      wrong.push(
        `${path} ${key ?? ''}: ${now.status} ${JSON.stringify(now.body)} instead of ${JSON.stringify(answer.body)}`,
      );
  }
  return { same, refused, wrong };
}

/** Only the name of the request differs between two answers to it. */
function strip(body: Json): Json {
  const { requestId: _, ...rest } = body;
  return rest;
}

/** Waits until the host has its read models, or has logged why it has not. */
export async function settled({ url, logs }: Opened): Promise<void> {
  await vi.waitUntil(
    async () =>
      (await fetch(`${url}/readyz`)).status === 200 ||
      logs.some((line) => /the projection thread failed/.test(line)),
    POLLING,
  );
}
