/** Webhook endpoints: sources that are there once, secrets during a rotation, and what disables. */
import { fold, type TenantId, WebhookEndpoints } from '@counterfoil/core';
import { describe, expect, it } from 'vitest';
import { whenOf } from './when.ts';

const when = whenOf(WebhookEndpoints);
const tenantId = 7 as TenantId;
const at = '2026-01-10T12:00:00.000Z';
const NEXT_DAY = '2026-01-11T12:00:00.000Z';
const id = (number: number) => `0192f000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const common = { environment: 'live', description: '', sealed: 'sealed:v1:one', at } as const;
const out = (number: number): WebhookEndpoints.Event => ({
  type: 'WebhookEndpointAdded',
  endpointId: id(number),
  direction: 'out',
  source: null,
  url: 'https://hooks.example/',
  eventTypes: ['*'],
  ordered: true,
  ...common,
});
const source = (number: number, name: string): WebhookEndpoints.Event => ({
  ...(out(number) as Extract<WebhookEndpoints.Event, { type: 'WebhookEndpointAdded' }>),
  direction: 'in',
  source: name,
  url: null,
  eventTypes: [],
  ordered: false,
});
const adding = (event: WebhookEndpoints.Event) =>
  ({ ...event, tenantId, type: 'AddWebhookEndpoint' }) as WebhookEndpoints.Command;
const rotated = (sealed: string): WebhookEndpoints.Event => ({
  type: 'WebhookSecretRotated',
  endpointId: id(1),
  sealed,
  overlapEndsAt: NEXT_DAY,
  at,
});
const disabled: WebhookEndpoints.Event = {
  type: 'WebhookEndpointDisabled',
  endpointId: id(1),
  reason: '410 Gone',
  at,
};
const change = (
  more: Partial<WebhookEndpoints.Settings> & { readonly rowVersion?: number } = {},
): WebhookEndpoints.Command => ({
  type: 'ChangeWebhookEndpoint',
  tenantId,
  endpointId: id(1),
  description: '',
  url: 'https://hooks.example/',
  eventTypes: ['*'],
  ordered: true,
  status: 'active',
  ...more,
  at,
});
const stateOf = (...past: WebhookEndpoints.Event[]) =>
  fold(WebhookEndpoints, past).get(id(1)) as WebhookEndpoints.Endpoint;

describe('a webhook endpoint', () => {
  it('of a source is there once', () => {
    const rejection = { type: 'WebhookSourceExists', endpointId: id(1) } as const;
    when([source(1, 'acme')], adding(source(2, 'acme'))).thenRejected(rejection);
    when([source(1, 'acme')], adding(source(2, 'other'))).then(source(2, 'other'));
    when([out(1)], adding(out(2))).then(out(2));
  });

  it('is changed from the version that was seen', () => {
    const stale = { type: 'StaleRowVersion', rowVersion: 2, current: 1 } as const;
    when([out(1)], change({ rowVersion: 2 })).thenRejected(stale);
    when([out(1)], change()).thenNothing();
    when([], change()).thenRejected({ type: 'WebhookEndpointUnknown' });
  });

  it('that is disabled is enabled by a change', () => {
    expect(stateOf(out(1), disabled)).toMatchObject({
      status: 'disabled',
      disabledReason: '410 Gone',
    });
    const enabling = change({ status: 'active' });
    const { type: _, tenantId: __, ...terms } = enabling;
    const enabled = { type: 'WebhookEndpointChanged', ...terms } as WebhookEndpoints.Event;
    when([out(1), disabled], enabling).then(enabled);
    expect(stateOf(out(1), disabled, enabled)).toMatchObject({
      status: 'active',
      disabledReason: null,
    });
  });

  it('is disabled once', () => {
    const command = { ...disabled, type: 'DisableWebhookEndpoint', tenantId } as const;
    when([out(1)], command).then(disabled);
    when([out(1), disabled], command).thenNothing();
  });

  it('has company up to a bound', () => {
    const max = WebhookEndpoints.MAX_ENDPOINTS;
    const all = Array.from({ length: max }, (_, number) => out(number));
    when(all, adding(out(max))).thenRejected({ type: 'TooManyWebhookEndpoints', max });
  });
});

describe('a secret', () => {
  it('of before is good until the overlap ends', () => {
    const endpoint = stateOf(out(1), rotated('two'));
    expect(WebhookEndpoints.secretsOf(endpoint, at)).toEqual(['two', 'sealed:v1:one']);
    expect(WebhookEndpoints.secretsOf(endpoint, NEXT_DAY)).toEqual(['two']);
  });

  it('before that ends at once: there are two at most', () => {
    const endpoint = stateOf(out(1), rotated('two'), rotated('three'));
    expect(WebhookEndpoints.secretsOf(endpoint, at)).toEqual(['three', 'two']);
  });
});
