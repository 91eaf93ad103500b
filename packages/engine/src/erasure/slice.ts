/** The erasure of persons: from the log, the read models, kept answers and what is remembered. */
import type { IdentityParts } from '../identities/index.ts';
import { type Base, type PartsOf, slice } from '../slice.ts';
import { type AnswersAbout, answersAbout } from '../storage/kept-answers.ts';
import type { SubscriptionParts } from '../subscriptions/index.ts';
import type { WebhookParts } from '../webhooks/index.ts';
import { type ErasedPerson, Erasure } from './erasure.ts';
import { evictErased, followErasures } from './erasures.ts';
import { type Scrubbed, Scrubbing } from './scrubbing.ts';

export type ErasureParts = PartsOf<typeof ERASURE>;

/** Read models that are so far behind read without pauses anyway. */
const HURRY_MS = 1_000;

export const ERASURE = slice({
  scopes: { 'customers:erase': 'Erase the personal data of customers for good' },
  make(parts: Base & IdentityParts & SubscriptionParts & WebhookParts) {
    const { stores, readSide, stateCache, identities, answers, webhooks, logger } = parts;
    const { personalKeys } = stores;
    /** Called before the kept answers are searched, for those that are about to be kept. */
    const forgetting = new Set<(about: AnswersAbout) => void>();
    /** Called with each person that is erased, while their emails are known; idempotent. */
    const erasing = new Set<(person: ErasedPerson) => Promise<void>>();
    const scrubbed: Scrubbed[] = [
      { name: 'keys', scrub: () => personalKeys.scrub() },
      { name: 'answers', scrub: () => answers.scrub() },
      { name: 'webhooks', scrub: () => webhooks.scrub() },
    ];
    const scrubbing = new Scrubbing({ stores: scrubbed, logger });
    const erasure = new Erasure({
      ...parts,
      keys: personalKeys,
      clearStates: () => {
        stateCache.clear();
        identities.forget();
      },
      eraseElsewhere: async (person) => {
        for (const erase of erasing) await erase(person);
      },
      deleteAnswers: async (customer) => {
        const about = answersAbout(customer);
        for (const forget of forgetting) forget(about);
        await answers.forget(about);
        await webhooks.forget(customer);
      },
      scrub: () => scrubbing.scrub(),
      hurry: () => {
        const { newest } = readSide;
        if (newest !== undefined) void stores.progress.reached(newest, { timeoutMs: HURRY_MS });
      },
    });
    return { scrubbing, scrubbed, erasing, erasure, forgetting };
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
