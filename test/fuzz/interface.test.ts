/** Requests made from the host's own OpenAPI document: what it admits is accepted, all else refused. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Operation } from '../http-host/documented.ts';
import { changesPayments, isRefusedOnly } from './administration.ts';
import {
  type Ask,
  alone,
  type Case,
  heads,
  hidesSomething,
  otherMethods,
  otherPaths,
  repeats,
  stories,
  strangers,
  takesKey,
} from './cases.ts';
import { Client } from './client.ts';
import { FuzzedHost } from './fuzzed-host.ts';
import { Inputs } from './inputs.ts';
import { Judge } from './judge.ts';
import { isPublic, takesJson } from './operations.ts';
import { makePool, type Pool } from './pools.ts';
import type { FuzzRequest } from './requests.ts';
import { type Json, SchemaArbitraries } from './schema-arbitrary.ts';
import { SpoiledRequests } from './spoiled.ts';
import { Tally } from './tally.ts';
import { requestOf, sendersOf, WellFormed } from './well-formed.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? '10000');
const SEED = Number(process.env['FC_SEED']);
/** After this many requests the payments are created again, and the log is checked. */
const REQUESTS_A_ROUND = 5_000;
const BATCHES_A_LEG = 25;
/** Bounds the reduction of a failure: what it has come to by then is reported. */
const LEG_LIMIT_MS = 30_000;
const CASES_AT_ONCE = 24;
/** Attempts at what chance has left out. */
const TRIES = 50;
const CONNECTIONS = 32;
/** The keys of this run are no other run's. */
const NONCE = `fuzz-${SEED}`;
const LIMIT_MS = 120_000 + REQUESTS * 20;

let host: FuzzedHost;
let client: Client;
let wellFormed: WellFormed;
let spoiled: SpoiledRequests;
let schemas: SchemaArbitraries;
const tally = new Tally({ goal: REQUESTS, seed: SEED });

beforeAll(async () => {
  host = await FuzzedHost.start();
  client = new Client(host.url, { connections: CONNECTIONS });
  wellFormed = new WellFormed(host.documented);
  schemas = new SchemaArbitraries(host.documented);
  spoiled = new SpoiledRequests(host.documented, wellFormed);
}, 120_000);
afterAll(async () => {
  client.close();
  await host.close();
});

it(
  `${REQUESTS} requests are answered as the document says, and what is refused changes nothing`,
  async () => {
    const { tenancies, documented } = host;
    const still = await makePool(host.url, tenancies.still, documented);
    const others = await makePool(host.url, tenancies.other, documented);
    const judge = new Judge(documented);
    const ask: Ask = async (request) => {
      const answer = await client.send(request).catch((error: unknown) => {
        throw new Error(`no answer to ${request.curl(host.url)}`, { cause: error });
      });
      tally.count(request, answer);
      const faults = judge.faultsOf(request, answer);
      if (faults.length === 0) return answer;
      const shown = `${answer.status} ${answer.text.slice(0, 2_000)}`;
      throw new Error(
        `${request.what}\n${faults.join('\n')}\n\n${request.curl(host.url)}\n\nanswered ${shown}`,
      );
    };
    let moving = others;
    for (let leg = 0; tally.requests < REQUESTS; ) {
      const before = await host.head();
      const end = Math.min(tally.requests + REQUESTS_A_ROUND, REQUESTS);
      moving = await makePool(host.url, tenancies.moving, documented);
      const cases = casesOf({ moving, still, others });
      for (; tally.requests < end; leg += 1) await playLeg(cases, { ask, seed: SEED + leg });
      expect(await host.eventsSince(before, tenancies.still.id)).toEqual([]);
    }
    // The request that asks is one itself.
    expect(await host.metric('http_requests_in_flight')).toBe(1);
    const wants = wantsOf({ moving, still, others });
    const before = await host.head();
    for (const want of wants) await fulfil(want, ask);
    expect(await host.eventsSince(before, tenancies.still.id)).toEqual([]);
    tally.report();
    expect(wants.filter((want) => !want.isMet()).map(({ name }) => name)).toEqual([]);
  },
  LIMIT_MS,
);

it('lists may be as long as the document says, and not longer', async () => {
  const { tenancies, documented } = host;
  const { moving } = tenancies;
  const search = documented.operations.find(({ id }) => id === 'searchTransactions');
  if (search === undefined) throw new Error('there is no search');
  const { properties } = documented.resolve(
    search.node.requestBody.content['application/json'].schema,
  );
  const lists = Object.entries<Json>(properties).filter(([, { maxItems }]) => maxItems > 0);
  expect(lists.length).toBeGreaterThan(10);
  const sender = { tenancy: moving, environment: 'live', headers: [], namesActor: true } as const;
  const send = (body: Json) => {
    const input = { params: {}, query: [], body };
    const expected = { statuses: [200] };
    return client.send(requestOf(search, { input, sender, what: 'long lists', expected }));
  };
  const full = Object.fromEntries(
    lists.map(([name, { maxItems, items }]) => {
      const short = schemas.of(items).filter((each) => String(each).length < 40);
      return [name, fc.sample(short, { numRuns: maxItems, seed: SEED })];
    }),
  );
  const answered = await send(full);
  expect(answered.status, answered.text).toBe(200);
  for (const [name, elements] of Object.entries(full)) {
    expect((await send({ [name]: elements })).status, name).toBe(200);
    const { status, text } = await send({ [name]: [...elements, elements[0]] });
    expect({ status, pointers: JSON.parse(text).errors }).toMatchObject({
      status: 400,
      pointers: [{ pointer: `/${name}` }],
    });
  }
}, 60_000);

