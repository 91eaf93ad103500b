/** The load: customers who pay, get refunds and read, each request under a key, and all responses. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Credentials,
  type Json,
  type KeptRequest,
  present,
  requestOf,
  type Schemas,
  USER_EMAIL,
} from '@counterfoil/test/caller';
import { Dice } from '@counterfoil/test/dice';
import type { Answered, Balancer } from './balancer.ts';

/** Concurrent customers of a tenant. */
const CUSTOMERS = 2;
const MOST_PAUSE_MS = 60;
/** Orders of different tenants have different numbers, so that one taken twice is noticed. */
const ORDERS_APART = 1_000_000;
const LEAST_MINOR = 100;
const AMOUNTS = 90_000;
const MINOR_A_MAJOR = 100;

/** Mostly approved; the outcome of some is known only after another query of the gateway. */
const CARDS = [
  ...Array.from({ length: 12 }, () => '4242424242424242'),
  ...['5555555555554444', '4000000000003220', '4000000000009995', '4000000000000119'],
  ...['4000000000040818', '4000000000007726', '4000000000005126'],
];
const CLUB = { name: 'Tea club', description: 'Tea', rebillAmount: 19.95, frequency: 30 };

export type Kind = 'payment' | 'confirm' | 'capture' | 'void' | 'refund' | 'unsubscribe';

/** A request that moves money, and its response. */
export interface Sent {
  readonly kind: Kind;
  readonly request: KeptRequest;
  readonly answer: { readonly status: number; readonly body: Json };
  readonly as: Credentials;
}

/** A payment, as paths name it. */
interface Named {
  readonly id: string;
}

interface LoadOptions {
  readonly balancer: Balancer;
  readonly as: Credentials;
  readonly seed: number;
}

export class Load {
  readonly sent: Sent[] = [];
  /** Reads at the other host that found what had just been acknowledged, and those that did not. */
  looks = 0;
  readonly unseen: string[] = [];
  /** Errors that ended a customer early. */
  readonly failures: string[] = [];
  readonly #balancer: Balancer;
  readonly as: Credentials;
  readonly #seed: number;
  #orders = 0;
  #keys = 0;

  constructor({ balancer, as, seed }: LoadOptions) {
    this.#balancer = balancer;
    this.as = as;
    this.#seed = seed;
  }

  /** Runs until the signal; customers then finish their current operations. */
  async run(signal: AbortSignal): Promise<void> {
    const customers = Array.from({ length: CUSTOMERS }, (_, index) =>
      this.#customer(new Dice(this.#seed + index), signal),
    );
    await Promise.all(customers);
  }

