/** What the declaration of an endpoint makes of the schemas of its input. */
import { endpoint } from '@counterfoil/http-host/http';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ErrorBody, HEADERS, JSON_HEADERS, startBench } from './listening-host.ts';

const DECLARED = {
  operationId: 'sample',
  method: 'POST',
  path: '/samples',
  tag: 'Samples',
  summary: 'A sample',
  description: 'For tests.',
  access: { kind: 'public' },
  responses: { 200: { description: 'Done', schema: z.unknown() } },
  rejections: [],
  idempotency: 'none',
  handle: async () => ({ status: 200, body: undefined }),
} as const;

const bounded = () => z.string().max(9, { abort: true });

describe('a pattern that is not preceded by a maximum length is refused', () => {
  it.each([
    ['/code', z.object({ code: z.string().regex(/^a/) })],
    ['/code', z.object({ code: z.string().regex(/^a/).max(9) })],
    ['/code', z.object({ code: z.string().max(9).regex(/^a/) })],
    ['/code', z.object({ code: z.string().min(1).startsWith('a').max(9, { abort: true }) })],
    ['/email', z.object({ email: z.email().max(254, { abort: true }) })],
    ['/when', z.object({ when: z.iso.datetime().transform((at) => new Date(at)) })],
    ['/list/*/id', z.object({ list: z.array(z.object({ id: z.guid() })).optional() })],
    ['/ip', z.object({ ip: z.union([bounded(), z.ipv6()]) })],
    [
      '/ids',
      z.object({
        ids: bounded()
          .transform(String)
          .pipe(z.union([z.enum(['a']), z.ulid()])),
      }),
    ],
    ['/data/*', z.object({ data: z.record(z.string().regex(/^a/), z.string()) })],
  ])('%s', (place, body) => {
    expect(() => endpoint({ ...DECLARED, body })).toThrow(`at ${place} a pattern`);
    expect(() => endpoint({ ...DECLARED, query: body })).toThrow(`at ${place} a pattern`);
  });

  it('and one that is preceded by one runs over nothing longer', () => {
    let looked = 0;
    const code = bounded().refine(() => {
      looked += 1;
      return true;
    });
    const { body } = endpoint({ ...DECLARED, body: z.object({ code: code.optional() }) });
    expect(body?.safeParse({ code: 'x'.repeat(10) }).success).toBe(false);
    expect(looked).toBe(0);
  });
});

const Item = z.object({ sku: bounded(), quantity: z.int().min(1) }).meta({ id: 'SampleItem' });
const Order = z
  .object({
    amount: z.number(),
    note: bounded().optional(),
    capture: z.boolean().default(true),
    reference: bounded().nullable().optional(),
    orderIds: z.array(z.int()).max(3).optional(),
    items: z.array(z.union([Item, z.object({ gift: z.boolean() })])).optional(),
    kind: z.enum(['retail', 'club']).optional(),
    templateData: z.record(bounded(), z.unknown()).optional(),
    metadata: z.looseObject({ source: bounded().optional() }).optional(),
  })
  .meta({ id: 'SampleOrder' });

const server = await startBench({
  onEnd: afterAll,
  endpoints: [
    endpoint({
      ...DECLARED,
      access: { kind: 'api-key', scope: 'things:write', requiresUserEmail: false },
      body: Order.optional(),
      handle: async (_context, { body }) => ({ status: 200, body: body ?? null }),
    }),
    endpoint({
      ...DECLARED,
      operationId: 'lenientSample',
      path: '/lenient-samples',
      body: Order,
      unknownMembers: 'ignored',
      handle: async (_context, { body }) => ({ status: 200, body }),
    }),
    endpoint({
      ...DECLARED,
      operationId: 'patchSample',
      method: 'PATCH',
      body: z.object({ note: bounded().nullable().optional(), amount: z.number().optional() }),
      handle: async (_context, { body }) => ({ status: 200, body }),
    }),
  ],
});

async function send(body: unknown, { path = '/samples', method = 'POST' } = {}) {
  const init = { method, headers: JSON_HEADERS, body: JSON.stringify(body) };
  const answer = await fetch(server.url + path, init);
  // biome-ignore lint/suspicious/noExplicitAny: the answer is looked into as a caller would
  return { status: answer.status, body: (await answer.json()) as any };
}

/** What is wrong with a body, as `pointer: detail`. */
async function faultsOf(body: unknown, target?: Parameters<typeof send>[1]): Promise<string[]> {
  const answer = await send(body, target);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  return answer.body.errors.map(
    (each: Record<string, string>) => `${each.pointer}: ${each.detail}`,
  );
}