it('the doctor finds nothing wrong, beside the host and after it', async () => {
  expect(await host.complaints()).toEqual([]);
  await host.stop();
  expect(await host.complaints()).toEqual([]);
}, 120_000);

/** Some batches of requests; the first failure is reduced to what it takes to bring it about. */
async function playLeg(cases: fc.Arbitrary<Case>, { ask, seed }: { ask: Ask; seed: number }) {
  const batches = fc.array(cases, { minLength: 1, maxLength: CASES_AT_ONCE, size: 'max' });
  const play = async (batch: readonly Case[]) => {
    const played = await Promise.allSettled(batch.map((each) => each.play(ask)));
    const failed = played.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  await fc.assert(fc.asyncProperty(batches, play), {
    seed,
    numRuns: BATCHES_A_LEG,
    interruptAfterTimeLimit: LEG_LIMIT_MS,
  });
}

interface Pools {
  readonly moving: Pool;
  readonly still: Pool;
  readonly others: Pool;
}

/** Something that every run has to come to. */
interface Want {
  readonly name: string;
  readonly isMet: () => boolean;
  readonly requests: fc.Arbitrary<FuzzRequest | undefined>;
}

/** Every operation done, but for those that get refused requests only, and refused; every kind sent. */
function wantsOf(pools: Pools): Want[] {
  const operations = host.documented.operations.filter(takesJson);
  const { still, others } = pools;
  const refused = { ...partsOf(still), stranger: others.tenancy };
  return [
    ...operations
      .filter((one) => !isRefusedOnly(one))
      .map((one) => ({
        name: `${one.id} done`,
        isMet: () => tally.hasDone(one),
        requests: wellFormed.soundRequests(one, partsOf(poolFor(one, pools))),
      })),
    ...operations.map((one) => ({
      name: `${one.id} refused`,
      isMet: () => tally.hasRefused(one),
      requests: spoiled.of(one, refused),
    })),
    ...[...spoiled.kinds].map((kind) => ({
      name: kind,
      isMet: () => tally.hasSent(kind),
      requests: spoiled.ofKind(kind, operations, refused),
    })),
  ];
}

/** Asks for what chance has left out. */
async function fulfil({ isMet, requests }: Want, ask: Ask): Promise<void> {
  if (isMet()) return;
  for (const request of fc.sample(requests, { seed: SEED, numRuns: TRIES })) {
    if (request !== undefined) await ask(request);
    if (isMet()) return;
  }
}

function partsOf(pool: Pool, environments: readonly ('live' | 'test')[] = ['live']) {
  return {
    inputs: new Inputs(schemas, pool),
    senders: sendersOf(pool.tenancy, { nonce: NONCE, environments }),
  };
}

function poolFor(one: Operation, { moving, others }: Pools): Pool {
  return changesPayments(one) ? others : moving;
}

/** Every kind of case, over every operation. */
function casesOf(pools: Pools): fc.Arbitrary<Case> {
  const { moving, still, others } = pools;
  const { documented } = host;
  const operations = documented.operations.filter(takesJson);
  const [accepted, refused] = [partsOf(moving), partsOf(still)];
  const mayBeAccepted = (one: Operation) => !isRefusedOnly(one);
  const each = (
    make: (operation: Operation) => fc.Arbitrary<Case>,
    isMeant: (operation: Operation) => boolean = () => true,
  ) =>
    fc.oneof(
      ...operations.filter(isMeant).map((one) => ({
        weight: isPublic(one) ? 3 : 5,
        arbitrary: make(one),
      })),
    );
  const weighted: (readonly [number, fc.Arbitrary<Case>])[] = [
    [
      6,
      each(
        (one) => wellFormed.soundRequests(one, partsOf(poolFor(one, pools))).map(alone),
        mayBeAccepted,
      ),
    ],
    [
      4,
      each(
        (one) =>
          wellFormed
            .admittedRequests(one, partsOf(poolFor(one, pools), ['live', 'live', 'test']))
            .map(alone),
        (one) => !isPublic(one) && mayBeAccepted(one),
      ),
    ],
    [24, each((one) => spoiled.of(one, { ...refused, stranger: others.tenancy }).map(alone))],
    [
      1,
      each(
        (one) => strangers(one, { ...refused, own: still, others }),
        (one) => hidesSomething(one, { own: still, others }),
      ),
    ],
    [1, each((one) => repeats(one, partsOf(poolFor(one, pools)), wellFormed), takesKey)],
    [1, stories(documented, accepted.senders)],
    [
      1,
      each(
        (one) => heads(one, accepted),
        ({ method }) => method === 'GET',
      ),
    ],
    [1, otherMethods(documented, refused.senders)],
    [1, otherPaths(documented, refused.senders)],
  ];
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
