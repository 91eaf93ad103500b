/** The bundled templates that callers name, each with the data that it takes. */
import { z } from 'zod';
import { faultsOf } from '../input/checked-calls.ts';
import { wordsOf } from '../input/issue-words.ts';
import { bounded, name, text } from '../input/texts.ts';
import type { InputFault } from '../refusal.ts';
import type { Filled, Row, Templates } from './templates.ts';

const MAX_ITEMS = 200;
const MAX_BENEFITS = 50;

/** No control characters but line ends. */
const Paragraphs = bounded(20_000).regex(/^[^\p{Cs}]*$/u, 'must not contain halves of characters');
/** Links of other schemes could run something. */
const Link = bounded(2_000).refine(
  (given) => URL.canParse(given) && /^https?:$/.test(new URL(given).protocol),
  {
    message: 'must be an http or https address',
  },
);
const Money = z.union([text(40), z.number()]).transform(String);

const button = { ctaText: name(100).optional(), ctaUrl: Link.optional() };
const Both = {
  error: 'goes with ctaText: both, or neither',
  path: ['ctaUrl'],
};

function hasBoth({
  ctaText,
  ctaUrl,
}: {
  ctaText?: string | undefined;
  ctaUrl?: string | undefined;
}) {
  return (ctaText === undefined) === (ctaUrl === undefined);
}

export const Generic = z
  .object({ heading: name(200), body: Paragraphs, ...button })
  .refine(hasBoth, Both);

export const OrderConfirmation = z
  .object({
    orderNumber: z.union([name(100), z.int()]).transform(String),
    customerName: text(200).default(''),
    items: z
      .array(
        z.object({
          name: name(300),
          quantity: z.int().min(1).max(1_000_000).default(1),
          price: Money,
        }),
      )
      .min(1)
      .max(MAX_ITEMS),
    total: Money,
    shippingAddress: text(500).default(''),
    ...button,
  })
  .refine(hasBoth, Both);

export const WelcomeMembership = z
  .object({
    membership: name(200),
    customerName: text(200).default(''),
    startDate: text(100).optional(),
    price: Money.optional(),
    benefits: z.array(name(300)).max(MAX_BENEFITS).default([]),
    ...button,
  })
  .refine(hasBoth, Both);

/** Makes a template of a schema and of what its data is shown as. */
type Fill = (data: unknown) => Filled | { readonly faults: readonly InputFault[] };

function named<Schema extends z.ZodType>(
  schema: Schema,
  fill: (data: z.output<Schema>) => Filled,
): Fill {
  return (data) => {
    const read = schema.safeParse(data, { error: wordsOf });
    if (!read.success) return { faults: faultsOf(read.error.issues) };
    const { ctaText: label, ctaUrl: url } = read.data as Partial<
      Record<'ctaText' | 'ctaUrl', string>
    >;
    const link = label === undefined || url === undefined ? {} : { button: { label, url } };
    return { ...fill(read.data), ...link };
  };
}

const NAMED = {
  generic: named(Generic, ({ heading, body }) => ({
    facts: { company: '', firstName: '', heading, body },
    rows: [],
  })),
  'order-confirmation': named(OrderConfirmation, (order) => ({
    facts: {
      company: '',
      firstName: '',
      name: order.customerName,
      orderNumber: order.orderNumber,
      shippingAddress: order.shippingAddress,
    },
    rows: [
      ...order.items.map(
        ({ name: item, quantity, price }): Row => [
          quantity === 1 ? item : `${quantity} × ${item}`,
          price,
        ],
      ),
      ['Total', order.total],
    ],
  })),
  'welcome-membership': named(WelcomeMembership, (member) => ({
    facts: {
      company: '',
      firstName: '',
      name: member.customerName,
      membership: member.membership,
      benefits: member.benefits.join(' · '),
    },
    rows: [
      ['Membership', member.membership],
      ...(member.startDate === undefined ? [] : [['Begins', member.startDate] as const]),
      ...(member.price === undefined ? [] : [['Price', member.price] as const]),
    ],
  })),
} as const;

export type TemplateName = keyof typeof NAMED;
export const TEMPLATE_NAMES = Object.keys(NAMED) as [TemplateName, ...TemplateName[]];

/** Or what is wrong with the data. */
export function renderNamed(
  template: TemplateName,
  data: unknown,
  templates: Templates,
): { readonly text: string; readonly html: string } | { readonly faults: readonly InputFault[] } {
  const filled = NAMED[template](data);
  return 'faults' in filled ? filled : templates.named(template, filled);
}
