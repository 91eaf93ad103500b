/** What the declaration of an endpoint makes of the schemas of its input. */
import { endpoint } from '@counterfoil/http-host/http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

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
