/** Decodes events once for all projections, each with its record or the reason why it has none. */
import {
  type AnyVault,
  type DistantVault,
  decodeEvent,
  EventStoreError,
  isDistant,
  openerOf,
  type PersonalDataVault,
  type StoredEvent,
  type Subject,
} from '@counterfoil/core';
import type { Recorded } from './projection.ts';

/** After this event no read model has personal data of the customer. */
export const ERASURE = 'CustomerErased';

/** An event with its record, or with the reason why it cannot be read. */
export type Decoded =
  | { readonly stored: StoredEvent; readonly record: Recorded }
  | { readonly stored: StoredEvent; readonly error: Error };

/** `vault` decrypts personal data in events. Rejects when its keys cannot be read at all. */
export async function decodeAll(
  events: readonly StoredEvent[],
  vault: AnyVault | undefined,
): Promise<readonly Decoded[]> {
  if (vault !== undefined && isDistant(vault)) forgetErased(events, vault);
  const opener = await openerOf(vault, events);
  return events.map((stored) => decode(stored, opener));
}

/**
 * A key is destroyed before the event is appended. A cached one would decrypt what another host
 * encrypted under it meanwhile, which a rebuild cannot.
 */
function forgetErased(events: readonly StoredEvent[], vault: Pick<DistantVault, 'forget'>): void {
  for (const stored of events) {
    if (stored.type !== ERASURE) continue;
    const subject = erasedBy(decode(stored, undefined));
    if (subject !== undefined) vault.forget(subject);
  }
}

function decode(stored: StoredEvent, vault: PersonalDataVault | undefined): Decoded {
  try {
    const { id, tenantId, stream, revision, position, time } = stored;
    const event = decodeEvent(stored, vault);
    return { stored, record: { id, tenantId, stream, revision, position, time, event } };
  } catch (error) {
    // Not the fault of the event.
    if (error instanceof EventStoreError) throw error;
    return { stored, error: error as Error };
  }
}

/** The person that an event erases. */
export function erasedBy(decoded: Decoded): Subject | undefined {
  if ('error' in decoded || decoded.record.event.type !== ERASURE) return undefined;
  const { tenantId, event } = decoded.record;
  return { tenantId, sandbox: event.sandbox, customerId: event.customerId };
}
