import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { EndpointRouter } from './router.ts';

function read(path: string) {
  return endpoint({
    operationId: `read ${path}`,
    method: 'GET',
    path,
    tag: 'Test',
    summary: 'Read it',
    description: 'Reads it',
    access: { kind: 'public' },
    ...(path.includes('{') && { params: z.object({ id: z.string() }) }),
    responses: { 200: { description: 'It', schema: z.object({}) } },
    rejections: [],
    idempotency: 'none',
    handle: async () => ({ status: 200, body: {} }),
  });
}

function routeOf(router: EndpointRouter, target: string): string {
  const found = router.find('GET', target);
  return 'refusal' in found ? found.refusal.code : found.endpoint.path;
}

describe('a section', () => {
  it('is loaded with the first request below its prefix, once for all who ask meanwhile', async () => {
    let loads = 0;
    const section = {
      prefix: '/late',
      load: async () => {
        loads += 1;
        return [read('/late/{id}')];
      },
    };
    const router = new EndpointRouter([read('/early')], [section]);
    expect(router.load('/early')).toBeUndefined();
    expect(routeOf(router, '/late/1')).toBe('route_not_found');
    await Promise.all([router.load('/late/1'), router.load('http://host.example/late/2?a=b')]);
    expect(loads).toBe(1);
    expect(routeOf(router, '/late/1')).toBe('/late/{id}');
    expect(routeOf(router, '/early')).toBe('/early');
    expect(router.load('/late/1')).toBeUndefined();
  });

  it('has all paths that begin so', () => {
    const section = { prefix: '/late', load: async () => [] };
    expect(() => new EndpointRouter([read('/late/own')], [section])).toThrow('/late/own: paths');
  });

  it('that cannot be loaded is tried again with the next request', async () => {
    let isBroken = true;
    const section = {
      prefix: '/late',
      load: async () => {
        if (isBroken) throw new Error('no such file');
        return [read('/late')];
      },
    };
    const router = new EndpointRouter([], [section]);
    await expect(router.load('/late')).rejects.toThrow('no such file');
    isBroken = false;
    await router.load('/late');
    expect(routeOf(router, '/late')).toBe('/late');
  });
});
