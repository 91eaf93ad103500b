/** The activity of one tenant, for one caller. */
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { Day, IN_ORDER, inOrder, text } from '../input/texts.ts';
import type { Page } from '../pages.ts';
import { nothing, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import { type ActivityRecord, OUTCOMES, type Owner } from './activity.ts';
import type { ActivityLog } from './activity-log.ts';

export { type ActivityRecord, OUTCOMES };

const MAX_LIMIT = 100;

const filters = {
  /** Default: that of the caller. */
  environment: z.enum(['live', 'test']).optional(),
  actor: text(255).optional(),
  keyId: text(255).optional(),
  action: text(100).optional(),
  subject: text(100).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  /** Inclusive days, GMT. */
  dateFrom: Day.optional(),
  dateTo: Day.optional(),
};
/** What is given must match; all of it. */
export const ActivityFilterInput = z.strictObject(filters).refine(inOrder, IN_ORDER);
export type ActivityFilterInput = z.input<typeof ActivityFilterInput>;

export const ActivityListing = z
  .strictObject({
    ...filters,
    limit: z.int().min(1).max(MAX_LIMIT).optional(),
    /** `next` of the page before. */
    after: text(64).optional(),
  })
  .refine(inOrder, IN_ORDER);
export type ActivityListing = z.input<typeof ActivityListing>;

export class TenantActivity {
  readonly #activity: ActivityLog;
  readonly #acting: Acting;

  constructor(activity: ActivityLog, acting: Acting) {
    this.#activity = activity;
    this.#acting = acting;
  }

  /** A page of records, newest first. Refuses with `LiveDataForbidden`. */
  async list(listing: ActivityListing = {}): Promise<Page<ActivityRecord>> {
    const { limit = MAX_LIMIT, environment, ...query } = listing;
    // One more record tells whether there are others.
    const found = await this.#activity.page({
      ...query,
      ...this.#owner(environment),
      limit: limit + 1,
    });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return found.length === items.length || last === undefined
      ? { items }
      : { items, next: last.id };
  }

  /** All records in pages, newest first: the next one is read when it is asked for. */
  async export(
    filter: ActivityFilterInput = {},
  ): Promise<AsyncIterable<readonly ActivityRecord[]>> {
    const { environment, ...same } = filter;
    return this.#activity.pages(this.#owner(environment), same);
  }

  #owner(asked: Owner['environment'] | undefined): Owner {
    const { tenantId, environment } = this.#acting;
    if (environment === 'test' && asked === 'live') throw refused({ type: 'LiveDataForbidden' });
    return { tenantId, environment: asked ?? environment };
  }
}

export const ACTIVITY_INPUTS: CallInputs<TenantActivity> = {
  list: [ActivityListing.optional()],
  export: [ActivityFilterInput.optional()],
};

export const ACTIVITY_CALLS: RecordedCalls<TenantActivity> = { export: nothing };
