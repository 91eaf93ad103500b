/** The erasure of persons: from the log, the read models, kept answers and what is remembered. */
import type { IdentityParts } from '../identities/index.ts';
import { type Base, type PartsOf, slice } from '../slice.ts';
import { type AnswersAbout, answersAbout } from '../storage/kept-answers.ts';
import type { SubscriptionParts } from '../subscriptions/index.ts';
import type { WebhookParts } from '../webhooks/index.ts';
import { Erasure } from './erasure.ts';
import { evictErased, followErasures } from './erasures.ts';
import { Scrubbing } from './scrubbing.ts';

export type ErasureParts = PartsOf<typeof ERASURE>;

export const ERASURE = slice({
  scopes: { 'customers:erase': 'Erase the personal data of customers for good' },
  make(parts: Base & IdentityParts & SubscriptionParts & WebhookParts) {
    const { stores, stateCache, identities, answers, webhooks, logger } = parts;
    const { personalKeys } = stores;
    /** Called before the kept answers are searched, for those that are about to be kept. */
    const forgetting = new Set<(about: AnswersAbout) => void>();
    const scrubbing = new Scrubbing({
      stores: [
        { name: 'keys', scrub: () => personalKeys.scrub() },
        { name: 'answers', scrub: () => answers.scrub() },
        { name: 'webhooks', scrub: () => webhooks.scrub() },
      ],
      logger,
    });
    const erasure = new Erasure({
      ...parts,
      keys: personalKeys,
      clearStates: () => {
        stateCache.clear();
        identities.forget();
      },
      deleteAnswers: async (customer) => {
        const about = answersAbout(customer);
        for (const forget of forgetting) forget(about);
        await answers.forget(about);
        await webhooks.forget(customer);
      },
      scrub: () => scrubbing.scrub(),
    });
    return { scrubbing, erasure, forgetting };
  },
  followers: ({ erasure }, following) => [followErasures({ erasure, ...following })],
  followersOfEach: ({ erasure, identities }, { headAtStart: after, events, logger, signal }) => [
    evictErased({ erasure, identities, after, events, logger, signal }),
  ],
  registerMetrics: ({ scrubbing, stores }, metrics) =>
    metrics.gauge(
      'erasure_pending_files',
      'Files that may still hold erased persons, until their readers have finished',
      () => scrubbing.pending + stores.progress.erasing,
    ),
});
