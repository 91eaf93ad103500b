/** The list of customers: its pages together are all who were registered, the newest first, and nothing personal. */
import { Customer, type Event, type TenantId } from '@counterfoil/core';
import {
  CustomerListView,
  customers,
  type RegisteredCustomer,
  rebuild,
  swap,
} from '@counterfoil/projections';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adaptersInFolder } from './adapters.ts';
import { append, NOW, type World, world } from './ledger-of-events.ts';

const { adapters } = adaptersInFolder();

/** So few that lists of each have several pages; the ids of one begin as those of another do. */
const TENANTS = [1, 11] as const;
const MAX_CUSTOMERS = 20;
const MAX_LIMIT = 5;
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

interface Person {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly customerId: number;
  readonly registeredMs: number;
  readonly isChanged: boolean;
  readonly isErased: boolean;
}

const person: fc.Arbitrary<Person> = fc.record({
  tenantId: fc.constantFrom(...TENANTS) as fc.Arbitrary<TenantId>,
  sandbox: fc.boolean(),
  customerId: fc.integer({ min: 1, max: 10_000 }),
  // Ids do not grow with the time, and some are registered in the same millisecond.
  registeredMs: fc.integer({ min: 0, max: 5 }).map((later) => START_MS + later),
  isChanged: fc.boolean(),
  isErased: fc.boolean(),
});
const people = fc.uniqueArray(person, {
  maxLength: MAX_CUSTOMERS,
  selector: ({ tenantId, sandbox, customerId }) => `${tenantId}/${sandbox}/${customerId}`,
});

const CONTACT = {
  ...{ email: 'ada@example.test', firstName: 'Ada', lastName: 'Lovelace', phone: '' },
  addresses: [],
};

function storyOf({ customerId, sandbox, registeredMs, isChanged, isErased }: Person): Event[] {
  const at = new Date(registeredMs).toISOString();
  const who = { customerId, sandbox, at };
  return [
    { type: 'CustomerRegistered', ...who, ...CONTACT },
    ...(isChanged ? [{ type: 'CustomerReplaced', ...who, ...CONTACT, phone: '1' } as const] : []),
    ...(isErased ? [{ type: 'CustomerErased', ...who, at: NOW } as const] : []),
  ];
}

/** All pages, of which every one but the last is full. */
async function pagesOf(
  view: CustomerListView,
  owner: Pick<Person, 'tenantId' | 'sandbox'>,
  limit: number,
) {
  const found: RegisteredCustomer[] = [];
  for (let pages = 0; pages <= MAX_CUSTOMERS; pages += 1) {
    const after = found.at(-1);
    const page = await view.list({ ...owner, limit, ...(after !== undefined && { after }) });
    found.push(...page);
    if (page.length < limit) break;
  }
  return found;
}

async function expectLists(here: World, all: readonly Person[], limit: number): Promise<void> {
  const view = new CustomerListView(here.store);
  for (const tenantId of TENANTS as readonly number[] as readonly TenantId[]) {
    for (const sandbox of [false, true]) {
      const expected = all
        .filter((each) => each.tenantId === tenantId && each.sandbox === sandbox)
        .map(({ registeredMs, customerId }) => ({ registeredMs, customerId }))
        .toSorted((a, b) => b.registeredMs - a.registeredMs || b.customerId - a.customerId);
      expect(await pagesOf(view, { tenantId, sandbox }, limit)).toEqual(expected);
    }
  }
}

describe.each(adapters)('the list of customers on %s', (name, open) => {
  it('has all who were registered for any limit, live and rebuilt, and nothing personal', {
    timeout: 60_000,
  }, async () => {
    const draws = [people, fc.integer({ min: 1, max: MAX_LIMIT })] as const;
    await fc.assert(
      fc.asyncProperty(...draws, async (all, limit) => {
        const here = world(await open());
        for (const each of all) {
          const stream = Customer.streamOf(each);
          await append(here.events, { stream, tenantId: each.tenantId }, storyOf(each));
        }
        await here.catchUp({ projections: [customers] });
        await expectLists(here, all, limit);
        const { events, store } = here;
        const options = { events, store, holder: 'rebuilder', now: () => Date.parse(NOW) };
        const rebuilt = await rebuild({ ...options, projection: customers });
        expect(rebuilt).toMatchObject({ differences: [], parked: [] });
        await swap(store, rebuilt);
        await expectLists(here, all, limit);
        const live = await store.live(customers.name);
        const kept = await live?.list(customers.stateCollection, { prefix: '', limit: 100 });
        expect(kept).toHaveLength(all.length);
        expect(JSON.stringify(kept)).not.toMatch(/ada|lovelace/i);
        await store.close();
      }),
      { numRuns: name === 'memory' ? 60 : 8 },
    );
  });
});
