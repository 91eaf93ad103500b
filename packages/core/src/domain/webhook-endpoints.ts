/** The webhook endpoints of a tenant: where its events are sent, and who sends it signed messages. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { type Stale, staleness } from '../kernel/row-version.ts';

export const MAX_ENDPOINTS = 200;
export const MAX_URL_LENGTH = 2_048;
/** Of a secret that is replaced. */
export const MAX_OVERLAP_DAYS = 7;

/** What endpoints may ask for; `*` is all of them, those that are added later too. */
export const EVENT_TYPES = [
  '*',
  'customer_lead.paid',
  'payment.captured',
  'payment.declined',
  'refund.succeeded',
  'refund.failed',
  'subscription.started',
  'subscription.renewed',
  'subscription.frozen',
  'subscription.unsubscribed',
  'chargeback.opened',
  'chargeback.closed',
  'alert.received',
  'email.failed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Names of sources are parts of addresses. */
export const SourceName = z
  .string()
  .max(64, { abort: true })
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);

const endpointId = z.guid();
const settings = {
  description: z.string().max(200),
  /** Null for `in`. */
  url: z.string().max(MAX_URL_LENGTH).nullable(),
  /** None for `in`. */
  eventTypes: z.array(z.enum(EVENT_TYPES)).max(EVENT_TYPES.length),
  /** Deliveries about one subject keep the order of its events. False for `in`. */
  ordered: z.boolean(),
};

export const events = {
  WebhookEndpointAdded: event({
    endpointId,
    /** `out`: events are sent to `url`. `in`: `source` sends messages. */
    direction: z.enum(['out', 'in']),
    environment: z.enum(['live', 'test']),
    /** Null for `out`. */
    source: z.string().max(64).nullable(),
    ...settings,
    /** The signing secret, sealed under the master key. */
    sealed: z.string(),
    at: Instant,
  }),
  WebhookEndpointChanged: event({
    endpointId,
    ...settings,
    status: z.enum(['active', 'paused']),
    at: Instant,
  }),
  /** The secret of before is good until `overlapEndsAt`; the one before that ends at once. */
  WebhookSecretRotated: event({
    endpointId,
    sealed: z.string(),
    overlapEndsAt: Instant,
    at: Instant,
  }),
  /** By the ledger, such as after 410 from the receiver. */
  WebhookEndpointDisabled: event({ endpointId, reason: z.string().max(200), at: Instant }),
  WebhookEndpointRemoved: event({ endpointId, at: Instant }),
};
export type Event = EventsOf<typeof events>;
type EventOf<Type extends Event['type']> = Omit<Extract<Event, { type: Type }>, 'type'>;

export type Settings = Omit<EventOf<'WebhookEndpointChanged'>, 'endpointId' | 'at'>;

/** `rowVersion` is the one that the caller saw; not given: whichever there is. */
export type Command = { readonly tenantId: TenantId } & (
  | ({ readonly type: 'AddWebhookEndpoint' } & EventOf<'WebhookEndpointAdded'>)
  | ({
      readonly type: 'ChangeWebhookEndpoint';
      readonly rowVersion?: number | undefined;
    } & EventOf<'WebhookEndpointChanged'>)
  | ({ readonly type: 'RotateWebhookSecret' } & EventOf<'WebhookSecretRotated'>)
  | ({ readonly type: 'DisableWebhookEndpoint' } & EventOf<'WebhookEndpointDisabled'>)
  | ({ readonly type: 'RemoveWebhookEndpoint' } & EventOf<'WebhookEndpointRemoved'>)
);

export type Rejection =
  | { readonly type: 'WebhookEndpointUnknown' }
  | { readonly type: 'WebhookSourceExists'; readonly endpointId: string }
  | { readonly type: 'TooManyWebhookEndpoints'; readonly max: number }
  | Stale;

interface Secret {
  readonly sealed: string;
  /** Null for the present one. */
  readonly expiresAt: string | null;
}

type Added = Omit<EventOf<'WebhookEndpointAdded'>, 'sealed' | 'at'>;
export interface Endpoint extends Added {
  readonly status: 'active' | 'paused' | 'disabled';
  /** Null unless disabled. */
  readonly disabledReason: string | null;
  /** The present one first. */
  readonly secrets: readonly Secret[];
  readonly createdAt: string;
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
}

