/** Credentials of gateways, by every way they come in: in no file, no log line and no answer. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Answer,
  type Caller,
  type Json,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const PATH = '/api/admin/merchantaccounts';
const RUNS = 4;
const TENANT = 300;
const NAMES = ['apiKey', 'username', 'password', 'emailAddress'] as const;

const lines: string[] = [];
const answers: string[] = [];
let running: Running;
let admin: Caller;

beforeAll(async () => {
  running = await startHost({ onDisk: true, lines });
  admin = await openTenant(running, TENANT);
});
afterAll(async () => running.close());

async function send(method: string, path: string, body: Json, headers: Json = {}): Promise<Answer> {
  const isText = typeof body === 'string';
  const type = { 'Content-Type': isText ? 'text/csv' : 'application/json', ...headers };
  const answer = await admin.wire.send(method, path, isText ? body : JSON.stringify(body), type);
  answers.push(answer.text);
  return answer;
}

function account(secrets: readonly string[], more: Json = {}): Json {
  const gatewayCredentials = Object.fromEntries(NAMES.map((name, n) => [name, secrets[n]]));
  const currencies = [{ currency: 'GBP', gatewayCredentials }];
  const named = { mid: '7', title: 'Account', companyId: 5, gatewayId: 1, descriptor: 'SHOP' };
  return { ...named, defaultCurrency: 'GBP', currencies, ...more };
}

/** Every request that takes a secret, accepted and refused, once more under its key, and a payment. */
async function bringIn(secrets: readonly string[], serial: number): Promise<void> {
  const key = { 'Idempotency-Key': `secrets-${serial}` };
  const of = (n: number) => secrets.slice(n * NAMES.length, (n + 1) * NAMES.length);
  const made = [
    await send('POST', PATH, account(of(0)), key),
    await send('POST', PATH, account(of(0)), key),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201]);
  const { id } = made[0]?.body.returnVal ?? {};
  const one = `${PATH}/${id}`;
  const put = await send('PUT', one, account(of(1), { rowVersion: 1 }));
  const { currencies } = account(of(2));
  const patched = await send('PATCH', one, { currencies });
  const gatewayCredentials = { apiKey: of(2)[0], username: '' };
  const inPart = await send('PATCH', one, {
    currencies: [{ currency: 'GBP', gatewayCredentials }],
  });
  expect([put.status, patched.status, inPart.status]).toEqual([200, 200, 200]);
  const [held] = inPart.body.returnVal.currencies;
  expect([held.gatewayCredentials.username, held.gatewayCredentials.password]).toEqual([
    '',
    of(2)[2] === '' ? '' : '********',
  ]);
  await send('PUT', one, account(of(3), { rowVersion: 1 }));
  await send('PATCH', one, { currencies: account(of(3)).currencies, title: null });
  await send('POST', PATH, account(of(3), { companyId: 9 }), {
    'Idempotency-Key': `bad-${serial}`,
  });
  await send('POST', PATH, account([`${of(3)[0]}`.repeat(200)]));
  const header = ['mid', 'title', 'companyId', 'gatewayId', 'descriptor', 'defaultCurrency'];
  const row = (company: number) => ['7', 'CSV', company, 1, 'SHOP', 'GBP', ...of(4)].join(',');
  const csv = [[...header, ...NAMES].join(','), row(5), row(9)].join('\n');
  const batch = await send('POST', `${PATH}/batch`, csv, { 'Idempotency-Key': `csv-${serial}` });
  expect(batch.body.opened).toBe(1);
  await send('POST', `${PATH}/batch`, csv.replace(',CSV,', ',"CSV,'));
  expect((await admin.pay({ merchantAccountId: id })).status).toBe(201);
  for (const path of [one, PATH, `${PATH}?currency=GBP`])
    answers.push((await admin.wire.get(path)).text);
}

/** A secret may be written down as it is, in another encoding, or as JSON escapes it. */
function formsOf(secret: string): readonly Buffer[] {
  const utf8 = Buffer.from(secret);
  const texts = [secret, JSON.stringify(secret).slice(1, -1), utf8.toString('hex')];
  // Of base64, what does not depend on the place where the secret stands.
  const base64 = utf8.toString('base64').slice(0, 4 * Math.floor(utf8.length / 3));
  return [...[...texts, base64].map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le')];
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

it('are written down nowhere', { timeout: 120_000 }, async () => {
  const secret = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_/+="\\é'), minLength: 14 });
  const without = (given: string) => `${given.replaceAll('"', '')}${given.length}`;
  const secrets = fc.uniqueArray(secret.map(without), { minLength: 20, maxLength: 20 });
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(secrets, async (given) => {
      serial += 1;
      await bringIn(given, serial);
      await running.host.readSide.caughtUp(TENANT);
      const files = filesIn(running.host.config.dataDir);
      expect(files.length).toBeGreaterThan(3);
      const places = [
        ...files.map((path) => ({ place: path, bytes: readFileSync(path) })),
        { place: 'the log', bytes: Buffer.from(lines.join('\n')) },
        { place: 'the answers', bytes: Buffer.from(answers.join('\n')) },
      ];
      const found = places.filter(({ bytes }) =>
        given.some((each) => formsOf(each).some((form) => bytes.includes(form))),
      );
      expect(found.map(({ place }) => place)).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