describe('a member that the schema does not name', () => {
  it.each([
    [
      'a slip of the shift key',
      { amount: 1, Note: 'x' },
      '/Note: Note is not known; did you mean note?',
    ],
    [
      'a letter too few',
      { amount: 1, captur: false },
      '/captur: captur is not known; did you mean capture?',
    ],
    [
      'another case',
      { amount: 1, orderIDs: [] },
      '/orderIDs: orderIDs is not known; did you mean orderIds?',
    ],
    ['nothing near', { amount: 1, zebra: 1 }, '/zebra: zebra is not known'],
    ['an odd name', { amount: 1, 'a/b~': 1 }, '/a~1b~0: a/b~ is not known'],
    [
      'one below an option',
      { amount: 1, items: [{ sku: 'a', quantity: 1, qantity: 2 }] },
      '/items/0/qantity: qantity is not known; did you mean quantity?',
    ],
    [
      'one of another option',
      { amount: 1, items: [{ sku: 'a', quantity: 1, gift: true }] },
      '/items/0/gift: gift is not known; did you mean gift?',
    ],
  ])('is refused: %s', async (_what, body, fault) => {
    expect(await faultsOf(body)).toEqual([fault]);
  });

  it('is reported with all other errors, one by one', async () => {
    expect(await faultsOf({ Amount: 1, zebra: 1, items: [{ gift: 1, x: 1 }] })).toEqual([
      '/amount: amount is required',
      '/items/0/gift: gift must be a boolean',
      '/items/0/x: x is not known',
      '/Amount: Amount is not known; did you mean amount?',
      '/zebra: zebra is not known',
    ]);
  });

  it('is not repeated when it is long', async () => {
    const [fault] = await faultsOf({ amount: 1, ['x'.repeat(10_000)]: 1 });
    expect(fault).toMatch(/^: .{1,80}$/);
  });

  it('is let in where the schema is free', async () => {
    const free = { templateData: { any: { thing: null } }, metadata: { source: 'a', more: 1 } };
    expect(await send({ amount: 1, ...free })).toMatchObject({ status: 200, body: free });
  });

  it('is left out where the endpoint says so', async () => {
    const body = { amount: 1, zebra: 1, items: [{ gift: true, x: 1 }] };
    const answer = await send(body, { path: '/lenient-samples' });
    expect(answer.body).toEqual({ amount: 1, capture: true, items: [{ gift: true }] });
  });

  it('is refused in a query, also where none is taken', async () => {
    const at = async (path: string) =>
      ((await (await fetch(server.url + path, { headers: HEADERS })).json()) as ErrorBody).errors;
    expect(await at('/things/1?limt=2')).toEqual([
      { in: 'query', pointer: '/query/limt', detail: 'limt is not known; did you mean limit?' },
    ]);
    expect(await faultsOf({ amount: 1 }, { path: '/samples?amount=1' })).toEqual([
      '/query/amount: amount is not known',
    ]);
    const probe = await fetch(`${server.url}/livez?at=1`);
    expect(probe.status).toBe(200);
  });

  it('is excluded by the document', () => {
    const json = z.toJSONSchema(endpoint({ ...DECLARED, body: Order }).body as z.ZodType, {
      io: 'input',
    });
    expect(json.$defs).toMatchObject({ SampleOrder: { additionalProperties: false } });
    expect(json.$defs).toMatchObject({ SampleItem: { additionalProperties: false } });
  });
});

describe('null', () => {
  it('means absent for an optional member, below lists and options too', async () => {
    const body = { amount: 1, note: null, capture: null, items: null, metadata: { source: null } };
    expect((await send(body)).body).toEqual({ amount: 1, capture: true, metadata: {} });
    expect(await faultsOf(null)).toEqual([': The body is required']);
  });

  it('stays where it has a meaning', async () => {
    expect((await send({ amount: 1, reference: null })).body).toMatchObject({ reference: null });
    const patch = { method: 'PATCH' };
    expect((await send({ note: null }, patch)).body).toEqual({ note: null });
    expect(await faultsOf({ amount: null }, patch)).toEqual(['/amount: amount is required']);
  });

  it('is not what a required member or an element may be', async () => {
    expect(await faultsOf({ amount: null, orderIds: [1, null] })).toEqual([
      '/amount: amount is required',
      '/orderIds/1: orderIds[1] must be an integer',
    ]);
  });
});

describe('errors use the words of the contract', () => {
  it.each([
    [undefined, { items: [{}] }, 'amount is required'],
    ['amount', { amount: '1' }, 'amount must be a number'],
    ['note', { amount: 1, note: 'x'.repeat(10) }, 'note must have at most 9 characters'],
    ['orderIds', { amount: 1, orderIds: [1, 2, 3, 4] }, 'orderIds must have at most 3 elements'],
    ['orderIds', { amount: 1, orderIds: [1.5] }, 'orderIds[0] must be an integer'],
    ['kind', { amount: 1, kind: 'x' }, 'kind must be one of retail, club'],
    ['items', { amount: 1, items: [{ sku: 'a', quantity: 0 }] }, 'quantity must be at least 1'],
    ['items', { amount: 1, items: [1] }, 'items[0] must be an object'],
    ['root', [], 'The body must be an object'],
  ])('%s', async (_name, body, detail) => {
    expect((await faultsOf(body)).map((each) => each.split(': ')[1])).toContain(detail);
  });

  it('with the part of the request that it is in', async () => {
    const inputs = [
      [`${server.url}/things/x?limit=101`, { headers: HEADERS }],
      [`${server.url}/samples`, { method: 'POST', headers: JSON_HEADERS, body: '{"amount":""}' }],
      [`${server.url}/things/1`, { headers: { ...HEADERS, UserEmail: 'x' } }],
    ] as const;
    const errors = await Promise.all(
      inputs.map(
        async ([url, init]) => ((await (await fetch(url, init)).json()) as ErrorBody).errors,
      ),
    );
    expect(errors).toMatchObject([
      [
        { in: 'path', pointer: '/path/id' },
        { in: 'query', pointer: '/query/limit' },
      ],
      [{ in: 'body', pointer: '/amount' }],
      [{ in: 'header', pointer: '/header/UserEmail' }],
    ]);
  });
});
