/** Webhooks in the console: endpoints and sources, what was sent, and sending it again. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTenant, type Running, startHost } from '../e2e/running-host.ts';
import { POLLING, Sink } from '../engine/webhook-sink.ts';
import { hiddenFields, openUser, row, type ShownPage, Visitor } from './console-visitor.ts';

const TENANT = 54;
const OWNER = 'owner@example.com';
const VIEWER = 'viewer@example.com';
const LIST = '/console/live/webhooks';

let running: Running;
let owner: Visitor;
let viewer: Visitor;

beforeAll(async () => {
  running = await startHost();
  await openTenant(running, TENANT);
  await openUser(running, TENANT, { email: OWNER, roleIds: ['owner'] });
  await openUser(running, TENANT, { email: VIEWER, roleIds: ['viewer'] });
  [owner, viewer] = [new Visitor(running.url), new Visitor(running.url)];
  await owner.signIn(TENANT, OWNER);
  await viewer.signIn(TENANT, VIEWER);
});
afterAll(() => running.close());

function ledger() {
  return running.host.engine.as({ tenantId: TENANT, actor: OWNER });
}

/** An endpoint that is sent to `sink`, without messages of its own accord. */
async function openEndpoint(sink: Sink) {
  const { id } = await ledger().webhookEndpoints.create({
    direction: 'out',
    url: sink.url,
    eventTypes: ['email.failed'],
  });
  return { id, page: `${LIST}/${id}` };
}

function field({ text }: ShownPage, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
}

async function sendTest(visitor: Visitor, page: string): Promise<ShownPage> {
  const shown = await visitor.get(page);
  const fields = { token: field(shown, 'token'), messageId: field(shown, 'messageId') };
  const answers = [await visitor.post(`${page}/test`, fields)];
  answers.push(await visitor.post(`${page}/test`, fields));
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  return visitor.get(answers[0]?.location ?? '');
}

describe('an endpoint', () => {
  it('is made with a secret that is shown once, and is changed', async () => {
    const form = `${LIST}/new-endpoint`;
    const fields = { url: 'https://hooks.shop.example/in', description: 'The shop' };
    const { text } = await owner.submit(form, form, { ...fields, ordered: 'yes' });
    const [, secret = ''] = /data-copy="(whsec_[^"]+)"/.exec(text) ?? [];
    expect(secret).not.toBe('');
    const [, page = ''] = /href="(\/console\/live\/webhooks\/[0-9a-f-]{36})"/.exec(text) ?? [];
    const settings = `${page}/settings`;
    const changed = await owner.post(settings, {
      ...hiddenFields(await owner.get(settings)),
      url: 'https://hooks.shop.example/other',
      eventTypes: 'refund.failed',
    });
    expect(changed.status, changed.text).toBe(303);
    const shown = await owner.get(page);
    expect(shown.text).toContain('https://hooks.shop.example/other');
    for (const each of [shown, await owner.get(LIST), await owner.get(settings)]) {
      expect(each.text).not.toContain(secret);
    }
    expect(await ledger().webhookEndpoints.get(page.split('/').at(-1) ?? '')).toMatchObject({
      eventTypes: ['refund.failed'],
      ordered: false,
      description: '',
    });
  });

  it('is not made of an address that is refused, and what was entered stays', async () => {
    const form = `${LIST}/new-endpoint`;
    const { status, text } = await owner.submit(form, form, { url: 'https://10.0.0.1/"x' });
    expect(status).toBe(400);
    expect(text).toContain('Must not be a private or reserved address');
    expect(text).toContain('value="https://10.0.0.1/&quot;x"');
  });

  it('is not changed by a page that is out of date', async () => {
    const sink = await Sink.start();
    const { id, page } = await openEndpoint(sink);
    const settings = `${page}/settings`;
    const seen = await owner.get(settings);
    await ledger().webhookEndpoints.change(id, { description: 'Somebody was here' });
    const stale = hiddenFields(seen);
    const late = { ...stale, url: `${sink.url}/mine`, description: 'Mine', ordered: 'yes' };
    const refused = await owner.post(settings, late);
    expect(refused.status).toBe(409);
    expect(refused.text).not.toContain('rowVersion is');
    expect(row(refused, 'Description')).toEqual(['Description', '–', 'Somebody was here', 'Mine']);
    const rotation = await owner.post(`${page}/rotate`, { ...stale, overlapDays: '0' });
    expect(rotation.status).toBe(409);
    expect(rotation.text).toContain('its secret was not replaced');
    expect((await ledger().webhookEndpoints.get(id)).description).toBe('Somebody was here');
    // What is seen is saved.
    expect((await owner.post(settings, { ...late, ...hiddenFields(refused) })).status).toBe(303);
    const { description, url } = await ledger().webhookEndpoints.get(id);
    expect([description, url]).toEqual(['Mine', `${sink.url}/mine`]);
  });

  it('is changed where somebody has paused it meanwhile, and stays paused', async () => {
    const sink = await Sink.start();
    const { id, page } = await openEndpoint(sink);
    const settings = `${page}/settings`;
    const seen = hiddenFields(await owner.get(settings));
    await ledger().webhookEndpoints.pause(id);
    const fields = { ...seen, url: sink.url, description: 'Mine', ordered: 'yes' };
    expect((await owner.post(settings, fields)).status).toBe(303);
    const { description, status } = await ledger().webhookEndpoints.get(id);
    expect([description, status]).toEqual(['Mine', 'paused']);
  });

  it('gets another secret once, however often the form is sent', async () => {
    const { page } = await openEndpoint(await Sink.start());
    const seen = await owner.get(`${page}/settings`);
    const fields = { token: field(seen, 'token'), rowVersion: field(seen, 'rowVersion') };
    const rotated = await owner.post(`${page}/rotate`, { ...fields, overlapDays: '1' });
    expect(rotated.text).toMatch(/data-copy="whsec_/);
    const again = await owner.post(`${page}/rotate`, { ...fields, overlapDays: '1' });
    expect(again.status).toBe(409);
  });

  it('is removed', async () => {
    const { page } = await openEndpoint(await Sink.start());
    expect((await owner.submit(`${page}/settings`, `${page}/remove`)).location).toBe(LIST);
    expect((await owner.get(page)).status).toBe(404);
  });

  it('is not shown among data of the other kind', async () => {
    const { id } = await openEndpoint(await Sink.start());
    expect((await owner.get(`/console/test/webhooks/${id}`)).status).toBe(404);
    expect((await owner.get('/console/test/webhooks')).text).not.toContain(id);
  });

  it('that is paused keeps what happens, until it is resumed', async () => {
    const sink = await Sink.start();
    const { page } = await openEndpoint(sink);
    await owner.submit(page, `${page}/pause`);
    await sendTest(owner, page);
    await vi.waitUntil(
      async () => (await owner.get(`${page}?status=held`)).text.includes('>webhook.test</a>'),
      POLLING,
    );
    expect(sink.received).toEqual([]);
    await owner.submit(page, `${page}/resume`);
    expect(await sink.has(1)).toHaveLength(1);
  });
});

