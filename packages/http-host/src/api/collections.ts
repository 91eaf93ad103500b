/** Endpoints of the collections of administration: one envelope, one paging, one check of versions. */
import type { TenantLedger } from '@counterfoil/engine';
import { mayHoldCardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../http/endpoint.ts';
import { type ErrorCode, refuse } from '../http/errors.ts';
import { cursorOf, inCursor } from './cursor.ts';
import { checkIfMatch, etagOf } from './etag.ts';
import { type FaceServices, ledgerFor, queryLimit } from './wire.ts';

export const ADMIN = 'Admin';
const MAX_LIMIT = 100;

/** Administration has no sandbox. */
export function adminAccess(scope: string) {
  return { kind: 'api-key', scope, requiresUserEmail: true, liveOnly: true } as const;
}

export const RowVersion = z.int().positive().meta({
  description: 'Of the item as it was read; it counts the changes, from 1',
});

/** Members that may be sent back as they were read, and are ignored. */
export function ignored<Name extends string>(...names: readonly Name[]) {
  const each = mayHoldCardNumber(z.unknown())
    .optional()
    .meta({ description: 'Ignored: here so that what was read can be sent back' });
  return Object.fromEntries(names.map((name) => [name, each])) as Record<Name, typeof each>;
}

/** A member that may be sent back, where it is that of the path: see `checkId`. */
export const sameId = z.unknown().optional().meta({
  description: 'Where it is given, that of the path',
});

/** Refuses a body that names another item than the path does. */
export function checkId(id: string | number, body: unknown): void {
  const { id: given } = (body ?? {}) as { readonly id?: unknown };
  if (given === undefined || given === null || given === id) return;
  throw refuse('invalid_request', undefined, {
    errors: [{ pointer: '/id', detail: `id must be ${id}, as in the path` }],
  });
}

/** The members of a merge patch: each may be absent, and null resets it. */
export function patchOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  const entries = Object.entries(shape).map(([name, each]) => [name, z.nullish(each)] as const);
  return Object.fromEntries(entries) as {
    [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>>;
  };
}

interface Item {
  readonly id: string | number;
  readonly rowVersion?: number;
}

interface Page {
  readonly items: readonly object[];
  readonly next?: string | undefined;
}

export interface CollectionOptions<Asked extends object> {
  /** `/api/admin/companies` */
  readonly path: string;
  /** `Company` and `Companies`, in names of operations and schemas. */
  readonly one: string;
  readonly many: string;
  /** In sentences. */
  readonly words: { readonly one: string; readonly many: string };
  readonly scopes: { readonly read: string; readonly write: string };
  readonly item: z.ZodObject;
  /** What is made, where the answer shows more of it than an item, such as a secret. */
  readonly made?: z.ZodObject;
  /** Of the path; an id of another form names nothing. */
  readonly id: z.ZodType;
  /** Stands before the id in activity, where the ids of several collections are alike. */
  readonly subjectPrefix?: string;
  /** The query of the POST that makes an item. */
  readonly asked?: z.ZodType<Asked>;
}

interface Making<Body extends z.ZodType, Asked extends object = object> {
  /** As activity records it. */
  readonly action: string;
  readonly description: string;
  readonly body: Body;
  readonly rejections: readonly ErrorCode[];
  readonly make: (ledger: TenantLedger, body: z.output<Body>, asked: Asked) => Promise<Item>;
}

interface Changing<Body extends z.ZodType> {
  /** As activity records it. */
  readonly action: string;
  readonly description: string;
  readonly body: Body;
  readonly rejections: readonly ErrorCode[];
  /** `rowVersion` is the one that the caller saw. */
  readonly change: (
    ledger: TenantLedger,
    id: never,
    body: z.output<Body>,
    rowVersion: number | undefined,
  ) => Promise<Item>;
}

/** What a page is asked for with. */
type Listing<Filters extends z.ZodRawShape> = z.output<z.ZodObject<Filters>> & {
  readonly limit: number;
  readonly after?: string;
};

type Get = (ledger: TenantLedger, id: never) => Promise<Item>;

/** The endpoints of one collection, made one by one. */
export class Collection<Asked extends object = object> {
  readonly #options: CollectionOptions<Asked>;
  readonly #services: FaceServices;
  readonly #get: Get;
  readonly #answer: z.ZodObject;
  readonly #made: z.ZodObject;

  constructor(services: FaceServices, options: CollectionOptions<Asked>, get: Get) {
    this.#options = options;
    this.#services = services;
    this.#get = get;
    const { item, made, one } = options;
    this.#answer = envelopeOf(item, `${one}Answer`);
    this.#made = made === undefined ? this.#answer : envelopeOf(made, `${one}Made`);
  }

  /** `filters` are of the query, beside `limit` and `cursor`. */
  list<Filters extends z.ZodRawShape = Record<never, never>>(
    description: string,
    list: (ledger: TenantLedger, listing: Listing<Filters>) => Promise<Page>,
    filters = {} as Filters,
  ): Endpoint {
    const { path, many, words, scopes, item } = this.#options;
    return endpoint({
      operationId: `list${many}`,
      method: 'GET',
      path,
      tag: ADMIN,
      summary: `List ${words.many}`,
      description,
      access: adminAccess(scopes.read),
      query: z.object({
        ...(filters as z.ZodRawShape),
        limit: queryLimit({ max: MAX_LIMIT, fallback: MAX_LIMIT }),
        cursor: z.string().max(1_000).optional(),
      }),
      responses: { 200: { description: `A page of ${words.many}`, schema: pageOf(item, many) } },
      rejections: [],
      idempotency: 'none',
      handle: async (context, { query: { limit, cursor, ...more } }) => {
        const after = cursor === undefined ? {} : { after: inCursor(cursor, z.string().max(64)) };
        const listing = { ...more, limit, ...after } as Listing<Filters>;
        return { status: 200, body: pageBody(await list(this.#ledger(context), listing)) };
      },
    });
  }

  read(description: string): Endpoint {
    const { words, scopes } = this.#options;
    return endpoint({
      ...this.#common('get', '', description),
      method: 'GET',
      summary: `Read ${words.one}`,
      access: adminAccess(scopes.read),
      rejections: ['not_found'],
      handle: async (context, { params }) =>
        this.#answered(await this.#get(this.#ledger(context), params.id as never)),
    });
  }

  create<Body extends z.ZodType>(making: Making<Body, Asked>): Endpoint {
    const { action, description, body, rejections, make } = making;
    const { path, one, words, scopes, asked } = this.#options;
    return endpoint<z.ZodUndefined, z.ZodType, Body>({
      operationId: `create${one}`,
      action,
      method: 'POST',
      path,
      tag: ADMIN,
      summary: `Create ${words.one}`,
      description,
      access: adminAccess(scopes.write),
      body,
      ...(asked !== undefined && { query: asked }),
      responses: { 201: { description: 'It is made', schema: this.#made } },
      holdsSecrets: this.#options.made !== undefined,
      rejections: [...rejections, 'concurrent_update'],
      idempotency: 'none',
      version: 'sent',
      handle: async (context, input) => {
        const item = await make(this.#ledger(context), input.body, (input.query ?? {}) as Asked);
        const { headers, ...rest } = this.#answered(item, 'Created');
        return { ...rest, status: 201, headers: { ...headers, Location: `${path}/${item.id}` } };
      },
    });
  }

  /** PUT: `rowVersion` or If-Match is required. */
  replace<Body extends z.ZodType>(changing: Changing<Body>): Endpoint {
    return this.#change('PUT', changing);
  }

  /** PATCH: a JSON merge patch. */
  amend<Body extends z.ZodType>(changing: Changing<Body>): Endpoint {
    return this.#change('PATCH', changing);
  }

  remove(
    words: { readonly action: string; readonly summary: string; readonly description: string },
    remove: (ledger: TenantLedger, id: never) => Promise<Item>,
    rejections: readonly ErrorCode[] = [],
  ): Endpoint {
    const { scopes } = this.#options;
    return endpoint({
      ...this.#common('delete', '', words.description),
      method: 'DELETE',
      action: words.action,
      summary: words.summary,
      access: adminAccess(scopes.write),
      rejections: ['not_found', 'concurrent_update', ...rejections],
      handle: async (context, { params }) =>
        this.#answered(await remove(this.#ledger(context), params.id as never), 'Done'),
    });
  }

  /** POST to a path below the item. The answer is of what is made, which may be another item. */
  act<Body extends z.ZodType>(
    name: string,
    summary: string,
    {
      action,
      description,
      body,
      rejections,
      make,
    }: Omit<Making<Body>, 'make'> & {
      readonly make: (ledger: TenantLedger, id: never, body: z.output<Body>) => Promise<Item>;
    },
  ): Endpoint {
    const { path, scopes } = this.#options;
    return endpoint<ReturnType<typeof paramsOf>, z.ZodUndefined, Body>({
      ...this.#common(name, `/${name}`, description),
      method: 'POST',
      action,
      summary,
      access: adminAccess(scopes.write),
      body,
      responses: { 201: { description: 'It is made', schema: this.#made } },
      holdsSecrets: this.#options.made !== undefined,
      rejections: ['not_found', 'concurrent_update', ...rejections],
      handle: async (context, { params, body: given }) => {
        const item = await make(this.#ledger(context), params.id as never, given);
        const { headers, ...rest } = this.#answered(item, 'Done');
        return { ...rest, status: 201, headers: { ...headers, Location: `${path}/${item.id}` } };
      },
    });
  }

  /** POST without a body to a path below the item, which is answered as it is then. */
  turn(
    name: string,
    words: { readonly action: string; readonly summary: string; readonly description: string },
    turn: (ledger: TenantLedger, id: never) => Promise<Item>,
  ): Endpoint {
    const { action, summary, description } = words;
    return endpoint({
      ...this.#common(name, `/${name}`, description),
      method: 'POST',
      action,
      summary,
      access: adminAccess(this.#options.scopes.write),
      rejections: ['not_found', 'concurrent_update'],
      handle: async (context, { params }) =>
        this.#answered(await turn(this.#ledger(context), params.id as never), 'Done'),
    });
  }

  #change<Body extends z.ZodType>(
    method: 'PUT' | 'PATCH',
    { action, description, body, rejections, change }: Changing<Body>,
  ): Endpoint {
    const { words, scopes } = this.#options;
    const isWhole = method === 'PUT';
    return endpoint<ReturnType<typeof paramsOf>, z.ZodUndefined, Body>({
      ...this.#common(isWhole ? 'replace' : 'change', '', description),
      method,
      action,
      summary: `${isWhole ? 'Replace' : 'Change'} ${words.one}`,
      access: adminAccess(scopes.write),
      body,
      rejections: [
        'not_found',
        'precondition_failed',
        'stale_row_version',
        'concurrent_update',
        ...rejections,
      ],
      version: 'checked',
      handle: async (context, { params, body: given }) => {
        const ledger = this.#ledger(context);
        const id = params.id as never;
        checkId(id, given);
        const seen = await seenVersion(context, given, () => this.#get(ledger, id));
        if (isWhole && seen === undefined) throw refuse('invalid_request', undefined, UNSEEN);
        return this.#answered(await change(ledger, id, given, seen), 'Changed');
      },
    });
  }

  #common(verb: string, suffix: string, description: string) {
    const { path, one, words, id, subjectPrefix } = this.#options;
    return {
      operationId: `${verb}${one}`,
      ...(subjectPrefix !== undefined && { subjectPrefix }),
      path: `${path}/{id}${suffix}`,
      tag: ADMIN,
      description,
      params: paramsOf(id, words.one),
      responses: { 200: { description: 'The item', schema: this.#answer } },
      idempotency: 'none',
      version: 'sent',
    } as const;
  }

  #ledger(context: RequestContext): TenantLedger {
    return ledgerFor(this.#services, context);
  }

  #answered(item: Item, message = '') {
    return itemAnswer(item, message);
  }
}

function paramsOf(id: z.ZodType, one: string) {
  return z.object({ id: id.meta({ description: `The id of ${one}` }) });
}

/** An answer with one item, and its ETag where it has a version. */
export function itemAnswer(item: { readonly rowVersion?: number }, message = '') {
  const { rowVersion } = item;
  return {
    status: 200,
    headers: rowVersion === undefined ? {} : { ETag: etagOf({ rowVersion }) },
    body: { success: true, message, item },
  };
}

export function envelopeOf(item: z.ZodObject, id: string) {
  return z
    .object({
      success: z.literal(true),
      message: z.string(),
      item: item.meta({ description: 'What was asked for or changed, as it is now' }),
    })
    .meta({ id });
}

export function pageOf(item: z.ZodObject, many: string) {
  return z
    .object({
      success: z.literal(true),
      count: z.int().meta({ description: 'Items of this page' }),
      moreResults: z.boolean().meta({ description: 'Whether another page follows' }),
      next: z.string().nullable().meta({ description: '`cursor` of the next page' }),
      items: z.array(item).meta({ description: 'The items of this page' }),
    })
    .meta({ id: `${many}Page` });
}

export function pageBody({ items, next }: Page) {
  return {
    success: true,
    count: items.length,
    moreResults: next !== undefined,
    next: next === undefined ? null : cursorOf(next),
    items,
  };
}

const UNSEEN = {
  errors: [{ pointer: '/rowVersion', detail: 'Required, unless If-Match is sent' }],
};

/** The version that the caller saw, by the body or by If-Match; undefined where neither says. */
export async function seenVersion(
  { ifMatch }: RequestContext,
  body: unknown,
  get: () => Promise<{ readonly rowVersion?: number }>,
): Promise<number | undefined> {
  const given = (body as { readonly rowVersion?: number | null } | undefined)?.rowVersion;
  if (ifMatch === undefined) return given ?? undefined;
  const { rowVersion = 1 } = await get();
  checkIfMatch(ifMatch, { rowVersion });
  return given ?? rowVersion;
}
