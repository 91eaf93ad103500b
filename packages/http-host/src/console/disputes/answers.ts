/** What is done about disputes: represent, accept, refund, decline, match. Each is said in words, and done once. */
import { Refused } from '@counterfoil/engine';
import { z } from 'zod';
import { bounded, Uuid } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { Chosen } from '../fields.ts';
import { doneOnce } from '../once.ts';
import { shownDate, shownMoney } from '../shown.ts';
import {
  type Again,
  type ConsoleForm,
  type ConsolePage,
  consoleForm,
  consolePage,
  type Visit,
} from '../slice.ts';
import {
  ANSWERS,
  type Answer,
  answersTo,
  DisputeParams,
  type DisputeShown,
  disputeOf,
  isRefused,
  TEXTS,
  WRITE_SCOPE,
} from './detail.ts';
import { hrefOf, PATH, statusOf } from './queue.ts';

const MAX_NOTE = 1_000;
const note = bounded(MAX_NOTE).optional();
/** What the dispute was when the page was shown. */
const seen = bounded(100);

function seenOf({ dispute: { status, changedAt }, evidence }: DisputeShown): string {
  return `${status} ${changedAt} ${evidence.sent.length}`;
}

function reviewOf(visit: Visit, shown: DisputeShown, answer: Answer, again: Again | undefined) {
  const { dispute } = shown;
  const isThere = answersTo(shown).includes(answer);
  const status = statusOf(dispute);
  const sum = shownMoney(dispute.amount, dispute.currency);
  const closed = { field: '', text: `Nothing to do: ${status.text.toLowerCase()}` };
  return {
    isThere,
    sum,
    status,
    title: `${ANSWERS[answer]}: ${sum}`,
    trail: [
      { title: 'Disputes', href: visit.href(PATH) },
      { title: sum, href: hrefOf(visit, dispute.disputeId) },
    ],
    facts: [
      { label: 'Customer', value: dispute.email },
      { label: 'Status', value: status.text },
      { label: 'Reason', value: dispute.reasonCode || dispute.alertType },
      { label: 'Answer by', value: dispute.deadline === null ? '' : shownDate(dispute.deadline) },
    ],
    problems: again?.problems ?? (isThere ? [] : [closed]),
    hidden: { seen: seenOf(shown) },
    label: ANSWERS[answer],
    action: hrefOf(visit, dispute.disputeId, `/${answer}`),
    back: hrefOf(visit, dispute.disputeId),
  };
}

const base = (answer: Answer) => ({
  path: `${PATH}/{id}/${answer}`,
  title: ANSWERS[answer],
  scope: WRITE_SCOPE,
  params: DisputeParams,
});

interface SimpleAnswer {
  readonly answer: 'accept' | 'refund' | 'decline';
  readonly isDanger: boolean;
  readonly consequences: (sum: string) => readonly string[];
  /** A form that was sent before finds it so. */
  readonly done: DisputeShown['dispute']['status'];
  readonly said: (status: DisputeShown['dispute']['status']) => string;
}

const SIMPLE: readonly SimpleAnswer[] = [
  {
    answer: 'accept',
    isDanger: true,
    consequences: (sum) => [
      `The ${sum} of the chargeback are given up for good.`,
      'It cannot be represented after that. A gateway that takes answers is told.',
    ],
    done: 'ChargebackAccepted',
    said: () => 'The chargeback is accepted.',
  },
  {
    answer: 'refund',
    isDanger: false,
    consequences: (sum) => [
      `${sum} go back to the card of the customer. A refund cannot be taken back.`,
      'The alert is resolved once that is paid.',
    ],
    done: 'AlertResolved',
    said: (status) =>
      status === 'AlertResolved'
        ? 'Refunded: the alert is resolved.'
        : 'The refund waits for the answer of the gateway.',
  },
  {
    answer: 'decline',
    isDanger: true,
    consequences: (sum) => [`The ${sum} are kept.`, 'A chargeback may follow, with its fee.'],
    done: 'AlertDeclined',
    said: () => 'The alert is declined.',
  },
];

function simplePage({ answer, isDanger, consequences }: SimpleAnswer): ConsolePage {
  return consolePage({
    ...base(answer),
    template: '/templates/review',
    async load(visit, { params: { id }, again }) {
      const review = reviewOf(visit, await disputeOf(visit, id), answer, again);
      return {
        ...review,
        isDanger,
        consequences: review.isThere ? consequences(review.sum) : [],
        fields: [{ name: 'note', label: 'Note', optional: true, value: again?.values['note'] }],
      };
    },
  });
}

