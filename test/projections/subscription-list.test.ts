/** The list of subscriptions: its pages together are a plain filter over what the events have made. */
import { fold, Subscription, streamName, type TenantId } from '@counterfoil/core';
import { type SubscriptionHistory, subscriptionHistory } from '@counterfoil/core/testing';
import {
  rebuild,
  SUBSCRIPTION_STATUS,
  type SubscriptionListQuery,
  SubscriptionView,
  subscriptions,
  swap,
} from '@counterfoil/projections';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adaptersInFolder } from './adapters.ts';
import { append, NOW, type World, world } from './ledger-of-events.ts';

const { adapters } = adaptersInFolder();

/** So few that lists of each have several pages. */
const TENANTS = [1, 2] as const;
const ACCOUNTS = [7, 8] as const;
const MAX_LIMIT = 5;
const MAX_LIVES = 14;

interface Life extends SubscriptionHistory {
  readonly state: Subscription.Subscription;
}

type Filter = Omit<SubscriptionListQuery, 'limit' | 'after'>;

const drawn = fc.record({
  history: subscriptionHistory(12),
  tenantId: fc.constantFrom(...TENANTS),
  sandbox: fc.boolean(),
  merchantAccountId: fc.constantFrom(...ACCOUNTS),
});
const lives = fc
  .array(drawn, { minLength: 1, maxLength: MAX_LIVES })
  .map((all) => all.flatMap((each, index) => lifeOf(each, index + 1)));

/** A life with an id, an owner and an account of its own; none where no subscription began. */
function lifeOf(
  { history, tenantId, ...place }: typeof drawn extends fc.Arbitrary<infer Each> ? Each : never,
  subscriptionId: number,
): Life[] {
  const events = history.events.map((event) =>
    event.type === 'SubscriptionStarted' ? { ...event, ...place, subscriptionId } : event,
  );
  const state = fold(Subscription, events);
  if (state === null) return [];
  return [{ ...history, tenantId: tenantId as TenantId, subscriptionId, events, state }];
}

/** Every filter that a list of these lives can have. */
const FILTERS: readonly Filter[] = TENANTS.flatMap((tenantId) =>
  [false, true].flatMap((sandbox) =>
    [undefined, ...SUBSCRIPTION_STATUS].flatMap((status) =>
      [undefined, ...ACCOUNTS].map((merchantAccountId) => ({
        tenantId,
        sandbox,
        ...(status !== undefined && { status }),
        ...(merchantAccountId !== undefined && { merchantAccountId }),
      })),
    ),
  ),
);

function statusOf({ unsubscribedAt, frozenAt }: Subscription.Subscription) {
  if (unsubscribedAt !== null) return 'ended';
  return frozenAt === null ? 'active' : 'frozen';
}

function matching(all: readonly Life[], filter: Filter): readonly Subscription.Subscription[] {
  return all
    .filter(
      ({ tenantId, state }) =>
        tenantId === filter.tenantId &&
        state.sandbox === filter.sandbox &&
        (filter.status ?? statusOf(state)) === statusOf(state) &&
        (filter.merchantAccountId ?? state.merchantAccountId) === state.merchantAccountId,
    )
    .map(({ state }) => state)
    .toSorted((a, b) => b.subscriptionId - a.subscriptionId);
}

/** All pages, of which every one but the last is full. */
async function pagesOf(view: SubscriptionView, filter: Filter, limit: number) {
  const found: Subscription.Subscription[] = [];
  for (let pages = 0; pages <= MAX_LIVES; pages += 1) {
    const after = found.at(-1)?.subscriptionId;
    const page = await view.list({ ...filter, limit, ...(after !== undefined && { after }) });
    found.push(...page);
    if (page.length < limit) break;
  }
  return found;
}

async function expectLists(here: World, all: readonly Life[], limit: number): Promise<void> {
  const view = new SubscriptionView(here.store);
  for (const filter of FILTERS) {
    expect(await pagesOf(view, filter, limit)).toEqual(matching(all, filter));
  }
}

async function happen(here: World, all: readonly Life[], isPart: (at: number) => boolean) {
  for (const { tenantId, subscriptionId, events } of all) {
    const stream = streamName('subscription', tenantId, subscriptionId);
    await append(
      here.events,
      { stream, tenantId },
      events.filter((_, at) => isPart(at)),
    );
  }
}

describe.each(adapters)('the list of subscriptions on %s', (name, open) => {
  it('is a filter over the folded events for any limit, live and rebuilt', {
    timeout: 60_000,
  }, async () => {
    const draws = [lives, fc.integer({ min: 1, max: MAX_LIMIT }), fc.nat(3)] as const;
    await fc.assert(
      fc.asyncProperty(...draws, async (all, limit, first) => {
        const here = world(await open());
        // A subscription that is listed changes its status later, in another batch.
        await happen(here, all, (at) => at <= first);
        await here.catchUp({ projections: [subscriptions] });
        await happen(here, all, (at) => at > first);
        await here.catchUp({ projections: [subscriptions] });
        await expectLists(here, all, limit);
        const { events, store } = here;
        const options = { events, store, holder: 'rebuilder', now: () => Date.parse(NOW) };
        const rebuilt = await rebuild({ ...options, projection: subscriptions });
        expect(rebuilt).toMatchObject({ differences: [], parked: [] });
        await swap(store, rebuilt);
        await expectLists(here, all, limit);
        await store.close();
      }),
      { numRuns: name === 'memory' ? 40 : 6 },
    );
  });
});
