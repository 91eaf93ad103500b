/** Admin: companies, shops, applications, products, price points, campaigns and affiliates. */
import {
  REFERENCE_KINDS,
  type ReferenceItem,
  type ReferenceKind,
  type TenantLedger,
} from '@counterfoil/engine';
import { z } from 'zod';
import type { Endpoint } from '../http/endpoint.ts';
import { At } from './answer-fields.ts';
import { Collection, ignored, patchOf, RowVersion, sameId } from './collections.ts';
import { apiSlice, rows } from './slice.ts';
import { Amount, type FaceServices, Id, queryInteger, text } from './wire.ts';

interface Kind {
  readonly kind: ReferenceKind;
  readonly one: string;
  readonly many: string;
  readonly words: { readonly one: string; readonly many: string };
  readonly example: Readonly<Record<string, unknown>>;
}

const KINDS: readonly Kind[] = [
  kindOf('companies', ['Company', 'Companies'], ['a company', 'companies'], { name: 'Acme Ltd' }),
  kindOf('shops', ['Shop', 'Shops'], ['a shop', 'shops'], {
    name: 'Acme shop',
    companyId: 1,
    domain: 'shop.acme.example',
    rootDomain: 'acme.example',
    currency: 'GBP',
  }),
  kindOf('applications', ['Application', 'Applications'], ['an application', 'applications'], {
    name: 'Checkout page',
    kind: 1,
  }),
  kindOf('products', ['Product', 'Products'], ['a product', 'products'], { name: 'Tea club' }),
  kindOf('pricePoints', ['PricePoint', 'PricePoints'], ['a price point', 'price points'], {
    amount: 19.99,
    currency: 'GBP',
    billingCode: 'TEA-20',
  }),
  kindOf('campaigns', ['Campaign', 'Campaigns'], ['a campaign', 'campaigns'], { name: 'Spring' }),
  kindOf('affiliates', ['Affiliate', 'Affiliates'], ['an affiliate', 'affiliates'], {
    name: 'Tea blog',
  }),
];

function kindOf(
  kind: ReferenceKind,
  [one, many]: readonly [string, string],
  [oneWord, manyWords]: readonly [string, string],
  example: Kind['example'],
): Kind {
  return { kind, one, many, words: { one: oneWord, many: manyWords }, example };
}

export const REFERENCE_PATHS: readonly string[] = KINDS.map(pathOf);

function pathOf({ kind }: Pick<Kind, 'kind'>): string {
  return `/api/admin/${kind.toLowerCase()}`;
}

/** The examples of the bodies, by the names of their schemas. */
export const REFERENCE_EXAMPLES: Readonly<Record<string, unknown>> = Object.fromEntries(
  KINDS.flatMap(({ one, example }) => [
    [`${one}Input`, example],
    [`${one}Replacement`, { ...example, rowVersion: 1 }],
    [`${one}Change`, example],
  ]),
);

const Name = text(200).min(1).meta({ description: 'As records show it' });
const ApplicationKind = z.int().min(1).max(5).meta({
  description: '1 Checkout · 2 Ecommerce · 3 Rebill · 4 Rebill retry · 5 Manual',
});
const OWN_ID = Id.optional().meta({ description: 'Default: the next one that is free' });

function referenceEndpoints(services: FaceServices): Endpoint[] {
  return KINDS.flatMap((each) => endpointsOf(services, each));
}

function endpointsOf(services: FaceServices, { kind, one, many, words }: Kind): Endpoint[] {
  const { shape } = REFERENCE_KINDS[kind].input;
  const fields: z.core.$ZodShape = {
    ...shape,
    ...('name' in shape && { name: Name }),
    ...('kind' in shape && { kind: ApplicationKind }),
    ...('amount' in shape && { amount: Amount }),
  };
  const item = z
    .object({
      id: z.int().meta({ description: 'The id in records' }),
      ...answered(fields),
      rowVersion: RowVersion,
      updatedAt: At,
    })
    .meta({ id: one });
  const options = {
    path: pathOf({ kind }),
    one,
    many,
    words,
    scopes: { read: 'references:read', write: 'references:write' },
    subjectPrefix: `${kind}/`,
    item,
    id: queryInteger(Id),
  };
  const get = async (ledger: TenantLedger, id: number) =>
    onWire(await ledger.references.get(kind, id));
  const collection = new Collection(services, options, get);
  const rejections = ['reference_unknown', 'currency_unknown', 'amount_precision'] as const;
  const used = kind === 'shops' || kind === 'pricePoints' ? rejections : [];
  return [
    collection.list(
      `All ${words.many} of the tenant, in the order of their ids.`,
      async (ledger, listing) => {
        const { items, ...more } = await ledger.references.list(kind, listing);
        return { items: items.map(onWire), ...more };
      },
    ),
    collection.create({
      action: 'references.create',
      description: `Records name ${words.one} by its id. It is there for good: it can be changed, and not deleted.`,
      body: z.object({ id: OWN_ID, ...fields }).meta({ id: `${one}Input` }),
      rejections: ['duplicate', ...used],
      make: async (ledger, body) =>
        onWire(await ledger.references.create(kind, inEngine(body) as never)),
    }),
    collection.read('As the events have it at this moment.'),
    collection.replace({
      action: 'references.replace',
      description: 'Records of before show what it is now, too.',
      body: z
        .object({
          ...fields,
          rowVersion: RowVersion.optional(),
          id: sameId,
          ...ignored('updatedAt'),
        })
        .meta({ id: `${one}Replacement` }),
      rejections: used,
      change: async (ledger, id: number, body, rowVersion) =>
        onWire(
          await ledger.references.replace(kind, id, { ...contentOf(body), rowVersion } as never),
        ),
    }),
    collection.amend({
      action: 'references.amend',
      description: 'A JSON merge patch (RFC 7396): what it leaves out stays as it is.',
      body: z
        .object({
          ...patchOf(fields),
          rowVersion: RowVersion.optional(),
          id: sameId,
          ...ignored('updatedAt'),
        })
        .meta({ id: `${one}Change` }),
      rejections: used,
      change: async (ledger, id: number, body, rowVersion) =>
        onWire(await ledger.references.amend(kind, id, { ...contentOf(body), rowVersion })),
    }),
  ];
}

/** Answers have every member. */
function answered(fields: z.core.$ZodShape): z.core.$ZodShape {
  const entries = Object.entries(fields).map(([name, each]) => {
    const field = each as z.ZodType;
    return [name, field instanceof z.ZodOptional ? field.unwrap() : field] as const;
  });
  return Object.fromEntries(entries);
}

type Wire = Readonly<Record<string, unknown>> & {
  readonly id: number;
  readonly rowVersion: number;
};

function onWire(item: ReferenceItem): Wire {
  return 'amount' in item ? { ...item, amount: Number(item.amount) } : item;
}

/** Without what is read only. */
function contentOf({ id: _, updatedAt: __, ...body }: Given): Given {
  return inEngine(body);
}

type Given = Readonly<Record<string, unknown>>;

/** The amount as a text. */
function inEngine(given: Given): Given {
  return typeof given['amount'] === 'number'
    ? { ...given, amount: String(given['amount']) }
    : given;
}

const REFUSALS = rows({
  DefinitionExists: { code: 'duplicate' },
  DefinitionUnknown: { code: 'not_found' },
});

export const REFERENCES = apiSlice(referenceEndpoints, REFUSALS);