function simpleForm(simple: SimpleAnswer, page: ConsolePage): ConsoleForm {
  const { answer, done, said } = simple;
  return consoleForm({
    ...base(answer),
    name: `${answer}-dispute`,
    body: z.object({ seen, note }),
    page,
    async act(visit, { params: { id }, body }) {
      const before = await disputeOf(visit, id);
      return doneOnce({
        to: hrefOf(visit, id),
        what: 'the dispute',
        isDone: before.dispute.status === done,
        isAsSeen: seenOf(before) === body.seen,
        async act() {
          const { status } = await visit.ledger.disputes[answer](id, { note: body.note });
          return said(status);
        },
      });
    },
  });
}

const MAX_TEXT = 20_000;

/** Banks are given one line. */
const evidenceText = bounded(MAX_TEXT)
  .transform((text) =>
    text
      .split(/[\r\n]/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join(' '),
  )
  .optional();

/** Said beside the first field of the form. */
function beside(error: unknown): unknown {
  if (!(error instanceof Refused) || error.code !== 'EvidenceMissing') return error;
  const detail = 'There is nothing to hand in: write what happened, or choose a file';
  return refuse('evidence_invalid', detail, { errors: [{ pointer: '/explanation', detail }] });
}

const representPage = consolePage({
  ...base('represent'),
  template: '/disputes/represent',
  async load(visit, { params: { id }, again }) {
    const shown = await disputeOf(visit, id);
    const { files } = shown.evidence;
    const digests = files.map(({ digest }) => digest);
    const { digests: chosen = again === undefined ? digests : [] } = again?.values ?? {};
    return {
      ...reviewOf(visit, shown, 'represent', again),
      files: files.map(({ digest: value, name, mediaType }) => ({
        value,
        label: name || 'erased',
        note: mediaType,
      })),
      chosen: [chosen].flat(),
      texts: TEXTS.map((each) => ({
        ...each,
        problem: again?.problems.find(({ field }) => field === each.name)?.text,
        value: again?.values[each.name] ?? shown.evidence.fields[each.name],
      })),
      isExceeding: shown.dispute.exceedsCaptured,
    };
  },
});

const represent = consoleForm({
  ...base('represent'),
  name: 'represent-dispute',
  body: z.object({
    seen,
    note,
    digests: Chosen,
    explanation: evidenceText,
    customerCommunication: evidenceText,
    carrier: evidenceText,
    trackingNumber: evidenceText,
  }),
  page: representPage,
  async act(visit, { params: { id }, body: { seen: seenThen, note: said, digests, ...texts } }) {
    const before = await disputeOf(visit, id);
    const { dispute, evidence } = before;
    const fields = Object.fromEntries(
      TEXTS.flatMap(({ name }) => (texts[name] ? [[name, texts[name]]] : [])),
    );
    return doneOnce({
      to: hrefOf(visit, id),
      what: 'the dispute',
      isDone: dispute.status === 'ChargebackUnderReview' && !isRefused(evidence),
      isAsSeen: seenOf(before) === seenThen,
      async act() {
        try {
          await visit.ledger.disputes.represent(id, { digests, fields, note: said });
        } catch (error) {
          throw beside(error);
        }
        return 'The evidence is handed in: the bank decides.';
      },
    });
  },
});

const matchPage = consolePage({
  ...base('match'),
  template: '/templates/review',
  async load(visit, { params: { id }, again }) {
    const shown = await disputeOf(visit, id);
    const review = reviewOf(visit, shown, 'match', again);
    return {
      ...review,
      consequences: review.isThere
        ? [`${review.sum} are booked as a dispute of this payment, by what was reported.`]
        : [],
      fields: [
        {
          name: 'transactionId',
          label: 'Transaction id of the payment',
          hint: 'Found under Transactions, by what the report says: reference, amount, customer.',
          value: again?.values['transactionId'],
        },
      ],
    };
  },
});

const match = consoleForm({
  ...base('match'),
  name: 'match-dispute',
  body: z.object({ seen, transactionId: Uuid }),
  page: matchPage,
  async act(visit, { params: { id }, body }) {
    const before = await disputeOf(visit, id);
    return doneOnce({
      to: hrefOf(visit, id),
      what: 'the dispute',
      isDone: before.dispute.transactionId === body.transactionId,
      isAsSeen: seenOf(before) === body.seen,
      async act() {
        await visit.ledger.disputes.match(id, { transactionId: body.transactionId });
        return 'The report is matched with its payment.';
      },
    });
  },
});

const simplePages = SIMPLE.map((simple) => ({ simple, page: simplePage(simple) }));
export const ANSWER_PAGES = [...simplePages.map(({ page }) => page), representPage, matchPage];
export const ANSWER_FORMS = [
  ...simplePages.map(({ simple, page }) => simpleForm(simple, page)),
  represent,
  match,
];
