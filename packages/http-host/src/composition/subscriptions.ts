/** Provides customers and their subscriptions, and what bills and erases them. */
import { SubscriptionView } from '@counterfoil/projections';
import { Customers } from '../operations/customers.ts';
import { Erasure } from '../operations/erasure.ts';
import { Rebills } from '../operations/rebills.ts';
import { Scrubbing } from '../operations/scrubbing.ts';
import { Subscriptions } from '../operations/subscriptions.ts';
import { Billing } from '../reactors/billing.ts';
import { PART, type Provide } from './parts.ts';

/** Nobody is registered twice for want of it, so whoever asks for a customer waits no longer for the followers. */
const FOLLOWED_UP_MS = 1_000;

export function provideSubscriptions(provide: Provide): void {
  provide(
    PART.customers,
    (get) =>
      new Customers({
        ledger: get(PART.ledger),
        identities: get(PART.identities),
        references: get(PART.references),
        cards: get(PART.cards),
        async followedUp() {
          const head = await get(PART.events).head();
          const limit = { timeoutMs: FOLLOWED_UP_MS };
          if (head !== undefined) await get(PART.followerProgress).reached(head, limit);
        },
      }),
  );
  provide(
    PART.subscriptions,
    (get) =>
      new Subscriptions({
        ledger: get(PART.ledger),
        identities: get(PART.identities),
        references: get(PART.references),
        cards: get(PART.cards),
        readSide: get(PART.readSide),
        index: new SubscriptionView(get(PART.readModels)),
      }),
  );
  provide(
    PART.erasure,
    (get) =>
      new Erasure({
        ledger: get(PART.ledger),
        identities: get(PART.identities),
        subscriptions: get(PART.subscriptions),
        keys: get(PART.personalKeys),
        forgetStates: () => {
          get(PART.stateCache).clear();
          get(PART.identities).forget();
        },
        forgetAnswers: ({ tenantId, customerId }) =>
          get(PART.idempotency).forgetCustomer(tenantId, customerId),
        scrub: () => get(PART.scrubbing).scrub(),
      }),
  );
  provide(PART.scrubbing, (get) => {
    const [keys, answers] = [get(PART.personalKeys), get(PART.idempotencyStore)];
    return new Scrubbing({
      stores: [
        { name: 'keys', scrub: () => keys.scrub() },
        { name: 'answers', scrub: () => answers.scrub() },
      ],
      logger: get(PART.logger),
    });
  });
  provide(PART.billing, (get) => {
    const shared = { ledger: get(PART.ledger), logger: get(PART.logger) };
    return new Billing({
      ...shared,
      rebills: new Rebills({
        ...shared,
        references: get(PART.references),
        caps: get(PART.caps),
        gateways: get(PART.gateways),
        reactor: get(PART.reactor),
        policies: get(PART.policies),
      }),
      store: get(PART.readModels),
      readSide: get(PART.readSide),
      leases: get(PART.leases),
      holder: get(PART.holder),
    });
  });
}
