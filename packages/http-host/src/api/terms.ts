/** The glossary: the terms of card payments and of the ledger, for the reference and the console. docs/glossary.md has the same. */
import type { TermGroup } from '../http/openapi-guide.ts';

/** Meanings are in Markdown. */
export const TERMS: readonly TermGroup[] = [
  {
    title: 'Who and where',
    terms: [
      {
        term: 'Application',
        meaning:
          'A shop, site or app of a tenant that takes payments. Every payment, lead and checkout session names one.',
      },
      {
        term: 'Company',
        meaning:
          'A legal entity of a tenant. Merchant accounts belong to companies, and so do the payments on them.',
      },
      {
        term: 'Environment',
        meaning:
          '`live` or `test`. A key belongs to one of them; data of the two are never mixed, and nothing of `test` (also called sandbox) reaches a bank.',
      },
      {
        term: 'Merchant account',
        meaning:
          'An account at an acquirer through which payments are taken: its gateway and credentials, currencies, fees, reserve, limits and descriptor.',
      },
      {
        term: 'MID',
        meaning:
          'Merchant id: names a merchant account at its acquirer. In the ledger it has a `merchantAccountId`.',
      },
      {
        term: 'PSP',
        meaning: 'Payment service provider: the company behind a gateway or a merchant account.',
      },
      {
        term: 'Tenant',
        meaning:
          'A customer of the platform (`parentCompanyId`, `ClientId`). Nothing of a tenant is visible to another.',
      },
    ],
  },
  {
    title: 'A payment',
    terms: [
      {
        term: '3-D Secure',
        meaning:
          'The bank of the card has its holder authenticate the payment, on a page of its own. Until then the payment is `RequiresAction`.',
      },
      {
        term: 'Acquirer',
        meaning:
          'The bank that takes card payments for a merchant and pays them out. A gateway stands between it and the ledger.',
      },
      {
        term: 'ARN',
        meaning:
          "Acquirer reference number: names a capture or a refund at the banks, so that a cardholder's bank can find it.",
      },
      {
        term: 'Auth code',
        meaning:
          'What the bank of the card answers when it approves. Providers of chargeback mitigation search by it.',
      },
      {
        term: 'Authorization',
        meaning:
          "The bank's promise to pay, for some days. It is captured in whole or in part, or voided; one that is left expires.",
      },
      {
        term: 'AVS',
        meaning:
          'Address verification: the bank compares the street and the postal code that were typed with those that it has.',
      },
      {
        term: 'BIN',
        meaning:
          'Bank identification number, also IIN: the first six to eight digits of a card number. They tell the network and the bank.',
      },
      {
        term: 'CAID',
        meaning: 'Card acceptor id: the merchant account in the messages to the network.',
      },
      {
        term: 'Capture',
        meaning:
          'Takes the money that was authorized. Only what is captured is a sale in the books.',
      },
      {
        term: 'CVV',
        meaning: 'The three or four digits on the card that are never stored, here or elsewhere.',
      },
      {
        term: 'Decline',
        meaning:
          'The bank, or the gateway, says no. A soft decline may be tried again or on another merchant account; a hard one is final for that card.',
      },
      {
        term: 'Descriptor',
        meaning:
          'What the cardholder reads on the statement of the card. It belongs to the merchant account, and may have a part that changes with the payment.',
      },
      {
        term: 'Gateway',
        meaning:
          'The service that a charge is sent to. An adapter makes it fit the port of gateways.',
      },
      {
        term: 'MCC',
        meaning: 'Merchant category code of ISO 18245: four digits for what a merchant sells.',
      },
      {
        term: 'Network',
        meaning: 'The card scheme, such as NetworkA: `cardBrandId` 1 to 6, 0 when it is not known.',
      },
      {
        term: 'Payment method',
        meaning: 'A card that a customer has left for later payments, as a token of the gateway.',
      },
      {
        term: 'Token',
        meaning:
          'Stands for a card at a gateway. The full card number is handed to the gateway once, and is kept nowhere.',
      },
      {
        term: 'Unknown',
        meaning:
          'The gateway gave no answer, so the money may have moved. The payment stays `Unknown` until the gateway has been asked what became of it; it is never charged again meanwhile.',
      },
      {
        term: 'Void',
        meaning: 'Releases an authorization, or takes back a capture before it is settled.',
      },
    ],
  },
  {
    title: 'Money that goes back',
    terms: [
      {
        term: 'Alert',
        meaning:
          'A warning that a dispute is coming, from a provider of mitigation or from the network. A refund in time may spare the chargeback.',
      },
      {
        term: 'Black list',
        meaning:
          'Emails, cards, BINs, IP addresses and customers of a tenant whose payments are blocked.',
      },
      {
        term: 'CDRN',
        meaning:
          'A network of banks that holds a dispute back for 72 hours, so that the merchant may refund first.',
      },
      {
        term: 'Chargeback',
        meaning:
          "The cardholder's bank takes the money back. It is booked when it is opened, and again when it is won.",
      },
      {
        term: 'Dispute',
        meaning:
          'A chargeback or an alert, from its report to its end. The queue has those that wait for an answer.',
      },
      {
        term: 'Early-fraud warning',
        meaning:
          'A report of the network that a payment was probably fraud. It moves no money by itself.',
      },
      {
        term: 'Inquiry',
        meaning:
          "A question of the cardholder's bank before a dispute. It is recorded as an alert.",
      },
      {
        term: 'Mitigation',
        meaning:
          'All that keeps disputes from becoming chargebacks: alerts, refunds in time, and the searches of their providers.',
      },
      {
        term: 'Money-out rule',
        meaning:
          'Refunds, credits by RDR and chargebacks of a payment never exceed what was captured. One function says so for all of them.',
      },
      {
        term: 'RDR',
        meaning:
          'Rapid dispute resolution: the network refunds by rules that the merchant set beforehand. The ledger records it and asks no gateway.',
      },
      {
        term: 'Refund',
        meaning:
          'Gives money back, in whole or in part. It is a transaction of its own beside its payment.',
      },
      {
        term: 'Representment',
        meaning: "The merchant's answer to a chargeback, with evidence.",
      },
    ],
  },
  {
    title: 'Money that is paid out',
    terms: [
      {
        term: 'Fee',
        meaning:
          'What the acquirer or the gateway keeps: a percentage, and amounts for each transaction, refund, chargeback and alert. A merchant account has its terms.',
      },
      {
        term: 'Monthly cap',
        meaning:
          'The most that a merchant account may capture in a month (GMT). `capLimited` says that it has no more room.',
      },
      {
        term: 'Payout',
        meaning: 'An amount that a gateway or acquirer transfers to the bank of the merchant.',
      },
      {
        term: 'Reserve',
        meaning:
          'A part of each capture that the acquirer holds back for some days, against chargebacks.',
      },
      {
        term: 'Settlement',
        meaning:
          'The lines of a payout, compared with the books: what agrees is booked as settled, and everything else is listed as a difference.',
      },
      {
        term: 'Statement',
        meaning:
          'The month of a merchant account: opening balance, sales, refunds, chargebacks, fees, reserve, settled, closing balance.',
      },
      {
        term: 'Trial balance',
        meaning:
          'The balances of all accounts of the books. Debits and credits are equal after every event.',
      },
    ],
  },
  {
    title: 'Subscriptions',
    terms: [
      {
        term: 'Dunning',
        meaning:
          'What happens after a rebill is declined: tries on later days, with mails, until it is paid or the subscription is frozen.',
      },
      {
        term: 'Freeze',
        meaning:
          'Billing stops, by hand or after the last try. A frozen subscription goes on when it is unfrozen, or paid with another card.',
      },
      {
        term: 'MRR',
        meaning: 'Monthly recurring revenue: what active subscriptions bill, as an amount a month.',
      },
      {
        term: 'Rebill',
        meaning: 'A later charge of a subscription, without the customer.',
      },
      {
        term: 'Unsubscribe',
        meaning: 'Ends a subscription. It is never undone; a later payment starts another.',
      },
    ],
  },
  {
    title: 'Leads and sessions',
    terms: [
      {
        term: 'Checkout session',
        meaning:
          'What a server signs for one payment: amount, currency, items, customer, addresses to return to. A browser can pay it and change nothing of it.',
      },
      {
        term: 'Customer lead',
        meaning:
          'A visitor who left an email. It is paid when a captured payment of the same session arrives within 30 days.',
      },
      {
        term: 'partnerSession',
        meaning:
          'The identifier of a visit, click or session that a partner passed in. It leads from a payment to its lead.',
      },
      {
        term: 'serviceSession',
        meaning: 'The session that the widget starts.',
      },
    ],
  },
  {
    title: 'Emails',
    terms: [
      {
        term: 'DKIM',
        meaning:
          "A signature of the sender's domain in each email, by which mail servers trust it.",
      },
      {
        term: 'Suppression',
        meaning:
          'An address to which no email is sent any more: a mail server refused it, its person unsubscribed, or the tenant entered it.',
      },
    ],
  },
  {
    title: 'The ledger inside',
    terms: [
      {
        term: 'Aggregate',
        meaning: 'Decides on commands by the events of one stream, such as a payment.',
      },
      {
        term: 'Build',
        meaning:
          'A read model in the making or in use. A rebuild makes a new one beside the live one, compares them, and swaps.',
      },
      {
        term: 'Command',
        meaning: 'Asks for a change. The same command under the same id has one effect.',
      },
      {
        term: 'Event',
        meaning:
          'What has happened, in the log for good: `PaymentCaptured`, `Refunded`, `Unsubscribed`. Read models, books, mails and webhooks follow from events.',
      },
      {
        term: 'Follower',
        meaning: 'Reads the log in its order and does what follows from it, from where it stopped.',
      },
      {
        term: 'Idempotency key',
        meaning:
          'Names a request. Sent again, it has the first answer; with other content it is refused.',
      },
      {
        term: 'Parked stream',
        meaning:
          'A stream of which an event could not be applied to a read model. The others go on, and it is tried again from the operations page.',
      },
      {
        term: 'Personal data',
        meaning:
          'Names, emails, addresses: sealed in events with a key of the customer. Erasing the customer destroys the key.',
      },
      {
        term: 'Projection',
        meaning: 'Makes a read model from events: the search, the detail, the ledger, and so on.',
      },
      {
        term: 'Stream',
        meaning: 'The events of one thing, in their order, with revisions from 0.',
      },
      {
        term: 'Sweeper',
        meaning: 'Asks gateways about what was left open, and expires what is overdue.',
      },
    ],
  },
];

/** The anchor of a term in a page that lists them; undefined of what is no term. */
export function anchorOfTerm(text: string): string | undefined {
  return ANCHORS.get(lettersOf(text));
}

const ANCHORS: ReadonlyMap<string, string> = new Map(
  TERMS.flatMap(({ terms }) =>
    terms.map(({ term }) => [lettersOf(term), term.toLowerCase().replaceAll(' ', '-')] as const),
  ),
);

/** `EarlyFraudWarning` and `Early-fraud warning` are one term. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
