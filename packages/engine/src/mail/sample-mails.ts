/** What each mail of the ledger would be filled with, to be shown to those who write its text. */
import type { MailProfile } from '@counterfoil/core';
import type { Moment } from './letters.ts';
import type { Filled, Row } from './templates.ts';

const SENT = '2026-03-14T09:26:00.000Z';
const NEXT = '2026-04-14T09:26:00.000Z';
const PLAN = 'Club';
const AMOUNT = '20.00 GBP';
const REFERENCE = '0199a3c2-5d1e-7000-8000-000000000001';
const CODE = 'sample-code';
const HOST = 'https://pay.shop.example';

type Contents = Pick<Filled, 'rows' | 'button'> & {
  readonly facts: Readonly<Record<string, string | boolean>>;
};

const card: Row = ['Card', 'ending in 4242'];
const statement: Row = ['On your statement as', 'SHOP.EXAMPLE'];
const reference: Row = ['Reference', REFERENCE];
const toSignIn = {
  facts: {},
  rows: [['Code', CODE]],
  button: { label: 'Set your password', url: `${HOST}/console/welcome?token=${CODE}` },
} as const;

/** As `Letters` fills it; the first name is that of nobody. */
export function sampleOf(kind: MailProfile.Kind, company: string, moment: Moment): Filled {
  const { facts, rows, button } = contentsOf(kind, moment);
  return {
    facts: { ...facts, company, firstName: 'Ada' },
    rows,
    ...(button !== undefined && { button }),
  };
}

function contentsOf(kind: MailProfile.Kind, moment: Moment): Contents {
  const paid = '100.00 GBP';
  switch (kind) {
    case 'refunded':
      return {
        facts: { amount: AMOUNT, paidAmount: paid, isLate: false },
        rows: [
          ['Refunded', AMOUNT],
          ['On', moment(NEXT)],
          ['Paid', `${paid} on ${moment(SENT)}`],
          ['Order', '1001'],
          card,
          statement,
          reference,
        ],
      };
    case 'unsubscribed':
      return ofPlan({ at: moment(SENT), isCharging: false }, [['Ended', moment(SENT)]]);
    case 'rebill-failed':
      return ofPlan({ amount: AMOUNT, retryAt: moment(NEXT) }, [
        ['Not paid', AMOUNT],
        card,
        ['Next try', moment(NEXT)],
      ]);
    case 'frozen': {
      const url = `${HOST}/mail/authenticate?token=${CODE}`;
      const facts = { isUnpaid: true, needsCustomer: true, amount: AMOUNT, confirmAt: url };
      const rows: readonly Row[] = [['Paused', moment(SENT)], ['Not paid', AMOUNT], card];
      return { ...ofPlan(facts, rows), button: { label: 'Confirm the payment', url } };
    }
    case 'renewed':
      return ofPlan({ amount: AMOUNT }, [
        ['Paid', AMOUNT],
        ['On', moment(SENT)],
        card,
        statement,
        reference,
        ['Next payment', moment(NEXT)],
      ]);
    case 'invited':
    case 'password-reset':
      return toSignIn;
  }
}

function ofPlan(facts: Contents['facts'], rows: readonly Row[]): Contents {
  return { facts: { plan: PLAN, ...facts }, rows: [['Subscription', `${PLAN} (1001)`], ...rows] };
}
