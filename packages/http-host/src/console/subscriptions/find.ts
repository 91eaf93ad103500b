/** Subscriptions: all of them, or found by their id, by a customer, or by an email that was paid with. */
import type { Subscription } from '@counterfoil/core';
import { Id } from '@counterfoil/engine/input';
import { SUBSCRIPTION_STATUS, type SubscriptionStatus } from '@counterfoil/projections';
import { z } from 'zod';
import { bounded, queryInteger } from '../../api/wire.ts';
import { customerIdsByEmail } from '../customers/by-email.ts';
import { addressWith } from '../list-address.ts';
import { optionsFor } from '../options.ts';
import { consolePage, type Visit } from '../slice.ts';
import { amountText, cadenceText, STATES, stateOf } from './words.ts';

export const PATH = '/subscriptions';
export const SCOPE = 'subscriptions:read';
const MAX_WORDS = 320;
const PAGE_SIZE = 25;
/** An email may have been that of several customers. */
const MAX_CUSTOMERS = 10;

const NumberText = bounded(16).regex(/^\d+$/, 'must be a number').transform(Number).pipe(Id);
export const SubscriptionParams = z.object({ id: NumberText });

type Found = Subscription.Subscription;

interface FoundPage {
  readonly subscriptions: readonly Found[];
  /** The id after which the next page begins. */
  readonly next?: number;
}

export function hrefOf(visit: Visit, id: number, more = ''): string {
  return visit.href(`${PATH}/${id}${more}`);
}

/** Records of subscriptions have no email: those of customers and payments do. Empty for who may read neither. */
export function emailOf(visit: Visit, { email }: Found): string {
  return visit.may('customers:read') || visit.may('transactions:read') ? email : '';
}

/** What a row of a list shows. */
export function rowOf(visit: Visit, subscription: Found) {
  const { subscriptionId: id, name, customerId, rebillAt: next } = subscription;
  const email = emailOf(visit, subscription);
  const amount = amountText(subscription);
  const cadence = cadenceText(subscription);
  const state = stateOf(subscription);
  return { id, href: hrefOf(visit, id), name, email, customerId, next, amount, cadence, state };
}

export const find = consolePage({
  path: PATH,
  title: 'Subscriptions',
  scope: SCOPE,
  query: z.object({
    q: bounded(MAX_WORDS).optional(),
    status: z.enum(SUBSCRIPTION_STATUS).optional(),
    merchantAccountId: queryInteger(Id).optional(),
    after: NumberText.optional(),
  }),
  isList: true,
  template: '/subscriptions/find',
  async load(visit, { query: { q = '', after, ...filter } }) {
    const words = q.trim();
    const isAsked = words !== '';
    const { subscriptions, next } = isAsked
      ? await foundBy(visit, words, after)
      : await listed(visit, filter, after);
    const base = visit.href(PATH);
    const { status, merchantAccountId } = filter;
    const asked = isAsked
      ? { q: words }
      : { status, merchantAccountId: merchantAccountId?.toString() };
    const here = (more: object) => addressWith(base, { ...asked, ...more });
    return {
      q,
      isAsked,
      byEmail: visit.may('transactions:read'),
      status: status ?? '',
      statuses: SUBSCRIPTION_STATUS.map((value) => ({ value, label: STATES[value].text })),
      merchantAccountId: merchantAccountId?.toString(),
      accounts: isAsked ? undefined : (await optionsFor(visit)).merchantAccounts,
      isNarrowed: status !== undefined || merchantAccountId !== undefined,
      rows: subscriptions.map((each) => rowOf(visit, each)),
      addresses: {
        find: base,
        first: after === undefined ? undefined : here({}),
        next: next === undefined ? undefined : here({ after: String(next) }),
      },
    };
  },
});

interface Filter {
  readonly status?: SubscriptionStatus | undefined;
  readonly merchantAccountId?: number | undefined;
}

async function listed(visit: Visit, filter: Filter, after: number | undefined): Promise<FoundPage> {
  return pageOf(await visit.ledger.subscriptions.list({ ...filter, limit: PAGE_SIZE, after }));
}

async function foundBy(visit: Visit, words: string, after: number | undefined): Promise<FoundPage> {
  const { success, data: id } = NumberText.safeParse(words);
  if (!success) return { subscriptions: await foundByEmail(visit, words) };
  const own = after === undefined ? await subscriptionOrNone(visit, id) : undefined;
  const page = await ofCustomer(visit, id, after);
  if (own === undefined) return page;
  const others = page.subscriptions.filter(({ subscriptionId }) => subscriptionId !== id);
  return { ...page, subscriptions: [own, ...others] };
}

async function ofCustomer(visit: Visit, customerId: number, after?: number): Promise<FoundPage> {
  const { subscriptions } = visit.ledger;
  return pageOf(await subscriptions.ofCustomer(customerId, { limit: PAGE_SIZE, after }));
}

function pageOf({
  subscriptions,
  moreResults,
}: {
  readonly subscriptions: readonly Found[];
  readonly moreResults: boolean;
}): FoundPage {
  const last = subscriptions.at(-1)?.subscriptionId;
  return { subscriptions, ...(moreResults && last !== undefined && { next: last }) };
}

async function foundByEmail(visit: Visit, email: string): Promise<readonly Found[]> {
  const ids = (await customerIdsByEmail(visit, email)).slice(0, MAX_CUSTOMERS);
  const pages = await Promise.all(ids.map((id) => ofCustomer(visit, id)));
  return pages.flatMap(({ subscriptions }) => subscriptions);
}

/** Of the data of the address alone: sandbox subscriptions are not shown among live ones. */
export async function subscriptionOrNone(visit: Visit, id: number): Promise<Found | undefined> {
  try {
    const found = await visit.ledger.subscriptions.get(id);
    return found.sandbox === (visit.environment === 'test') ? found : undefined;
  } catch (error) {
    if (visit.services.refusalOf(error)?.code === 'not_found') return undefined;
    throw error;
  }
}