/** By id. */
export type State = ReadonlyMap<string, Endpoint>;
export const initial: State = new Map();

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'WebhookEndpointAdded': {
      const { type: _, at: createdAt, sealed, ...added } = event;
      const secrets = [{ sealed, expiresAt: null }];
      const begun = { status: 'active', disabledReason: null, rowVersion: 1 } as const;
      return new Map(state).set(added.endpointId, { ...added, ...begun, secrets, createdAt });
    }
    case 'WebhookEndpointChanged': {
      const { type: _, at: __, endpointId: id, ...changes } = event;
      return changed(state, id, { ...changes, disabledReason: null });
    }
    case 'WebhookSecretRotated': {
      const { endpointId: id, sealed, overlapEndsAt } = event;
      const present = { sealed, expiresAt: null };
      const [before] = state.get(id)?.secrets ?? [];
      const old = before === undefined ? [] : [{ ...before, expiresAt: overlapEndsAt }];
      return changed(state, id, { secrets: [present, ...old] });
    }
    case 'WebhookEndpointDisabled': {
      const { endpointId: id, reason: disabledReason } = event;
      return changed(state, id, { status: 'disabled', disabledReason });
    }
    case 'WebhookEndpointRemoved':
      return new Map([...state].filter(([id]) => id !== event.endpointId));
    default:
      return never(event);
  }
}

function changed(state: State, id: string, changes: Partial<Endpoint>): State {
  const before = state.get(id);
  if (before === undefined) throw new Error(`no webhook endpoint ${id}`);
  return new Map(state).set(id, { ...before, ...changes, rowVersion: before.rowVersion + 1 });
}

/** The endpoint by which a source sends messages. */
export function sourceOf(state: State, source: string): Endpoint | undefined {
  return [...state.values()].find((each) => each.source === source);
}

/** The sealed secrets that messages are signed with now: of an endpoint that is sent to, both sign. */
export function secretsOf({ secrets }: Pick<Endpoint, 'secrets'>, now: string): readonly string[] {
  return secrets
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .map(({ sealed }) => sealed);
}

type Decision = Either<Rejection, readonly Event[]>;
type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

export function decide(state: State, command: Command): Decision {
  if (command.type === 'AddWebhookEndpoint') return add(state, command);
  const endpoint = state.get(command.endpointId);
  if (endpoint === undefined) return left({ type: 'WebhookEndpointUnknown' });
  switch (command.type) {
    case 'ChangeWebhookEndpoint':
      return change(endpoint, command);
    case 'RotateWebhookSecret': {
      const { tenantId: _, type: __, ...rotated } = command;
      return right([{ type: 'WebhookSecretRotated', ...rotated }]);
    }
    case 'DisableWebhookEndpoint': {
      const { tenantId: _, type: __, ...disabled } = command;
      if (endpoint.status === 'disabled') return right([]);
      return right([{ type: 'WebhookEndpointDisabled', ...disabled }]);
    }
    case 'RemoveWebhookEndpoint': {
      const { endpointId: id, at } = command;
      return right([{ type: 'WebhookEndpointRemoved', endpointId: id, at }]);
    }
    default:
      return never(command);
  }
}

/** Checked in this order: WebhookSourceExists, TooManyWebhookEndpoints. */
function add(state: State, command: CommandOf<'AddWebhookEndpoint'>): Decision {
  const { tenantId: _, type: __, ...added } = command;
  const known = added.source === null ? undefined : sourceOf(state, added.source);
  if (known !== undefined) {
    return left({ type: 'WebhookSourceExists', endpointId: known.endpointId });
  }
  if (state.size >= MAX_ENDPOINTS) {
    return left({ type: 'TooManyWebhookEndpoints', max: MAX_ENDPOINTS });
  }
  return right([{ type: 'WebhookEndpointAdded', ...added }]);
}

/** A disabled endpoint becomes active or paused by it. Checked: StaleRowVersion. */
function change(endpoint: Endpoint, command: CommandOf<'ChangeWebhookEndpoint'>): Decision {
  const { tenantId: _, type: __, rowVersion, ...changes } = command;
  const stale = staleness(rowVersion, endpoint.rowVersion);
  if (stale !== undefined) return left(stale);
  const { description, url, eventTypes, ordered, status } = endpoint;
  const { endpointId: ___, at: ____, ...after } = changes;
  const before = { description, url, eventTypes, ordered, status };
  if (canonicalJson(before) === canonicalJson(after)) return right([]);
  return right([{ type: 'WebhookEndpointChanged', ...changes }]);
}

export function streamOf({ tenantId }: { tenantId: TenantId }): StreamName {
  return streamName('webhook_endpoints', tenantId, 'all');
}
