/** The load: customers who pay, are paid back and look, each request under a key, and what they were told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Credentials, type Json, USER_EMAIL } from '@counterfoil/test/caller';
import { Dice } from '@counterfoil/test/dice';
import type { Answered, Balancer } from './balancer.ts';

/** Customers who are at it at the same time. */
const CUSTOMERS = 6;
const MOST_PAUSE_MS = 60;
const FIRST_ORDER = 1_001;
const LEAST_MINOR = 100;
const AMOUNTS = 90_000;
const MINOR_A_MAJOR = 100;

/** Approved, mostly; the outcome of some is known only when the gateway is asked again. */
const CARDS = [
  ...Array.from({ length: 12 }, () => '4242424242424242'),
  ...['5555555555554444', '4000000000003220', '4000000000009995', '4000000000000119'],
  ...['4000000000040818', '4000000000007726', '4000000000005126'],
];
const CLUB = { name: 'Tea club', description: 'Tea', rebillAmount: 19.95, frequency: 30 };

export type Deed = 'payment' | 'confirm' | 'capture' | 'void' | 'refund' | 'unsubscribe';

/** A request that moves money, and what was acknowledged. */
export interface Sent {
  readonly deed: Deed;
  readonly path: string;
  readonly body: Json;
  readonly key: string;
  readonly answer: { readonly status: number; readonly body: Json };
}

interface LoadOptions {
  readonly balancer: Balancer;
  readonly as: Credentials;
  readonly seed: number;
}

export class Load {
  readonly sent: Sent[] = [];
  /** Looks at the other host that found what had just been acknowledged, and those that did not. */
  looks = 0;
  readonly unseen: string[] = [];
  /** What ended a customer that should have gone on. */
  readonly failures: string[] = [];
  readonly #balancer: Balancer;
  readonly #as: Credentials;
  readonly #seed: number;
  #orders = 0;
  #keys = 0;

  constructor({ balancer, as, seed }: LoadOptions) {
    this.#balancer = balancer;
    this.#as = as;
    this.#seed = seed;
  }

  /** Goes on until the signal; whoever is at it finishes what is asked for. */
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

  /** Sends a request under a key of its own, and keeps what was acknowledged. */
  async ask(deed: Deed, path: string, body: Json): Promise<Answered> {
    this.#keys += 1;
    const key = `cluster-${this.#seed}-${this.#keys}`;
    const answer = await this.#balancer.send({ path, body, key }, this.#as);
    this.keep({ deed, path, body, key, answer });
    return answer;
  }

  keep({ deed, path, body, key, answer: { status, body: told } }: Sent): void {
    this.sent.push({ deed, path, body, key, answer: { status, body: told } });
  }

  /** A payment that nobody has asked for yet. */
  drawPayment(dice: Dice): Json {
    this.#orders += 1;
    const orderId = FIRST_ORDER + this.#orders;
    return {
      orderId,
      amount: (LEAST_MINOR + dice.roll(AMOUNTS)) / MINOR_A_MAJOR,
      currency: 'GBP',
      capture: dice.roll(3) > 0,
      card: {
        number: CARDS[dice.roll(CARDS.length)],
        expMonth: 12,
        expYear: 2040,
        cvv: '9173',
        holder: 'Ada Lovelace',
      },
      email: `customer${orderId}@example.com`,
      ...(dice.roll(6) === 0 && { subscription: CLUB }),
    };
  }