describe('a source', () => {
  it('is made once by its name', async () => {
    const form = `${LIST}/new-source`;
    const made = await owner.submit(form, form, { source: 'acme-pay' });
    expect(made.text).toMatch(/data-copy="whsec_/);
    expect((await owner.get(LIST)).text).toContain('>acme-pay</a>');
    const again = await owner.submit(form, form, { source: 'acme-pay' });
    expect(again.status).toBe(409);
    expect(again.text).toContain('There is an endpoint of this source');
  });
});

describe('a delivery', () => {
  it('is one test however often its form is sent, shown with body and answer', async () => {
    const sink = await Sink.start();
    sink.answer = (_, response) => response.end('<b>thanks</b>');
    const { id, page } = await openEndpoint(sink);
    await sendTest(owner, page);
    const [received] = await sink.has(1);
    const { items } = await ledger().webhooks.deliveries(id);
    expect(items).toHaveLength(1);
    const address = `${page}/deliveries/${items[0]?.id}`;
    await vi.waitUntil(
      async () => (await owner.get(address)).text.includes('&lt;b&gt;thanks'),
      POLLING,
    );
    const { text } = await owner.get(address);
    expect(text).toContain(`&quot;endpointId&quot;: &quot;${id}&quot;`);
    expect(text).toContain(received?.body.id);
  });

  it('is sent again once, by a page that is not out of date', async () => {
    const sink = await Sink.start();
    const { id, page } = await openEndpoint(sink);
    await sendTest(owner, page);
    const delivered = await vi.waitUntil(async () => {
      const [first] = (await ledger().webhooks.deliveries(id)).items;
      return first?.status === 'delivered' ? first : undefined;
    }, POLLING);
    const address = `${page}/deliveries/${delivered.id}`;
    const seen = await owner.get(address);
    const fields = { token: field(seen, 'token'), seen: field(seen, 'seen') };
    await owner.post(`${address}/replay`, fields);
    await sink.has(2);
    await vi.waitUntil(
      async () => (await ledger().webhooks.deliveries(id)).items[0]?.status === 'delivered',
      POLLING,
    );
    await owner.post(`${address}/replay`, fields);
    expect((await owner.get(address)).text).toContain('It was not sent again');
    expect((await ledger().webhooks.delivery(id, delivered.id)).attempts).toBe(2);
  });

  it('that was given up is listed, and replayed with all the others', async () => {
    const sink = await Sink.start();
    sink.status(410);
    const { id, page } = await openEndpoint(sink);
    await sendTest(owner, page);
    await vi.waitUntil(
      async () => (await ledger().webhooks.deliveries(id, { status: 'dead' })).items.length === 1,
      POLLING,
    );
    expect((await owner.get(LIST)).text).toContain(`${page}?status=dead">1 given up`);
    const overview = await owner.get('/console/live/overview');
    expect(overview.text).toContain(`${page}?status=dead">Webhooks that were given up`);
    sink.status(200);
    await owner.submit(page, `${page}/resume`);
    await owner.submit(page, `${page}/replay`);
    expect((await owner.get(page)).text).toContain('One is sent again.');
    await sink.has(2);
  });

  it('of another endpoint is not found', async () => {
    const { id, page } = await openEndpoint(await Sink.start());
    await sendTest(owner, page);
    const [first] = (await ledger().webhooks.deliveries(id)).items;
    const other = await openEndpoint(await Sink.start());
    expect((await owner.get(`${other.page}/deliveries/${first?.id}`)).status).toBe(404);
  });
});

describe('roles', () => {
  it('that only read show no button, and are refused', async () => {
    const { id, page } = await openEndpoint(await Sink.start());
    const { text } = await viewer.get(page);
    expect(text).not.toMatch(/action="[^"]*\/(test|pause|replay)"/);
    const token = field(await viewer.get(LIST), 'token');
    const messageId = crypto.randomUUID();
    const sent = [
      await viewer.post(`${page}/test`, { token, messageId }),
      await viewer.post(`${page}/pause`, { token }),
      await viewer.post(`${page}/rotate`, { token, overlapDays: '0', rowVersion: '1' }),
      await viewer.post(`${page}/remove`, { token }),
    ];
    expect(sent.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await viewer.get(`${page}/settings`)).status).toBe(403);
    expect((await ledger().webhookEndpoints.get(id)).status).toBe('active');
  });
});
