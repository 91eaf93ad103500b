/** The members of the club: which customers join, with which card, and what happens to them. */
import { fingerprint } from '@counterfoil/core';
import type { ImportPlan, OrderStep } from '@counterfoil/demo';

/** The charge at joining and then every month, in pence. */
export const FEE_MINOR = 995n;
export const FREQUENCY_DAYS = 30;
export const WEEKS = 52;

/** Customers with at least this many orders in the file join. */
const LEAST_ORDERS = 2;
/** New members join over this many weeks. */
const JOINING_WEEKS = 4;

/** Sandbox cards and their share in percent. The first charge succeeds on all. */
const CARDS = [
  { number: '4242424242424242', share: 70 },
  // One charge in four is declined; a retry a day or two later mostly succeeds.
  { number: '4000000000000366', share: 16 },
  // Declined from the second charge on: insufficient funds, stolen, 3-D Secure.
  { number: '4000000000000341', share: 6 },
  { number: '4000000000000358', share: 4 },
  { number: '4000002760003184', share: 4 },
] as const;
/** The replacement card after a final failure. */
export const NEW_CARD = CARDS[0].number;

const LEAVING_PERCENT = 15;
const NEW_CARD_PERCENT = 50;

export interface Member {
  readonly customerId: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly address: OrderStep['address'];
  readonly cardNumber: string;
  readonly joinsInWeek: number;
  /** Undefined for members who stay. */
  readonly leavesInWeek: number | undefined;
  /** Whether the member replaces the card when the subscription is frozen. */
  readonly bringsNewCard: boolean;
}

/** The same file gives the same members, with the same year. */
export function membersOf({ steps }: ImportPlan): readonly Member[] {
  const orders = steps.filter((step) => step.kind === 'order');
  const byCustomer = Map.groupBy(orders, ({ buyer }) => buyer.customerId);
  return [...byCustomer]
    .filter(([customerId, of]) => customerId !== null && of.length >= LEAST_ORDERS)
    .flatMap(([, of]) => of.slice(-1).map(memberOf));
}

function memberOf({ buyer, address }: OrderStep): Member {
  const customerId = buyer.customerId ?? 0;
  const joinsInWeek = dice(customerId, 'joins', JOINING_WEEKS);
  const leaves = dice(customerId, 'leaves', 100) < LEAVING_PERCENT;
  const stays = 1 + dice(customerId, 'stays', WEEKS - JOINING_WEEKS);
  const { email, firstName, lastName } = buyer;
  return {
    customerId,
    email,
    firstName,
    lastName,
    address,
    cardNumber: cardOf(dice(customerId, 'card', 100)),
    joinsInWeek,
    leavesInWeek: leaves ? joinsInWeek + stays : undefined,
    bringsNewCard: dice(customerId, 'new card', 100) < NEW_CARD_PERCENT,
  };
}

function cardOf(percent: number): string {
  let upTo = 0;
  for (const { number, share } of CARDS) {
    upTo += share;
    if (percent < upTo) return number;
  }
  return NEW_CARD;
}

/** A number below `sides`, derived from customer and question. */
function dice(customerId: number, question: string, sides: number): number {
  return Number(BigInt(`0x${fingerprint(`${question}/${customerId}`)}`) % BigInt(sides));
}
