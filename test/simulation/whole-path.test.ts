/** The whole path, lived at random: HTTP, execute, log, gateway, reactors, read models, and back. */
import { hash } from 'node:crypto';
import { SANDBOX_CARDS } from '@counterfoil/engine/gateways';
import { expectMoneyOutRule, type ShopLife, shopLife } from '@counterfoil/engine/testing';
import { PROJECTIONS } from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAgreement, strangersOf } from './agreement.ts';
import { type Drawn, expectBooks, expectFlags, expectPlainFilter, FIELD_COUNT } from './audit.ts';
import { CVV, expectRepeated, Lives, type Side } from './lives.ts';
import { modelOf } from './model.ts';
import { World } from './world.ts';

const LONG_MS = 600_000;
/** Retention of stored responses. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
/** No simulation starts after this time, not even to shrink a failure. */
const LIMIT_MS = 240_000;

/** Lives in memory; in files, where a restart is part of each, a fifth of them. */
const LIVES = Number(process.env['FC_RUNS'] ?? '10');

const filters: fc.Arbitrary<readonly Drawn[]> = fc.array(
  fc.record({
    pick: fc.nat(999),
    fields: fc.nat(2 ** FIELD_COUNT - 1).map((mask) => mask & (mask >> 1)),
    limit: fc.integer({ min: 1, max: 7 }),
  }),
  { minLength: 6, maxLength: 12 },
);

interface Lived {
  readonly sides: readonly Side[];
  readonly lives: Lives;
}

/** Lives with new tenants in the same world, so that every run also meets those before. */
class Runs {
  readonly world: World;
  #tenants = 0;

  constructor(world: World) {
    this.world = world;
  }

  async run(groups: ShopLife, drawn: readonly Drawn[]): Promise<Lived> {
    const sides = [await this.#newSide(3), await this.#newSide(180)];
    const lives = new Lives(sides, () => this.world.now);
    for (const group of groups) {
      this.world.pause(group[0]?.pauseMs ?? 0);
      await lives.play(group);
    }
    await this.world.settle();
    await this.audit(sides, drawn);
    await expectIsolation(sides, lives);
    return { sides, lives };
  }

  async #newSide(refundWindowDays: number): Promise<Side> {
    this.#tenants += 1;
    return this.world.side(this.#tenants, refundWindowDays);
  }

  /** Everything that must hold now, whatever has happened. */
  async audit(sides: readonly Side[], drawn: readonly Drawn[]): Promise<void> {
    const { world } = this;
    const { vault } = world.host.commands.executor;
    const model = await modelOf(world.host.events, { vault });
    for (const { events } of model.payments.values()) expectMoneyOutRule(events);
    expect(await expectAgreement(model, world.gateway)).toBe(model.payments.size);
    expect(await strangersOf(model, world.gateway)).toEqual([]);
    for (const { live, refundWindowDays } of sides) {
      await expectFlags(model, live, { refundWindowDays, now: world.now });
      await expectBooks(model, live);
      for (const filter of drawn) await expectPlainFilter(model, live, filter);
    }
    await world.withWritableReadModels((store) =>
      expectEqualToRebuilt({ events: world.host.events, store, vault, projections: PROJECTIONS }),
    );
    expectNoSecretIn(model.texts);
    expectNoSecretIn(world.logs);
  }
}

/** Tenants and environments are isolated: even existence is not revealed. */
async function expectIsolation(sides: readonly Side[], { made }: Lives): Promise<void> {
  for (const { side, body } of made) {
    for (const other of sides) {
      const strangers = [
        ...(other === side ? [] : [other.live, other.test]),
        ...(body.sandbox ? [] : [other.test]),
      ];
      for (const caller of strangers) {
        const { claims } = caller;
        const answers = [
          await caller.get('/v1/payments/{id}', { path: { id: body.id } }),
          await caller.post('/customerapi/detail', { body: { ...claims, id: body.id } }),
          await caller.post('/customerapi/refund', { body: { ...claims, messageId: body.id } }),
        ];
        for (const { status, body: refusal } of answers) {
          expect({ status, code: refusal.code }).toEqual({ status: 404, code: 'not_found' });
        }
        const filter = { transactionIds: [body.id] };
        const found = await caller.post('/api/transactions/search', { body: filter });
        expect(found.body.transactions).toEqual([]);
      }
    }
  }
}

/** Card numbers as they were sent, and digests of them that anyone could make. */
const SECRETS = SANDBOX_CARDS.flatMap(({ number }) => [
  number,
  number.replace(/(\d{4})(?=\d)/g, '$1 '),
  Buffer.from(number).toString('base64').slice(0, 20),
  hash('sha256', number, 'hex'),
]);
const A_CVV = new RegExp(`"${CVV}"|"cvv"`);

function expectNoSecretIn(texts: readonly string[]): void {
  for (const text of texts) {
    const found = SECRETS.find((secret) => text.includes(secret)) ?? A_CVV.exec(text)?.[0];
    if (found !== undefined) expect.fail(`${found} in ${text}`);
  }
}

describe('in memory', () => {
  const runs = new Runs(new World({ onDisk: false }));
  beforeAll(() => runs.world.open());
  afterAll(() => runs.world.remove());

  it(
    'money, flags, books, searches and the gateway agree after any life',
    () =>
      fc.assert(
        fc.asyncProperty(shopLife(14), filters, async (groups, drawn) => {
          await runs.run(groups, drawn);
        }),
        { numRuns: LIVES, interruptAfterTimeLimit: LIMIT_MS },
      ),
    LONG_MS,
  );

  it('no read model has a card number', async () => {
    for (const { name, collections } of PROJECTIONS) {
      const model = await runs.world.host.readModels.live(name);
      for (const { name: collection } of collections) {
        const documents = await model?.list(collection, { prefix: '', limit: 1_000_000 });
        expectNoSecretIn((documents ?? []).map(({ key, body }) => `${key} ${body}`));
      }
    }
  });
});

describe('in files', () => {
  const runs = new Runs(new World({ onDisk: true }));
  beforeAll(() => runs.world.open());
  afterAll(() => runs.world.remove());

  it(
    'nothing is another after a restart, and no file has a card number',
    () =>
      fc.assert(
        fc.asyncProperty(shopLife(14), filters, async (groups, drawn) => {
          const { sides, lives } = await runs.run(groups, drawn);
          await runs.world.close();
          for (const { name, content } of runs.world.bytes()) {
            const found = SECRETS.find((secret) => content.includes(secret));
            expect({ name, found }).toEqual({ name, found: undefined });
          }
          await runs.world.open();
          await runs.audit(sides, drawn);
          for (const { caller, request, answer, at } of lives.asked) {
            const again = await caller.send(request);
            const isKept = Date.parse(runs.world.now) - Date.parse(at) < KEPT_MS;
            // Later it is made from the present state, of the same thing.
            if (isKept) expectRepeated(again, answer);
            else if (answer.status < 300) expect(again.body.id).toBe(answer.body.id);
          }
        }),
        { numRuns: Math.ceil(LIVES / 5), interruptAfterTimeLimit: LIMIT_MS },
      ),
    LONG_MS,
  );
});
