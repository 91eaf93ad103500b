/** An independent model of the ledger, folded from the events, to compare the product with. */
import {
  type AnyVault,
  decodeRecord,
  type Event,
  type EventStore,
  openerOf,
  toMajor,
} from '@counterfoil/core';

/** A refund, chargeback or alert. */
export interface Child {
  readonly id: string;
  readonly kind: 'refund' | 'void' | 'chargeback' | 'alert';
  status: string;
  readonly amountMinor: bigint;
  readonly sent: string;
  gatewayTransactionId: string;
}

type Submitted = Extract<Event, { type: 'PaymentSubmitted' }>;
type Route = Extract<Event, { type: 'AttemptStarted' }>['route'];

/** A payment according to its events. */
export interface Payment {
  readonly tenantId: number;
  readonly id: string;
  readonly order: Submitted;
  status: string;
  capturedMinor: bigint;
  capturedAt: string | undefined;
  gatewayTransactionId: string;
  authCode: string;
  route: Route | undefined;
  attempts: number;
  waitsForCapture: boolean;
  waitsForVoid: boolean;
  readonly children: Map<string, Child>;
  readonly events: Event[];
}

/** Debit and credit in minor units of one account of one merchant account. */
interface Balance {
  debitMinor: bigint;
  creditMinor: bigint;
}

/** The state of a whole log. */
export interface Model {
  readonly payments: ReadonlyMap<string, Payment>;
  /** By `tenant/environment/merchantAccount/currency/account`. */
  readonly balances: ReadonlyMap<string, Balance>;
  /** The stored text of every event, to search for secrets. */
  readonly texts: readonly string[];
}

export interface Reading {
  /** Only these tenants; all when absent. */
  readonly tenants?: readonly number[];
  /** Decrypts the personal data of events. */
  readonly vault?: AnyVault | undefined;
}

export async function modelOf(
  events: EventStore,
  { tenants, vault }: Reading = {},
): Promise<Model> {
  const payments = new Map<string, Payment>();
  const balances = new Map<string, Balance>();
  const texts: string[] = [];
  for await (const batch of events.subscribe({ untilHead: true })) {
    const opener = await openerOf(vault, batch);
    for (const stored of batch) {
      if (tenants?.includes(stored.tenantId) === false) continue;
      texts.push(`${stored.data} ${stored.metadata}`);
      const { event, tenantId, stream } = decodeRecord(stored, opener);
      apply(payments, { event, tenantId, stream });
      post(balances, event, tenantId);
    }
  }
  return { payments, balances, texts };
}

function apply(
  payments: Map<string, Payment>,
  { event, tenantId, stream }: { event: Event; tenantId: number; stream: string },
): void {
  if (event.type === 'PaymentSubmitted') {
    if (payments.has(stream)) throw new Error(`${stream} was submitted twice`);
    payments.set(stream, {
      tenantId,
      id: event.transactionId,
      order: event,
      status: 'Created',
      capturedMinor: 0n,
      capturedAt: undefined,
      gatewayTransactionId: '',
      authCode: '',
      route: undefined,
      attempts: 0,
      waitsForCapture: false,
      waitsForVoid: false,
      children: new Map(),
      events: [event],
    });
    return;
  }
  const payment = payments.get(stream);
  if (payment === undefined) return;
  payment.events.push(event);
  applyToPayment(payment, event);
  applyToChildren(payment, event);
}

