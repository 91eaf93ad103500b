/** The fields of a plan that is changed: its name, amount and interval. */
import { Subscription, toDecimal } from '@counterfoil/core';
import { z } from 'zod';
import { bounded } from '../../api/wire.ts';
import { refuse } from '../../http/errors.ts';
import { shownMoney } from '../shown.ts';
import { minorOf } from '../transactions/refund-fields.ts';
import { cadenceText } from './words.ts';

export const INTERVALS = Subscription.INTERVALS.map((value) => ({ value, label: `${value}s` }));

/** All are sent: what is absent was left empty. */
export const PlanFields = z.object({
  name: bounded(200).optional(),
  description: bounded(500).optional(),
  rebillAmount: bounded(32).optional(),
  interval: bounded(16).optional(),
  /** Refused at its field, as what is no number. */
  intervalCount: bounded(32).optional(),
});
export type PlanFields = z.output<typeof PlanFields>;

interface AskedPlan extends Subscription.Cadence {
  readonly name: string;
  readonly description: string;
  readonly rebillAmountMinor: bigint;
}

const Count = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().positive());

/** Refuses what is no plan, at the first field that is wrong. */
export function askedPlan(
  { currency }: Pick<Subscription.Subscription, 'currency'>,
  { name = '', description = '', rebillAmount, ...fields }: PlanFields,
): AskedPlan {
  if (name.trim() === '') throw problem('name', 'A plan must have a name');
  const rebillAmountMinor = minorOf(rebillAmount, currency, 'rebillAmount');
  if (rebillAmountMinor <= 0n) throw problem('rebillAmount', 'A charge must be more than nothing');
  const interval = Subscription.INTERVALS.find((each) => each === fields.interval);
  if (interval === undefined) throw problem('interval', 'Choose days, weeks, months or years');
  const { success, data: intervalCount } = Count.safeParse(fields.intervalCount);
  const most = Subscription.MAX_INTERVAL_COUNT[interval];
  if (!success || intervalCount > most) {
    throw problem('intervalCount', `Charge every 1 to ${most} ${interval}s`);
  }
  return { name, description, rebillAmountMinor, interval, intervalCount };
}

/** What changes, in words; nothing where it is the same. */
export function planTexts(before: Subscription.Subscription, asked: AskedPlan): readonly string[] {
  const { currency } = before;
  const sum = (minor: bigint) => shownMoney(toDecimal(minor, currency), currency);
  return [
    ...(asked.rebillAmountMinor === before.rebillAmountMinor
      ? []
      : [
          `Each charge is ${sum(asked.rebillAmountMinor)} instead of ${sum(before.rebillAmountMinor)}.`,
        ]),
    ...(cadenceText(asked) === cadenceText(before)
      ? []
      : [`It is charged ${cadenceText(asked)} instead of ${cadenceText(before)}.`]),
    ...(asked.name === before.name ? [] : [`It is called “${asked.name}”.`]),
    ...(asked.description === before.description ? [] : ['It has another description.']),
  ];
}

function problem(field: string, detail: string) {
  return refuse('invalid_request', detail, { errors: [{ pointer: `/${field}`, detail }] });
}
