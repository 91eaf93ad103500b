/** What those see who run the host: probes, metrics and logs. */
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@counterfoil/engine';
import { Metrics, Readiness } from '@counterfoil/http-host/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHost } from '../e2e/running-host.ts';
import { HEADERS, JSON_HEADERS, startBench } from './listening-host.ts';

describe('readiness', () => {
  it('names each check, and logs why one fails', async () => {
    const failures: unknown[] = [];
    const readiness = new Readiness((name, error) => failures.push([name, String(error)]));
    readiness.add('log', () => {});
    expect(await readiness.report()).toEqual({ status: 'starting', checks: { log: 'ok' } });
    readiness.started();
    expect(await readiness.report()).toEqual({ status: 'ok', checks: { log: 'ok' } });
    readiness.add('views', async () => {
      throw new Error('disk full');
    });
    expect(await readiness.report()).toEqual({
      status: 'unavailable',
      checks: { log: 'ok', views: 'failed' },
    });
    expect(failures).toEqual([['views', 'Error: disk full']]);
  });

  it('outlives a check that throws at once', async () => {
    const readiness = new Readiness(() => {});
    readiness.add('sync', () => {
      throw new Error('not yet');
    });
    const unhandled: unknown[] = [];
    const hear = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    const signals: AbortSignal[] = [];
    readiness.add('late', (signal) => void signals.push(signal));
    expect(await readiness.report()).toMatchObject({ checks: { sync: 'failed', late: 'ok' } });
    // Both checks share the time they are given: when it is over for one, it is for the other.
    await expect.poll(() => signals[0]?.aborted, { timeout: 10_000 }).toBe(true);
    await setImmediate();
    expect(unhandled).toEqual([]);
  });

  it('ends for good when draining', async () => {
    const readiness = new Readiness(() => {});
    readiness.drain();
    readiness.started();
    expect(await readiness.report()).toEqual({ status: 'unavailable', checks: {} });
  });

  it('needs no key', async () => {
    const { url } = await startBench();
    expect(await (await fetch(`${url}/livez`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ok', checks: {} });
  });
});

describe('metrics', () => {
  it('are on a port of their own alone where one is set', async () => {
    const lines: string[] = [];
    const running = await startHost({ env: { METRICS_PORT: '0' }, lines });
    onTestFinished(() => running.close());
    expect((await fetch(`${running.url}/metrics`)).status).toBe(404);
    const document = await (await fetch(`${running.url}/openapi.json`)).text();
    expect(document).not.toContain('/metrics');
    const serving = lines.find((line) => line.includes('"serving metrics"')) ?? '';
    const { url } = JSON.parse(serving);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^http_requests_in_flight 0$/m);
    expect((await fetch(`${url}/v1/payments`)).status).toBe(404);
  });

  it('say of each follower of the log how far it is behind', async () => {
    const running = await startHost();
    onTestFinished(() => running.close());
    const text = await (await fetch(`${running.url}/metrics`)).text();
    const followers = [...text.matchAll(/^follower_behind_seconds\{follower="(\S+)"\} \d/gm)];
    const names = followers.map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(['policies', 'erasures', 'webhooks']));
    expect(text).toMatch(/^follower_behind_events\{follower="policies"\} \d+$/m);
  });

  it('count by route and status, and know no tenant and no invented path', async () => {
    const { url } = await startBench();
    await fetch(`${url}/things/42`, { headers: HEADERS });
    await fetch(`${url}/made-up-by-the-caller`);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/things\/\{id\}",status="200"\} 1/,
    );
    expect(text).toMatch(/_count\{method="unmatched",route="unmatched",status="404"\} 1/);
    expect(text).toMatch(/^http_requests_in_flight 1$/m);
    expect(text).not.toMatch(/tenant|made-up|\/42/);
  });

  it('show the figures of other modules', async () => {
    const metrics = new Metrics();
    let lag = 3;
    metrics.gauge('projection_lag_events', 'How far behind', () => lag);
    expect(await metrics.text()).toContain('projection_lag_events 3');
    lag = 0;
    expect(await metrics.text()).toContain('projection_lag_events 0');
  });

  it('show figures of several things by one look at them', async () => {
    const metrics = new Metrics();
    const sizes = new Map([
      ['a', 1],
      ['b', 2],
    ]);
    let looks = 0;
    metrics.gauges({
      label: 'shelf',
      look: async () => {
        looks += 1;
        return sizes;
      },
      names: {
        shelf_books: { help: 'Books', of: (size: number) => size },
        shelf_pages: { help: 'Pages', of: (size: number) => size * 100 },
      },
    });
    const text = await metrics.text();
    for (const line of ['books{shelf="a"} 1', 'books{shelf="b"} 2', 'pages{shelf="b"} 200']) {
      expect(text).toContain(`shelf_${line}`);
    }
    expect(looks).toBe(1);
    sizes.delete('b');
    expect(await metrics.text()).not.toContain('shelf="b"');
    expect(looks).toBe(2);
  });
});

describe('logs', () => {
  it('have one line per request, with caller and route, but no body and no key', async () => {
    const { url, logs } = await startBench();
    const body = JSON.stringify({ amount: 1, more: { number: '4242424242424242' } });
    await fetch(`${url}/things?email=a%40example.com`, {
      method: 'POST',
      headers: JSON_HEADERS,
      body,
    });
    expect(logs).toHaveLength(1);
    expect(JSON.parse(logs[0] ?? '')).toMatchObject({
      method: 'POST',
      route: '/things',
      // Neither the query nor all of the body is known: what is refused must not be logged either.
      status: 400,
      tenantId: 1,
      environment: 'live',
      keyId: 'key-1',
    });
    expect(logs[0]).not.toMatch(/424242424242|a%40example|a@example/);
    expect(logs[0]).not.toContain(HEADERS.Authorization);
  });

  it.each([
    { authorization: 'SECRET' },
    { headers: { Authorization: 'SECRET' } },
    { request: { card: { number: 'SECRET' } } },
    { payment: { cvv: 'SECRET' } },
    { email: { html: 'SECRET' } },
    { account: { gatewayCredentials: { password: 'SECRET' } } },
    { tenant_key: 'SECRET' },
    { deep: { er: [{ still: { Authorization: 'SECRET' } }] } },
  ])('hide the secret of %j', (facts) => {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    createLogger({ level: 'info', destination }).info(facts, 'careless');
    expect(lines.join('')).toContain('careless');
    expect(lines.join('')).not.toContain('SECRET');
  });
});
