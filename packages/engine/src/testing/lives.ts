/** Random operations of a shop, including gateway faults, as fast-check arbitraries. */
import { toDecimal, toMinor } from '@counterfoil/core';
import fc from 'fast-check';
import { SANDBOX_CARDS, type SandboxCard } from '../gateways/sandbox/outcomes.ts';
import { Refused } from '../refusal.ts';
import type { TenantLedger } from '../tenant-ledger.ts';

/** One drawn operation; resolved against the existing payments when played. Small, so it shrinks well. */
export interface ShopMove {
  readonly kind: 'pay' | 'capture' | 'void' | 'refund' | 'confirm';
  readonly who: number;
  readonly card: number;
  readonly currency: number;
  readonly minor: number;
  readonly flags: number;
  /** Selects the payment. */
  readonly pick: number;
  /** In percent of the available amount: over 100 asks for too much. */
  readonly share: number;
  /** Concurrent requests under one idempotency key. */
  readonly copies: number;
  /** Concurrent requests under separate keys. */
  readonly rivals: number;
  readonly pauseMs: number;
}

/** Groups of concurrent moves. */
export type ShopLife = readonly (readonly ShopMove[])[];

const LONGEST_PAUSE_MS = 2 * 86_400_000;
const DEFAULT_MAX_GROUPS = 14;
/** The gateway answers after seconds. */
const SLOW = 'slow';
/** Bits of `flags`: three of four payments are captured at once. */
const CAPTURES = 24;

/** A sandbox card. It decides whether the gateway declines, loses its answer, disputes, and so on. */
export function sandboxCard(): fc.Arbitrary<SandboxCard> {
  return fc.nat(999).map(cardOf);
}

function cardOf(drawn: number): SandboxCard {
  const cards = SANDBOX_CARDS.filter(({ behaviour }) => behaviour !== SLOW);
  return cards[drawn % cards.length] as SandboxCard;
}

export function shopMove(): fc.Arbitrary<ShopMove> {
  return fc.record({
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant('pay' as const) },
      { weight: 6, arbitrary: fc.constant('refund' as const) },
      { weight: 3, arbitrary: fc.constant('capture' as const) },
      { weight: 2, arbitrary: fc.constant('void' as const) },
      { weight: 1, arbitrary: fc.constant('confirm' as const) },
    ),
    who: fc.nat(999),
    card: fc.nat(999),
    currency: fc.nat(999),
    minor: fc.integer({ min: 1, max: 500_000 }),
    flags: fc.nat(255),
    pick: fc.nat(999),
    share: fc.oneof(fc.constantFrom(0, 50, 60, 100), fc.integer({ min: 1, max: 130 })),
    copies: fc.constantFrom(1, 1, 1, 2, 3),
    rivals: fc.constantFrom(1, 1, 1, 2, 3),
    pauseMs: fc.nat(LONGEST_PAUSE_MS),
  });
}

export function shopLife(maxGroups: number = DEFAULT_MAX_GROUPS): fc.Arbitrary<ShopLife> {
  const group = fc.array(shopMove(), { minLength: 1, maxLength: 4 });
  return fc.array(group, { minLength: 4, maxLength: maxGroups, size: 'max' });
}

/** A payment made by a life. */
export interface LivedPayment {
  readonly shop: TenantLedger;
  readonly id: string;
}

export interface PlayOptions {
  /** The currency of the shops. Default: GBP. */
  readonly currency?: string;
  /** Called after each group, for example to move a clock. */
  readonly between?: (made: readonly LivedPayment[], group: readonly ShopMove[]) => Promise<void>;
}

/**
 * Plays a life on shops with sandbox accounts; returns its payments. Refusals of captures, voids,
 * refunds and confirmations are expected. Throws for a refused payment, for any other error, and when
 * one idempotency key has made two payments or refunds.
 */
export async function playLife(
  shops: readonly TenantLedger[],
  life: ShopLife,
  { currency = 'GBP', between }: PlayOptions = {},
): Promise<readonly LivedPayment[]> {
  const made: LivedPayment[] = [];
  let keys = 0;
  const newKey = () => {
    keys += 1;
    return `life-${keys}`;
  };
  for (const group of life) {
    const paid = await Promise.all(
      group.map((move) => act(move, { shops, made: [...made], currency, newKey })),
    );
    made.push(...paid.filter((each) => each !== undefined));
    await between?.(made, group);
  }
  return made;
}

interface Playing {
  readonly shops: readonly TenantLedger[];
  readonly made: readonly LivedPayment[];
  readonly currency: string;
  readonly newKey: () => string;
}

async function act(move: ShopMove, playing: Playing): Promise<LivedPayment | undefined> {
  const { made, newKey } = playing;
  if (move.kind === 'pay') return pay(move, playing);
  const payment = made[move.pick % Math.max(1, made.length)];
  if (payment === undefined) return undefined;
  const { shop, id } = payment;
  const { currency, refundableAmount, amount } = await shop.payments.get(id);
  const share = (of: string) => {
    const minor = toMinor(of, currency);
    const whole = minor._tag === 'Right' ? minor.right : 0n;
    return move.share === 0
      ? {}
      : { amount: toDecimal((whole * BigInt(move.share)) / 100n, currency) };
  };
  const once = (ask: (idempotencyKey: string) => Promise<{ readonly id: string }>) =>
    askOnce(ask, newKey(), move.copies);
  switch (move.kind) {
    case 'capture':
      await once((key) => shop.payments.capture(id, { ...share(amount), idempotencyKey: key }));
      break;
    case 'void':
      await once((key) => shop.payments.void(id, { idempotencyKey: key }));
      break;
    case 'confirm':
      await once((key) => shop.payments.confirm(id, { idempotencyKey: key }));
      break;
    case 'refund': {
      const part = share(refundableAmount);
      const rivals = Array.from({ length: move.rivals }, () =>
        once((key) => shop.payments.refund(id, { ...part, idempotencyKey: key })),
      );
      await Promise.all(rivals);
    }
  }
  return undefined;
}

async function pay(move: ShopMove, playing: Playing): Promise<LivedPayment | undefined> {
  const { shops, currency, newKey } = playing;
  const shop = shops[move.who % shops.length] as TenantLedger;
  const card = { number: cardOf(move.card).number, expMonth: 12, expYear: 2040, cvv: '123' };
  const order = {
    amount: toDecimal(BigInt(move.minor), currency),
    currency,
    email: `customer${move.who % 5}@shop.example`,
    capture: (move.flags & CAPTURES) !== 0,
    card,
  };
  const id = await askOnce(
    (idempotencyKey) => shop.payments.submit({ ...order, idempotencyKey }),
    newKey(),
    move.copies,
    isTransient,
  );
  return id === undefined ? undefined : { shop, id };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Refused;
}

function isTransient(error: unknown): boolean {
  return error instanceof Refused && error.isTransient;
}

/** Sends the same request concurrently; undefined when all were refused. */
async function askOnce(
  ask: (idempotencyKey: string) => Promise<{ readonly id: string }>,
  key: string,
  copies: number,
  isExpected: (error: unknown) => boolean = isRefusal,
): Promise<string | undefined> {
  const answers = await Promise.all(
    Array.from({ length: copies }, () =>
      ask(key).catch((error: unknown) => {
        if (isExpected(error)) return undefined;
        throw error;
      }),
    ),
  );
  const [id, ...others] = new Set(answers.flatMap((answer) => answer?.id ?? []));
  if (others.length > 0) throw new Error(`the key ${key} names ${[id, ...others].join(' and ')}`);
  return id;
}
