/** The domains that a tenant may send mail from: one stream a tenant, so that each domain is there once. */
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { never } from '../kernel/aggregate.ts';
import { mailDomain } from '../kernel/email.ts';
import { type EventsOf, event, Instant } from '../kernel/event-schema.ts';
import { canonicalJson } from '../kernel/fingerprint.ts';
import { type StreamName, streamName, type TenantId } from '../kernel/ids.ts';
import { type Stale, staleness } from '../kernel/row-version.ts';

export const MAX_DOMAINS = 500;
export const MAX_SELECTOR_LENGTH = 63;

const domainId = z.guid();
const settings = {
  /** Also the domains below it, unless one of them is there for itself. */
  includeSubdomains: z.boolean(),
  status: z.enum(['authorized', 'disabled']),
  /** The private key is sealed under the master key. */
  dkim: z
    .strictObject({ selector: z.string().max(MAX_SELECTOR_LENGTH), sealedKey: z.string() })
    .nullable(),
};

export const events = {
  /** `domain` as it was given, in letters of any script. */
  SenderDomainAdded: event({ domainId, domain: z.string().max(253), ...settings, at: Instant }),
  SenderDomainChanged: event({ domainId, ...settings, at: Instant }),
  SenderDomainRemoved: event({ domainId, at: Instant }),
};
export type Event = EventsOf<typeof events>;

export type Settings = Omit<
  Extract<Event, { type: 'SenderDomainChanged' }>,
  'type' | 'domainId' | 'at'
>;

/** `rowVersion` is the one that the caller saw; not given: whichever there is. */
export type Command = {
  readonly tenantId: TenantId;
  readonly domainId: string;
  readonly at: string;
} & (
  | ({ readonly type: 'AddSenderDomain'; readonly domain: string } & Settings)
  | ({
      readonly type: 'ChangeSenderDomain';
      readonly rowVersion?: number | undefined;
    } & Settings)
  | { readonly type: 'RemoveSenderDomain' }
);

export type Rejection =
  | { readonly type: 'SenderDomainUnknown' }
  | { readonly type: 'SenderDomainExists'; readonly domainId: string }
  | { readonly type: 'SenderDomainInvalid'; readonly domain: string }
  | { readonly type: 'TooManySenderDomains'; readonly max: number }
  | Stale;

export interface SenderDomain extends Settings {
  readonly domainId: string;
  readonly domain: string;
  readonly createdAt: string;
  /** Counts the changes, from 1. */
  readonly rowVersion: number;
}

/** By id. */
export type State = ReadonlyMap<string, SenderDomain>;
export const initial: State = new Map();

export function evolve(state: State, event: Event): State {
  switch (event.type) {
    case 'SenderDomainAdded': {
      const { type: _, at: createdAt, ...added } = event;
      return new Map(state).set(added.domainId, { ...added, createdAt, rowVersion: 1 });
    }
    case 'SenderDomainChanged': {
      const { type: _, at: __, domainId: id, ...changed } = event;
      const before = state.get(id);
      if (before === undefined) throw new Error(`no sender domain ${id}`);
      const rowVersion = before.rowVersion + 1;
      return new Map(state).set(id, { ...before, ...changed, rowVersion });
    }
    case 'SenderDomainRemoved':
      return new Map([...state].filter(([id]) => id !== event.domainId));
    default:
      return never(event);
  }
}

/**
 * The entry that lets a tenant send from a domain: its own, else the nearest above it that includes
 * subdomains. A disabled entry of its own ends the search, so that a part of a domain can be taken out.
 */
export function authorizing(state: State, domain: string): SenderDomain | undefined {
  const wanted = mailDomain(domain);
  if (wanted === undefined) return undefined;
  const labels = wanted.split('.');
  const found = labels
    .map((_, index) => labels.slice(index).join('.'))
    .map((each) => entryOf(state, each))
    .find((entry, index) => entry !== undefined && (index === 0 || entry.includeSubdomains));
  return found?.status === 'authorized' ? found : undefined;
}

/** The entry of a domain itself, in lower case and punycode. */
function entryOf(state: State, ascii: string): SenderDomain | undefined {
  return [...state.values()].find((each) => mailDomain(each.domain) === ascii);
}

type Decision = Either<Rejection, readonly Event[]>;

export function decide(state: State, command: Command): Decision {
  switch (command.type) {
    case 'AddSenderDomain':
      return add(state, command);
    case 'ChangeSenderDomain':
      return change(state, command);
    case 'RemoveSenderDomain': {
      const { domainId: id, at } = command;
      if (!state.has(id)) return left({ type: 'SenderDomainUnknown' });
      return right([{ type: 'SenderDomainRemoved', domainId: id, at }]);
    }
    default:
      return never(command);
  }
}

/** Checked in this order: SenderDomainInvalid, SenderDomainExists, TooManySenderDomains. */
function add(state: State, command: Extract<Command, { type: 'AddSenderDomain' }>): Decision {
  const { tenantId: _, type: __, ...added } = command;
  const ascii = mailDomain(added.domain);
  if (ascii === undefined) return left({ type: 'SenderDomainInvalid', domain: added.domain });
  const known = entryOf(state, ascii);
  if (known !== undefined) return left({ type: 'SenderDomainExists', domainId: known.domainId });
  if (state.size >= MAX_DOMAINS) return left({ type: 'TooManySenderDomains', max: MAX_DOMAINS });
  return right([{ type: 'SenderDomainAdded', ...added }]);
}

/** Checked in this order: SenderDomainUnknown, StaleRowVersion. */
function change(state: State, command: Extract<Command, { type: 'ChangeSenderDomain' }>): Decision {
  const { tenantId: _, type: __, rowVersion, ...changed } = command;
  const before = state.get(command.domainId);
  if (before === undefined) return left({ type: 'SenderDomainUnknown' });
  const stale = staleness(rowVersion, before.rowVersion);
  if (stale !== undefined) return left(stale);
  const isSame = canonicalJson(settingsOf(before)) === canonicalJson(settingsOf(changed));
  return right(isSame ? [] : [{ type: 'SenderDomainChanged', ...changed }]);
}

export function settingsOf({ includeSubdomains, status, dkim }: Settings): Settings {
  return { includeSubdomains, status, dkim };
}

export function streamOf({ tenantId }: { tenantId: TenantId }): StreamName {
  return streamName('sender_domains', tenantId, 'all');
}
