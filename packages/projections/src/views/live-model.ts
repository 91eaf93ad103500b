/** The names under which the read models are kept, and the way to the build that is live. */
import {
  type Build,
  type BuildInfo,
  ReadModelError,
  type ReadModelStore,
} from '../read-model-store.ts';

export const TRANSACTIONS = 'transactions';
export const PAYMENTS = 'payments';
export const RECORDS = 'records';
export const DESCRIPTORS = 'descriptors';
export const OPEN_INTENTS = 'open_intents';
export const UNANSWERED = 'unanswered';
export const ALERT_DEADLINES = 'alert_deadlines';
export const RESERVE_RELEASES = 'reserve_releases';
export const EXPIRIES = 'expiries';
export const CHARGEBACK_DEADLINES = 'chargeback_deadlines';

export const DISPUTES = 'disputes';
export const DISPUTE_STATES = 'dispute_states';
export const DISPUTE_QUEUE = 'dispute_queue';
export const UNMATCHED_DISPUTES = 'unmatched_disputes';

export const BLACK_LIST = 'black_list';
export const BLACK_LIST_STATES = 'black_list_states';
export const BLACK_LIST_ENTRIES = 'black_list_entries';

export const SUBSCRIPTIONS = 'subscriptions';
export const SUBSCRIBERS = 'subscribers';
export const SUBSCRIPTION_LIST = 'subscription_list';
export const EMAIL_SUBSCRIPTIONS = 'email_subscriptions';
export const CUSTOMER_SUBSCRIPTIONS = 'customer_subscriptions';
export const DUE_REBILLS = 'due_rebills';
export const PENDING_REBILLS = 'pending_rebills';

export const RECURRING = 'recurring';
export const MONTHS = 'months';

export const LEDGER = 'ledger';
export const BALANCES = 'balances';
export const ENTRIES = 'entries';
export const POSTED = 'posted';

export const SETTLEMENTS = 'settlements';
export const SETTLEMENT_STATES = 'settlement_states';
export const SETTLEMENT_IMPORTS = 'settlement_imports';
export const UNMATCHED = 'unmatched';

export const LEADS = 'leads';
export const LEAD_STATES = 'lead_states';
export const LEAD_LIST = 'lead_list';

export const CUSTOMERS = 'customers';
export const CUSTOMER_LIST = 'customer_list';

export const REFERENCE = 'reference';
export const THINGS = 'things';
export const KEYS = 'keys';
export const ORIGINS = 'origins';

/** A tenant's document of one id; ids of two tenants may be equal. */
export function keyOf(tenantId: number, id: string): string {
  return `${tenantId}/${id}`;
}

/** Of the projections whose documents this program reads. */
const versions = new Map<string, string>();

/** Builds of other versions are not read: their documents may mean something else, and they follow no log. */
export function expectVersions(
  projections: readonly ({ readonly name: string } & Pick<BuildInfo, 'version'>)[],
): void {
  for (const { name, version } of projections) versions.set(name, version);
}

/** The build that queries read. Throws `not-ready` before the worker has made one of this program's version. */
export async function liveModel(store: ReadModelStore, projection: string): Promise<Build> {
  return expected(await store.live(projection), projection);
}

/** The same of several, which are looked up together. */
export async function liveModels<const Projections extends readonly string[]>(
  store: ReadModelStore,
  projections: Projections,
): Promise<{ [Index in keyof Projections]: Build }> {
  const builds = await store.liveOf(projections);
  return projections.map((projection, index) => expected(builds[index], projection)) as never;
}

function expected(build: Build | undefined, projection: string): Build {
  const version = versions.get(projection);
  if (build === undefined || (version !== undefined && build.info.version !== version)) {
    throw new ReadModelError('not-ready', `there is no live build of ${projection} yet`);
  }
  return build;
}
