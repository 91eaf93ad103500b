/** One dispute: what it is about, its evidence, and what the user may do with it. */
import type { TenantLedger } from '@counterfoil/engine';
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { consoleForm, consolePage, type Visit } from '../slice.ts';
import { hrefOf, PATH, SCOPE, statusOf } from './queue.ts';

export const WRITE_SCOPE = 'disputes:write';
const MAX_FILE_BYTES = 5 * 2 ** 20;

/** Names that gateways know as texts of their own: see docs/gateways.md. Others may be sent by the interface. */
export const TEXTS = [
  {
    name: 'explanation',
    label: 'What happened',
    hint: 'What was bought, and why the payment is right.',
  },
  { name: 'customerCommunication', label: 'What the customer wrote' },
  { name: 'carrier', label: 'Carrier' },
  { name: 'trackingNumber', label: 'Tracking number' },
] as const;
const LABELS: ReadonlyMap<string, string> = new Map([
  ...TEXTS.map(({ name, label }) => [name, label] as const),
  // Added by the ledger where money was given back twice.
  ['refunds', 'Refunds before the chargeback'],
]);

/** A dispute with its evidence. */
export type DisputeShown = Awaited<ReturnType<TenantLedger['disputes']['get']>>;

export const DisputeParams = z.object({ id: bounded(255).toLowerCase() });

export const ANSWERS = {
  represent: 'Represent',
  accept: 'Accept',
  refund: 'Refund',
  decline: 'Decline',
  match: 'Match with a payment',
} as const;
export type Answer = keyof typeof ANSWERS;

/** Of the data of the address alone: sandbox disputes are not shown among live ones. */
export async function disputeOf(visit: Visit, id: string): Promise<DisputeShown> {
  if (!visit.may(SCOPE)) throw refuse('insufficient_scope', 'Your roles do not allow it');
  const found = await visit.ledger.disputes.get(id);
  if (found.dispute.sandbox === (visit.environment === 'test')) return found;
  throw refuse('not_found', 'No dispute of this company has this id.');
}

/** What the state permits. */
export function answersTo({ dispute: { status }, evidence }: DisputeShown): readonly Answer[] {
  if (status === 'ChargebackUnderReview') return isRefused(evidence) ? ['represent'] : [];
  return answersToStatus(status);
}

/** The same by the status alone: of one that is in review, nothing. */
export function answersToStatus(status: string): readonly Answer[] {
  switch (status) {
    case 'Unmatched':
      return ['match'];
    case 'ChargebackOpen':
      return ['represent', 'accept'];
    case 'AlertOpen':
      return ['refund', 'decline'];
    default:
      return [];
  }
}

/** The gateway refused what was handed in last: it may be handed in again. */
export function isRefused({ sent }: DisputeShown['evidence']): boolean {
  return sent.at(-1)?.answer === 'evidence' && sent.at(-1)?.result === 'refused';
}

/** What was handed in last; undefined before. */
function handedInOf({ files, fields, submittedAt, submittedDigests }: DisputeShown['evidence']) {
  if (submittedAt === null) return undefined;
  return {
    at: submittedAt,
    texts: Object.entries(fields).map(([name, text]) => ({
      label: LABELS.get(name) ?? name,
      text,
    })),
    files: files
      .filter(({ digest }) => submittedDigests.includes(digest))
      .map(({ name }) => name || 'erased'),
  };
}

export const detail = consolePage({
  path: `${PATH}/{id}`,
  title: 'Dispute',
  scope: SCOPE,
  params: DisputeParams,
  template: '/disputes/dispute',
  async load(visit, { params: { id }, again }) {
    const shown = await disputeOf(visit, id);
    const { dispute, evidence } = shown;
    const mayWrite = visit.may(WRITE_SCOPE);
    const answers = mayWrite ? answersTo(shown) : [];
    return {
      title: dispute.kind === 'chargeback' ? 'Chargeback' : 'Alert',
      dispute,
      evidence,
      handedIn: handedInOf(evidence),
      status: statusOf(dispute),
      problems: again?.problems,
      mayKeep: answers.includes('represent'),
      answers: answers.map((answer) => ({
        label: ANSWERS[answer],
        isMain: answer === 'represent' || answer === 'match',
        href: hrefOf(visit, id, `/${answer}`),
      })),
      addresses: {
        queue: visit.href(PATH),
        keep: hrefOf(visit, id, '/evidence'),
        payment:
          dispute.transactionId !== null && visit.may('transactions:read')
            ? visit.href(`/transactions/${dispute.transactionId}`)
            : undefined,
      },
    };
  },
});

export const keepEvidence = consoleForm({
  name: 'keep-evidence',
  path: `${PATH}/{id}/evidence`,
  scope: WRITE_SCOPE,
  params: DisputeParams,
  file: { field: 'file', maxBytes: MAX_FILE_BYTES },
  page: detail,
  async act(visit, { params: { id }, file }) {
    await disputeOf(visit, id);
    if (file === undefined) {
      const chosen = [{ pointer: '/file', detail: 'Choose a file' }];
      throw refuse('invalid_request', 'Choose a file', { errors: chosen });
    }
    await visit.ledger.disputes.keepEvidence(id, file);
    return { to: hrefOf(visit, id), notice: `${file.name} is kept.` };
  },
});
