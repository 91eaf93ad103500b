/** The webhook endpoints of one tenant, for one caller. */
import type { WebhookEndpoints as Aggregate } from '@counterfoil/core';
import type { Acting } from '../acting.ts';
import { uuidV7 } from '../ids.ts';
import { type CallInputs, inputOf } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { type Page, pageOf } from '../pages.ts';
import { made, named, type RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import { urlFault } from './addresses.ts';
import { INCOMING, type WebhookEndpoints } from './webhook-endpoints.ts';
import {
  CHANGES,
  EndpointId,
  WebhookEndpointChange,
  WebhookEndpointInput,
  WebhookListing,
  WebhookRotation,
} from './webhook-input.ts';

export interface WebhookEndpointView extends Omit<Aggregate.Endpoint, 'endpointId' | 'secrets'> {
  readonly id: string;
  /** Until when the secret before the present one is good; null: there is none. */
  readonly overlapEndsAt: string | null;
}

/** The secret is returned once. */
export type ShownWebhookEndpoint = WebhookEndpointView & { readonly signingSecret: string };

interface Services {
  readonly webhookEndpoints: WebhookEndpoints;
  readonly settings: { readonly loopbackWebhooks: boolean };
}

export class TenantWebhookEndpoints {
  readonly #endpoints: WebhookEndpoints;
  readonly #place: { readonly loopback: boolean };
  readonly #acting: Acting;

  constructor({ webhookEndpoints, settings }: Services, acting: Acting) {
    this.#endpoints = webhookEndpoints;
    this.#place = { loopback: settings.loopbackWebhooks };
    this.#acting = acting;
  }

  async list({ direction, ...listing }: WebhookListing = {}): Promise<Page<WebhookEndpointView>> {
    const all = [...(await this.#endpoints.state(this.#acting.tenantId)).values()];
    const asked = all.filter((each) => direction === undefined || each.direction === direction);
    return pageOf(
      asked.map((each) => this.#viewOf(each)),
      listing,
    );
  }

  /** Refuses with `WebhookEndpointUnknown`. */
  async get(endpointId: string): Promise<WebhookEndpointView> {
    return this.#viewOf(await this.#find(endpointId));
  }

  /** Refuses with `WebhookUrlRefused` and, for a source that is there, `WebhookSourceExists`. */
  async create(input: WebhookEndpointInput): Promise<ShownWebhookEndpoint> {
    // An interface may have what depends on the direction unchecked.
    const {
      environment = 'live',
      description = '',
      ...given
    } = inputOf(WebhookEndpointInput, input);
    const { tenantId, caller } = this.#acting;
    const named = { endpointId: uuidV7(), environment, description };
    const terms =
      given.direction === 'in'
        ? { ...named, ...INCOMING, ...given }
        : { ...named, ...this.#out(given) };
    const signingSecret = await this.#endpoints.add(tenantId, terms, caller);
    return { ...(await this.get(named.endpointId)), signingSecret };
  }

  /** A disabled endpoint becomes active, or `status`. Refuses with `StaleRowVersion`. */
  async change(endpointId: string, change: WebhookEndpointChange): Promise<WebhookEndpointView> {
    const before = await this.#find(endpointId);
    const { direction, url, eventTypes, ordered, description } = before;
    const given: WebhookEndpointChange = inputOf(CHANGES[direction], change);
    const kept = { url, eventTypes: [...eventTypes], ordered, description };
    const { rowVersion = before.rowVersion, status: asked, ...changed } = given;
    const status = asked ?? (before.status === 'disabled' ? 'active' : before.status);
    const terms = { ...kept, ...definedOf(changed), status };
    const checked = terms.url === null ? terms : { ...terms, url: this.#checkedUrl(terms.url) };
    const { tenantId, caller } = this.#acting;
    const command = { type: 'ChangeWebhookEndpoint', endpointId, ...checked, rowVersion } as const;
    await this.#endpoints.execute(tenantId, command, caller);
    return this.get(endpointId);
  }

  /** Its deliveries wait, and its messages are refused, until it is resumed. */
  pause(endpointId: string): Promise<WebhookEndpointView> {
    return this.change(endpointId, { status: 'paused' });
  }

  /** It is sent what has waited. Also enables an endpoint that was disabled. */
  resume(endpointId: string): Promise<WebhookEndpointView> {
    return this.change(endpointId, { status: 'active' });
  }

  /** Messages are signed with both secrets until the overlap ends, or may be signed with either. */
  async rotate(endpointId: string, rotation: WebhookRotation = {}): Promise<ShownWebhookEndpoint> {
    const { tenantId, caller } = this.#acting;
    const signingSecret = await this.#endpoints.rotate({ tenantId, endpointId }, rotation, caller);
    return { ...(await this.get(endpointId)), signingSecret };
  }

  /** From now on nothing is sent to it, or taken from it. */
  async remove(endpointId: string): Promise<WebhookEndpointView> {
    const removed = await this.get(endpointId);
    const { tenantId, caller } = this.#acting;
    await this.#endpoints.execute(tenantId, { type: 'RemoveWebhookEndpoint', endpointId }, caller);
    return removed;
  }

  #out({
    direction,
    url,
    eventTypes = ['*'],
    ordered = true,
  }: Extract<WebhookEndpointInput, { direction: 'out' }>) {
    return { direction, source: null, url: this.#checkedUrl(url), eventTypes, ordered } as const;
  }

  /** As it is connected to. */
  #checkedUrl(url: string): string {
    const reason = urlFault(url, this.#place);
    if (reason !== undefined) throw refused({ type: 'WebhookUrlRefused', reason });
    return new URL(url).href;
  }

  async #find(endpointId: string): Promise<Aggregate.Endpoint> {
    const found = (await this.#endpoints.state(this.#acting.tenantId)).get(endpointId);
    if (found === undefined) throw refused({ type: 'WebhookEndpointUnknown' });
    return found;
  }

  #viewOf({ endpointId: id, secrets, ...endpoint }: Aggregate.Endpoint) {
    const ends = secrets.map(({ expiresAt }) => expiresAt);
    const overlapEndsAt = ends.find((each) => each !== null && each > this.#endpoints.now());
    const view: WebhookEndpointView = {
      id,
      ...endpoint,
      overlapEndsAt: overlapEndsAt ?? null,
    };
    return view;
  }
}

export const WEBHOOK_ENDPOINT_INPUTS: CallInputs<TenantWebhookEndpoints> = {
  list: [WebhookListing.optional()],
  get: [EndpointId],
  create: [WebhookEndpointInput],
  change: [EndpointId, WebhookEndpointChange],
  pause: [EndpointId],
  resume: [EndpointId],
  rotate: [EndpointId, WebhookRotation.optional()],
  remove: [EndpointId],
};

export const WEBHOOK_ENDPOINT_CALLS: RecordedCalls<TenantWebhookEndpoints> = {
  create: made,
  change: named,
  pause: named,
  resume: named,
  rotate: named,
  remove: named,
};