function applyToPayment(payment: Payment, event: Event): void {
  switch (event.type) {
    case 'AttemptStarted':
      Object.assign(payment, { status: 'Processing', route: event.route });
      payment.attempts += 1;
      break;
    case 'ActionRequired':
      Object.assign(payment, {
        status: 'RequiresAction',
        gatewayTransactionId: event.gatewayTransactionId,
      });
      break;
    case 'ActionCompleted':
      payment.status = 'Processing';
      break;
    case 'PaymentAuthorized': {
      const { gatewayTransactionId, authCode } = event;
      Object.assign(payment, { status: 'Authorized', gatewayTransactionId, authCode });
      break;
    }
    case 'PaymentCaptured': {
      if (payment.capturedAt !== undefined) throw new Error(`${payment.id} was captured twice`);
      const { amountMinor: capturedMinor, at: capturedAt, gatewayTransactionId, authCode } = event;
      const facts = { capturedMinor, capturedAt, gatewayTransactionId, authCode };
      Object.assign(payment, { ...facts, status: 'Captured', waitsForCapture: false });
      break;
    }
    case 'PaymentDeclined':
      Object.assign(payment, {
        status: 'Declined',
        gatewayTransactionId: event.gatewayTransactionId,
      });
      break;
    case 'PaymentFailed':
      payment.status = 'Failed';
      break;
    case 'OutcomeUnknown':
      payment.status = 'Unknown';
      break;
    case 'AuthorizationExpired':
      payment.status = 'Expired';
      break;
    case 'PaymentVoided':
      if (payment.status === 'Voided') throw new Error(`${payment.id} was voided twice`);
      Object.assign(payment, { status: 'Voided', waitsForVoid: false });
      break;
    case 'CaptureRequested':
    case 'CaptureFailed':
      payment.waitsForCapture = event.type === 'CaptureRequested';
      break;
    case 'VoidRequested':
    case 'VoidFailed':
      payment.waitsForVoid = event.type === 'VoidRequested';
      break;
    default:
  }
}

function applyToChildren({ children, id, order }: Payment, event: Event): void {
  const born = (child: Omit<Child, 'gatewayTransactionId'>) => {
    if (children.has(child.id)) throw new Error(`${child.id} of ${id} came in twice`);
    children.set(child.id, { ...child, gatewayTransactionId: '' });
  };
  switch (event.type) {
    case 'RefundRequested': {
      const { refundId, amountMinor, at: sent } = event;
      born({ id: refundId, kind: 'refund', status: 'RefundPending', amountMinor, sent });
      break;
    }
    case 'PaymentVoided': {
      const { voidId, at: sent } = event;
      // Of an authorization nothing was taken: it shows what was held.
      const amountMinor = event.amountMinor === 0n ? order.amountMinor : event.amountMinor;
      born({ id: voidId, kind: 'void', status: 'Voided', amountMinor, sent });
      break;
    }
    case 'ChargebackOpened': {
      const { chargebackId, amountMinor, at: sent } = event;
      const status = 'ChargebackOpen';
      born({ id: chargebackId, kind: 'chargeback', status, amountMinor, sent });
      break;
    }
    case 'AlertReceived': {
      const { alertId, amountMinor, at: sent } = event;
      born({ id: alertId, kind: 'alert', status: 'AlertOpen', amountMinor, sent });
      break;
    }
    case 'AlertExpired': {
      const alert = children.get(event.alertId);
      if (alert?.status !== 'AlertOpen') throw new Error(`${event.alertId} expired twice`);
      alert.status = event.type;
      break;
    }
    case 'Refunded':
    case 'RefundFailed': {
      const refund = children.get(event.refundId);
      if (refund?.status !== 'RefundPending') throw new Error(`${event.refundId} ended twice`);
      refund.status = event.type;
      if (event.type === 'Refunded') refund.gatewayTransactionId = event.gatewayTransactionId;
      break;
    }
    default:
  }
}

/** Double entry from the merchant's side: what is debited, what is credited, how much. */
type Posting = readonly [debit: string, credit: string, minor: bigint, currency: string];

function postingsOf(event: Event): readonly Posting[] {
  const acquirer = 'acquirer-receivable';
  switch (event.type) {
    case 'PaymentCaptured':
      return [
        [acquirer, 'sales', event.amountMinor, event.currency],
        ['reserve', acquirer, event.reserveMinor, event.currency],
        ...feesOf(event.fees),
      ];
    case 'PaymentVoided':
      return [
        ['sales', acquirer, event.amountMinor, event.currency],
        [acquirer, 'reserve', event.reserveMinor, event.currency],
        ...feesOf(event.reversedFees).map(
          ([fee, credited, minor, currency]) => [credited, fee, minor, currency] as const,
        ),
      ];
    case 'ReserveReleased':
      return [[acquirer, 'reserve', event.amountMinor, event.currency]];
    case 'Refunded':
      return [['refunds', acquirer, event.amountMinor, event.currency]];
    case 'ChargebackOpened':
      return [['chargebacks', acquirer, event.amountMinor, event.currency], ...feesOf(event.fees)];
    case 'PaymentAuthorized':
    case 'PaymentDeclined':
    case 'AttemptDeclined':
    case 'AlertReceived':
      return feesOf(event.fees);
    default:
      return [];
  }
}

