/** Disputes that wait for something, those that press most first. */
import type { DisputeRecord } from '@counterfoil/projections';
import { QUEUE_STATUS } from '@counterfoil/projections';
import { z } from 'zod';
import { cursorOf, inCursor } from '../../api/cursor.ts';
import { bounded, Day, Id, queryInteger } from '../../api/wire.ts';
import { addressWith } from '../list-address.ts';
import { optionsFor } from '../options.ts';
import { consolePage, type Visit } from '../slice.ts';
import { shownStatus } from '../transactions/status.ts';

export const PATH = '/disputes';
export const SCOPE = 'disputes:read';
const PAGE_SIZE = 25;
const MAX_CURSOR = 1_500;

const Place = z.strictObject({ sort: z.number(), key: z.string().max(1_000) });

/** What is listed where nothing else is asked for: those that wait. */
const WAITING = 'waiting';
const ALL = 'all';

const KINDS = [
  { value: '', label: 'All' },
  { value: 'chargeback', label: 'Chargebacks' },
  { value: 'alert', label: 'Alerts' },
];

export function hrefOf(visit: Visit, id: string, more = ''): string {
  return visit.href(`${PATH}/${id}${more}`);
}

export function statusOf({ status }: Pick<DisputeRecord, 'status'>) {
  return status === 'Unmatched' ? { text: 'No payment found', tone: 'warn' } : shownStatus(status);
}

export const queue = consolePage({
  path: PATH,
  title: 'Disputes',
  scope: SCOPE,
  query: z.object({
    status: z.enum([WAITING, ALL, ...QUEUE_STATUS]).optional(),
    kind: z.enum(['chargeback', 'alert']).optional(),
    merchantAccountId: queryInteger(Id).optional(),
    dueBy: Day.optional(),
    after: bounded(MAX_CURSOR).optional(),
  }),
  isList: true,
  template: '/disputes/queue',
  async load(visit, { query: { status = WAITING, kind, merchantAccountId, dueBy, after } }) {
    const { disputes, moreResults, end } = await visit.ledger.disputes.list({
      limit: PAGE_SIZE,
      ...(status !== WAITING && { statuses: status === ALL ? [...QUEUE_STATUS] : [status] }),
      ...(kind !== undefined && { kind }),
      ...(merchantAccountId !== undefined && { merchantAccountIds: [merchantAccountId] }),
      ...(dueBy !== undefined && { dueBy: `${dueBy}T23:59:59.999Z` }),
      ...(after !== undefined && { after: inCursor(after, Place) }),
    });
    const base = visit.href(PATH);
    const asked = { status, kind, merchantAccountId: merchantAccountId?.toString(), dueBy };
    const here = (more: Record<string, string>) => addressWith(base, { ...asked, ...more });
    return {
      status,
      kind: kind ?? '',
      dueBy,
      merchantAccountId: asked.merchantAccountId,
      accounts: (await optionsFor(visit)).merchantAccounts,
      isNarrowed:
        status !== WAITING || [kind, merchantAccountId, dueBy].some((each) => each !== undefined),
      kinds: KINDS,
      statuses: [
        { value: WAITING, label: 'Waiting' },
        { value: ALL, label: 'All' },
        ...QUEUE_STATUS.map((each) => ({ value: each, label: statusOf({ status: each }).text })),
      ],
      rows: disputes.map((each) => ({
        ...each,
        href: hrefOf(visit, each.disputeId),
        shownStatus: statusOf(each),
        account: each.midName || (each.merchantAccountId ?? ''),
      })),
      addresses: {
        queue: base,
        first: after === undefined ? undefined : here({}),
        next: moreResults && end !== undefined ? here({ after: cursorOf(end) }) : undefined,
      },
    };
  },
});
