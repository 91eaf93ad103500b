/** What the host serves of the widget: addresses that keep their content, and frames for known pages alone. */
import { createHash } from 'node:crypto';
import { sandbox } from '@counterfoil/engine/gateways';
import { stripe } from '@counterfoil/gateway-stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  type Json,
  openAccount,
  openTenant,
  type Running,
  startHost,
} from './running-host.ts';

const TENANT = 17;
const ORIGIN = 'https://shop.example';

let running: Running;
let owner: Caller;
let item: Json;

beforeAll(async () => {
  running = await startHost({ gateways: [sandbox(), stripe()] });
  owner = await openTenant(running, TENANT);
  const asked = { kind: 'payment-publishable', applicationId: 1, allowedOrigins: [ORIGIN] };
  ({ item } = (await owner.wire.post('/api/admin/keys', asked)).body);
});
afterAll(() => running.close());

const get = (path: string) => fetch(running.url + path);
const frame = (key: string, origin: string, more: Readonly<Record<string, string>> = {}) =>
  get(`/widget/pages/frame?${new URLSearchParams({ key, origin, ...more })}`);

describe('the script', () => {
  it('has an address for a year, and the integrity of what is there', async () => {
    const { src, integrity } = (await (await get('/widget/v1.json')).json()) as Json;
    const kept = await get(src);
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const bytes = Buffer.from(await kept.arrayBuffer());
    expect(`sha384-${createHash('sha384').update(bytes).digest('base64')}`).toBe(integrity);
    const present = await get('/widget/v1.js');
    expect(present.headers.get('cache-control')).toBe('public, max-age=300');
    expect(Buffer.from(await present.arrayBuffer())).toEqual(bytes);
  });

  it('may be loaded by pages of any origin, which check what it is', async () => {
    const { headers } = await get('/widget/v1.js');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each(['v2.js', 'v1.0000000000000000.js', 'package.json'])('is not %s', async (file) => {
    expect((await get(`/widget/${file}`)).status).toBe(404);
  });
});

describe('the frame of the card form', () => {
  it('is for one page of the key, and admits no inline script or style', async () => {
    const { status, headers } = await frame(item.key, ORIGIN);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        `frame-ancestors ${ORIGIN}`,
      ]),
    );
    expect(policy).not.toContain('unsafe');
  });

  it('holds nothing inline that its policy would refuse', async () => {
    const html = await (await frame(item.key, ORIGIN)).text();
    expect(html).not.toMatch(/<script>|<style| style=| on[a-z]+=/);
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const file = await get(address ?? '');
      expect(file.headers.get('cache-control')).toContain('immutable');
    }
  });

  it('admits the origins of the gateway for sessions that need its script, and for no others', async () => {
    const key = { key: 'rk_live_0123456789', publishableKey: 'pk_live_0123456789' };
    const apiKey = JSON.stringify(key);
    const gatewayCredentials = { apiKey, username: '', password: '', emailAddress: '' };
    const currencies = [{ currency: 'GBP', gatewayCredentials }];
    await openAccount(running, TENANT, 9, { gatewayId: 10, currencies });
    const pages = { successUrl: `${ORIGIN}/thanks`, cancelUrl: `${ORIGIN}/` };
    const order = { amount: 10, currency: 'GBP', email: 'dora@shop.example', ...pages };
    const opened = async (more: object) =>
      (await owner.wire.post('/v1/checkout-sessions', { ...order, ...more })).body.id;
    const shown = async (session: string) => {
      const { headers } = await frame(item.key, ORIGIN, { session });
      return (headers.get('content-security-policy') ?? '').split('; ');
    };
    expect(await shown(await opened({ merchantAccountId: 9 }))).toEqual(
      expect.arrayContaining([
        "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
        "connect-src 'self' https://api.stripe.com",
        "frame-src 'self' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
        `frame-ancestors ${ORIGIN}`,
      ]),
    );
    const typed = (await frame(item.key, ORIGIN)).headers.get('content-security-policy');
    expect((await shown(await opened({}))).join('; ')).toBe(typed);
  });

  it('is refused to pages of other origins, and without an active key', async () => {
    expect((await frame(item.key, 'https://evil.example')).status).toBe(403);
    expect((await frame(item.key, `${ORIGIN}'; script-src *`)).status).toBe(403);
    expect((await frame(`${item.key.slice(0, -4)}AAAA`, ORIGIN)).status).toBe(403);
    const asked = { kind: 'payment-publishable', applicationId: 1, allowedOrigins: [ORIGIN] };
    const { body } = await owner.wire.post('/api/admin/keys', asked);
    await owner.wire.send('DELETE', `/api/admin/keys/${body.item.id}`, undefined);
    expect((await frame(body.item.key, ORIGIN)).status).toBe(403);
  });
});

it('takes buyers back with whatever a bank has added to its address', async () => {
  const added = { done: 'true', payment_intent: 'pi_1', redirect_status: 'succeeded' };
  const { status } = await get(`/widget/pages/challenge?${new URLSearchParams(added)}`);
  expect(status).toBe(200);
});