function feesOf(
  fees: readonly { account: string; amountMinor: bigint; currency: string }[],
): Posting[] {
  return fees.map(({ account, amountMinor, currency }) => [
    account,
    'acquirer-receivable',
    amountMinor,
    currency,
  ]);
}

function post(balances: Map<string, Balance>, event: Event, tenantId: number): void {
  if (!('merchantAccountId' in event && 'sandbox' in event)) return;
  const books = `${tenantId}/${event.sandbox ? 'sandbox' : 'live'}/${event.merchantAccountId}`;
  for (const [debit, credit, minor, currency] of postingsOf(event)) {
    if (minor === 0n) continue;
    balanceOf(balances, `${books}/${currency}/${debit}`).debitMinor += minor;
    balanceOf(balances, `${books}/${currency}/${credit}`).creditMinor += minor;
  }
}

function balanceOf(balances: Map<string, Balance>, key: string): Balance {
  const balance = balances.get(key) ?? { debitMinor: 0n, creditMinor: 0n };
  balances.set(key, balance);
  return balance;
}

export function refundsOf({ children }: Payment, ...statuses: readonly string[]): Child[] {
  return childrenOf(children, 'refund').filter(({ status }) => statuses.includes(status));
}

function childrenOf(children: ReadonlyMap<string, Child>, kind: Child['kind']): Child[] {
  return [...children.values()].filter((child) => child.kind === kind);
}

export function sumOf(children: readonly Child[]): bigint {
  return children.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** Whether the gateway has still to be asked about something. */
export function isOpen(payment: Payment): boolean {
  return (
    ['Created', 'Processing', 'Unknown'].includes(payment.status) ||
    payment.waitsForCapture ||
    payment.waitsForVoid ||
    refundsOf(payment, 'RefundPending').length > 0
  );
}

const HOLDING = ['ChargebackOpen', 'ChargebackUnderReview', 'ChargebackLost', 'ChargebackAccepted'];
const DAY_MS = 86_400_000;

export interface Flags {
  readonly refunded: boolean;
  readonly refundable: boolean;
  readonly hasAlert: boolean;
  readonly chargedBack: boolean;
}

/** The flags of a payment's own record, word for word as they are defined. */
export function flagsOf(
  payment: Payment,
  { refundWindowDays, now }: { refundWindowDays: number; now: string },
): Flags {
  const chargebacks = childrenOf(payment.children, 'chargeback');
  const paid = sumOf(refundsOf(payment, 'Refunded'));
  const pending = sumOf(refundsOf(payment, 'RefundPending'));
  const { capturedMinor, capturedAt = '' } = payment;
  return {
    refunded: capturedMinor > 0n && paid === capturedMinor,
    refundable:
      ['Captured', 'Settled'].includes(payment.status) &&
      capturedMinor - (paid + pending) > 0n &&
      !chargebacks.some(({ status }) => HOLDING.includes(status)) &&
      Date.parse(now) - Date.parse(capturedAt) <= refundWindowDays * DAY_MS,
    hasAlert: childrenOf(payment.children, 'alert').length > 0,
    chargedBack: chargebacks.length > 0,
  };
}

/** The expected row of the search. */
export interface Row {
  readonly id: string;
  readonly sent: string;
  readonly sandbox: boolean;
  readonly amount: number;
  readonly applicationId: number;
  readonly authCode: string;
  readonly gatewayTransactionId: string;
  readonly payment: Payment;
}

const CHILD_APPLICATION = { refund: 10, void: 11, chargeback: 20, alert: 30 } as const;

export function rowsOf(payment: Payment): readonly Row[] {
  const { order, children, capturedMinor, gatewayTransactionId, authCode } = payment;
  const { sandbox, currency } = order;
  const own = {
    payment,
    sandbox,
    id: payment.id,
    sent: order.at,
    amount: toMajor(capturedMinor === 0n ? order.amountMinor : capturedMinor, currency),
    applicationId: order.applicationId,
    authCode,
    gatewayTransactionId,
  };
  return [
    own,
    ...[...children.values()].map((child) => ({
      ...own,
      id: child.id,
      sent: child.sent,
      amount: toMajor(child.amountMinor, currency),
      applicationId: CHILD_APPLICATION[child.kind],
      authCode: '',
      gatewayTransactionId: child.gatewayTransactionId,
    })),
  ];
}
