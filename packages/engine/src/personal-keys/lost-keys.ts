/** Erases customers whose keys are lost. */
import {
  Customer,
  EmailClaim,
  type EventStore,
  isSealedEvent,
  type PersonalDataVault,
  type StoredEvent,
  type Subject,
  subjectsOf,
} from '@counterfoil/core';
import { type Caller, CommandRunner } from '../command-runner.ts';
import { erasureStep } from '../erasure/erasure.ts';
import { deterministicUuid } from '../ids.ts';
import { Refused } from '../refusal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { CustomerKeys } from './customer-keys.ts';
import { nameOf } from './personal-key-cipher.ts';

const SCAN_BATCH = 5_000;

/** A vault without keys: every person looks erased. */
const NO_KEYS: PersonalDataVault = { seal: () => undefined, open: () => undefined };

interface Unreadable {
  readonly subject: Subject;
  /** The events by which the customer claimed emails. */
  readonly claims: readonly StoredEvent[];
}

/** All customers in the log without a key. Reads the whole log. */
export async function findUnreadable(
  keys: Pick<CustomerKeys, 'missing'>,
  events: EventStore,
): Promise<readonly Unreadable[]> {
  const found = new Map<string, Unreadable & { claims: StoredEvent[] }>();
  for await (const batch of events.subscribe({ batchSize: SCAN_BATCH, untilHead: true })) {
    const missing = new Set((await keys.missing(subjectsOf(batch))).map(nameOf));
    if (missing.size === 0) continue;
    for (const stored of batch.filter(isSealedEvent)) {
      const [subject] = subjectsOf([stored]);
      if (subject === undefined || !missing.has(nameOf(subject))) continue;
      const known = found.get(nameOf(subject)) ?? { subject, claims: [] };
      if (stored.type === 'CustomerIdentified') known.claims.push(stored);
      found.set(nameOf(subject), known);
    }
  }
  return [...found.values()];
}

interface GivingUp {
  readonly keys: CustomerKeys;
  readonly events: EventStore;
  readonly clock: Clock;
  /** Keys the marks of commands, as that of a host. */
  readonly secret: Buffer;
  readonly caller: Caller;
}

/**
 * Frees their emails, has their erasure requested, and destroys keys that are not there, so that none
 * is ever made in their place. The next host finishes the erasures; what was interrupted is repeated.
 */
export async function giveUp(unreadable: readonly Unreadable[], parts: GivingUp): Promise<void> {
  const { keys, events, clock, secret, caller } = parts;
  const commands = new CommandRunner(
    { store: events, vault: NO_KEYS },
    clock,
    () => undefined,
    secret,
  );
  for (const { subject, claims } of unreadable) {
    const at = clock.now();
    for (const { id, stream, tenantId } of claims) {
      const { sandbox, customerId } = subject;
      const release = { type: 'ReleaseEmail', tenantId, sandbox, customerId, at } as const;
      const emailKey = stream.slice(stream.lastIndexOf('-') + 1);
      const name = { commandId: deterministicUuid(['give-up', id]), content: 'release' };
      await commands.execute(EmailClaim, { ...release, emailKey }, name, caller);
    }
    const request = { type: 'RequestErasure', ...subject, at } as const;
    try {
      await commands.execute(Customer, request, erasureStep(subject, 'request'), caller);
    } catch (error) {
      // Who never paid with success was never registered.
      if (!(error instanceof Refused) || error.code !== 'CustomerUnknown') throw error;
    }
    await keys.destroy(subject);
  }
}