  /** One payment and what comes of it. */
  async #life(dice: Dice): Promise<void> {
    const order = this.drawPayment(dice);
    let answer = await this.ask('payment', '/v1/payments', order);
    if (answer.body.id === undefined) return;
    const path = `/v1/payments/${answer.body.id}`;
    if (dice.roll(2) === 0) await this.#look(answer, dice);
    if (answer.body.status === 'RequiresAction') {
      answer = await this.ask('confirm', `${path}/confirm`, {});
    }
    if (answer.body.status === 'Authorized') {
      const drawn = dice.roll(4);
      if (drawn === 0) answer = await this.ask('void', `${path}/void`, {});
      if (drawn === 1) answer = await this.ask('capture', `${path}/capture`, half(order.amount));
      if (drawn === 2) answer = await this.ask('capture', `${path}/capture`, {});
      if (drawn < 3) await this.#look(answer, dice);
    }
    if (answer.body.status !== 'Captured') return;
    if (order.subscription !== undefined) await this.#unsubscribe(order, dice);
    await this.#payBack(answer, path, dice);
  }

  /** So many payments, each looked for at the other host as soon as it is acknowledged. */
  async lookAcross(dice: Dice, times: number): Promise<void> {
    for (let look = 0; look < times; look += 1) {
      await this.#look(await this.ask('payment', '/v1/payments', this.drawPayment(dice)), dice);
    }
  }

  async #unsubscribe({ email }: Json, dice: Dice): Promise<void> {
    if (dice.roll(2) === 0) return;
    await this.ask('unsubscribe', '/customerapi/unsubscribe', { ...this.#claims, email });
  }

  async #payBack(paid: Answered, path: string, dice: Dice): Promise<void> {
    const refund = (body: Json) => this.ask('refund', `${path}/refund`, body);
    switch (dice.roll(6)) {
      case 0:
        await this.#look(await refund({ amount: 0 }), dice);
        break;
      case 1:
        await refund(half(paid.body.capturedAmount));
        await this.#look(await refund({ amount: 0 }), dice);
        break;
      case 2: {
        // Two that race for more than there is, of which one is let through.
        const most = { amount: paid.body.capturedAmount };
        await Promise.all([refund(most), refund(half(paid.body.capturedAmount))]);
        break;
      }
      case 3: {
        const messageId = paid.body.id;
        const amount = half(paid.body.capturedAmount).amount;
        await this.ask('refund', '/customerapi/refund', { ...this.#claims, messageId, amount });
        break;
      }
      case 4:
        await this.ask('void', `${path}/void`, {});
        break;
      default:
    }
  }

  get #claims(): Json {
    return { parentCompanyId: this.#as.tenantId, userEmail: USER_EMAIL };
  }

  /** What one host has acknowledged, the other one shows, in the detail or in the search. */
  async #look({ by, body: told }: Answered, dice: Dice): Promise<void> {
    if (told.id === undefined) return;
    const inDetail = dice.roll(2) === 0;
    const asked = inDetail
      ? {
          path: '/customerapi/detail',
          body: { ...this.#claims, id: told.paymentId ?? told.id, getSearchData: true },
        }
      : { path: '/api/transactions/search', body: { transactionIds: [told.id] } };
    const answer = await this.#balancer.send(asked, this.#as, { elsewhere: by });
    if (answer.by !== by) this.looks += 1;
    const shown = recordIn(answer.body, told.id);
    if (shown !== undefined && (isOpen(told.status) || shown.status === told.status)) return;
    const where = `${answer.by.name} ${asked.path}`;
    const what = JSON.stringify(shown ?? answer.body);
    this.unseen.push(`${told.id}, ${told.status} by ${by.name}, is at ${where}: ${what}`);
  }
}

/** The record of a payment or a refund in a detail or in a page of the search. */
function recordIn({ transaction, transactions }: Json, id: string): Json {
  const records: Json[] = transactions ?? [transaction, ...(transaction?.childTransactions ?? [])];
  return records.find((record) => record?.messageID === id || record?.transactionId === id);
}

/** It may have become something else since. */
function isOpen(status: string): boolean {
  return ['Created', 'Processing', 'Unknown', 'RefundPending'].includes(status);
}

function half(amount: number): { readonly amount: number } {
  return { amount: Math.max(1, Math.floor((amount * MINOR_A_MAJOR) / 2)) / MINOR_A_MAJOR };
}