  async #customer(dice: Dice, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#life(dice);
      } catch (error) {
        this.failures.push(error instanceof Error ? error.message : String(error));
      }
      await sleep(dice.roll(MOST_PAUSE_MS));
    }
  }

  /** Sends a request under a new key, and records the response. */
  async #ask(kind: Kind, unkeyed: KeptRequest): Promise<Answered> {
    this.#keys += 1;
    const request = { ...unkeyed, key: `cluster-${this.#seed}-${this.#keys}` };
    const answer = await this.#balancer.send(request, this.as);
    this.keep({ kind, request, answer });
    return answer;
  }

  keep({ kind, request, answer: { status, body } }: Omit<Sent, 'as'>): void {
    this.sent.push({ kind, request, as: this.as, answer: { status, body } });
  }

  pay(body: Schemas['PaymentInput']): Promise<Answered> {
    return this.#ask('payment', requestOf('post', '/v1/payments', { body }));
  }

  /** A new random payment. */
  drawPayment(dice: Dice): Schemas['PaymentInput'] {
    this.#orders += 1;
    const orderId = this.as.tenantId * ORDERS_APART + this.#orders;
    return {
      orderId,
      amount: (LEAST_MINOR + dice.roll(AMOUNTS)) / MINOR_A_MAJOR,
      currency: 'GBP',
      capture: dice.roll(3) > 0,
      card: {
        number: present(CARDS[dice.roll(CARDS.length)]),
        expMonth: 12,
        expYear: 2040,
        cvv: '9173',
        holder: 'Ada Lovelace',
      },
      email: `customer${orderId}@example.com`,
      ...(dice.roll(6) === 0 && { subscription: CLUB }),
    };
  }

  /** One payment and its follow-up operations. */
  async #life(dice: Dice): Promise<void> {
    const order = this.drawPayment(dice);
    let answer = await this.pay(order);
    if (answer.body.id === undefined) return;
    const path = { id: answer.body.id };
    if (dice.roll(2) === 0) await this.#look(answer, dice);
    if (answer.body.status === 'RequiresAction') {
      answer = await this.#ask('confirm', requestOf('post', '/v1/payments/{id}/confirm', { path }));
    }
    if (answer.body.status === 'Authorized') {
      const drawn = dice.roll(4);
      if (drawn === 0) answer = await this.#void(path);
      if (drawn === 1) answer = await this.#capture(path, half(order.amount));
      if (drawn === 2) answer = await this.#capture(path, {});
      if (drawn < 3) await this.#look(answer, dice);
    }
    if (answer.body.status !== 'Captured') return;
    if (order.subscription !== undefined) await this.#unsubscribe(order, dice);
    await this.#payBack(answer, path, dice);
  }

  /** Makes payments and reads each at the other host as soon as it is acknowledged. */
  async lookAcross(dice: Dice, times: number): Promise<void> {
    for (let look = 0; look < times; look += 1) {
      await this.#look(await this.pay(this.drawPayment(dice)), dice);
    }
  }

  #capture(path: Named, body: Schemas['CaptureInput']): Promise<Answered> {
    return this.#ask('capture', requestOf('post', '/v1/payments/{id}/capture', { path, body }));
  }

  #void(path: Named): Promise<Answered> {
    return this.#ask('void', requestOf('post', '/v1/payments/{id}/void', { path }));
  }

  async #unsubscribe({ email }: Schemas['PaymentInput'], dice: Dice): Promise<void> {
    if (dice.roll(2) === 0) return;
    const body = { ...this.#claims, email };
    await this.#ask('unsubscribe', requestOf('post', '/customerapi/unsubscribe', { body }));
  }

  async #payBack(paid: Answered, path: Named, dice: Dice): Promise<void> {
    const refund = (body: Schemas['PaymentRefundInput']) =>
      this.#ask('refund', requestOf('post', '/v1/payments/{id}/refund', { path, body }));
    switch (dice.roll(6)) {
      case 0:
        await this.#look(await refund({ amount: 0 }), dice);
        break;
      case 1:
        await refund(half(paid.body.capturedAmount));
        await this.#look(await refund({ amount: 0 }), dice);
        break;
      case 2: {
        // Two concurrent refunds of the full amount, of which one is accepted.
        const most = { amount: paid.body.capturedAmount };
        await Promise.all([refund(most), refund(half(paid.body.capturedAmount))]);
        break;
      }
      case 3: {
        const { amount } = half(paid.body.capturedAmount);
        const body = { ...this.#claims, messageId: path.id, amount };
        await this.#ask('refund', requestOf('post', '/customerapi/refund', { body }));
        break;
      }
      case 4:
        await this.#void(path);
        break;
      default:
    }
  }

  get #claims() {
    return { parentCompanyId: this.as.tenantId, userEmail: USER_EMAIL };
  }

  /** What one host acknowledged is visible at the other, in the detail or in the search. */
  async #look({ by, body: expected }: Answered, dice: Dice): Promise<void> {
    if (expected.id === undefined) return;
    const inDetail = dice.roll(2) === 0;
    const id: string = expected.paymentId ?? expected.id;
    const request = inDetail
      ? requestOf('post', '/customerapi/detail', {
          body: { ...this.#claims, id, getSearchData: true },
        })
      : requestOf('post', '/api/transactions/search', { body: { transactionIds: [expected.id] } });
    const answer = await this.#balancer.send(request, this.as, { elsewhere: by });
    if (answer.by !== by) this.looks += 1;
    const shown = recordIn(answer.body, expected.id);
    if (shown !== undefined && (isOpen(expected.status) || shown.status === expected.status))
      return;
    const where = `${answer.by.name} ${request.path}`;
    const what = JSON.stringify(shown ?? answer.body);
    this.unseen.push(`${expected.id}, ${expected.status} by ${by.name}, is at ${where}: ${what}`);
  }
}

/** The record of a payment or refund in a detail or search result. */
function recordIn({ transaction, transactions }: Json, id: string): Json {
  const records: Json[] = transactions ?? [transaction, ...(transaction?.childTransactions ?? [])];
  return records.find((record) => record?.messageID === id || record?.transactionId === id);
}

/** The status may have changed since. */
function isOpen(status: string): boolean {
  return ['Created', 'Processing', 'Unknown', 'RefundPending'].includes(status);
}

function half(amount: number): { readonly amount: number } {
  return { amount: Math.max(1, Math.floor((amount * MINOR_A_MAJOR) / 2)) / MINOR_A_MAJOR };
}
