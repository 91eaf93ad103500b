/** The events of the gateways of one tenant, for one caller. */
import { z } from 'zod';
import type { Acting } from '../acting.ts';
import { notACardNumber } from '../input/card-number-search.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { name } from '../input/texts.ts';
import type { RecordedCalls } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { Taken, TakesEvents } from './gateway-events.ts';

export const EventInput = z.strictObject({
  /** The name of the gateway in addresses: `stripe`. */
  gateway: name(64),
  merchantAccountId: z.int().positive(),
  /** As the gateway has it. */
  event: z.record(name(255), notACardNumber(z.unknown())),
});
export type EventInput = z.input<typeof EventInput>;

const NO_EVENT = [{ path: 'id', detail: 'is no event of the gateway' }];

export class TenantGatewayEvents {
  readonly #events: TakesEvents;
  readonly #acting: Acting;

  constructor(events: TakesEvents, acting: Acting) {
    this.#events = events;
    this.#acting = acting;
  }

  /**
   * Takes an event as a hint: what it names is read at the gateway, and recorded as it stands there. The
   * same one again changes nothing. Refuses with `MerchantAccountUnknown`, also where the gateway of the
   * account is another one, with `InputInvalid`
   * for what is no event of it, and with `GatewayFailed` where it has to come again.
   */
  async take({ event: given, ...addressed }: EventInput): Promise<{ readonly status: Taken }> {
    const { tenantId, caller, environment } = this.#acting;
    const places = await this.#events.placesOf({ tenantId, ...addressed });
    let status: Taken = 'ignored';
    for (const place of places) {
      const event = place.source.eventOf(given);
      if (event === undefined) throw refused({ type: 'InputInvalid', faults: NO_EVENT });
      if (environment === 'test' && !place.context.sandbox) continue;
      const taken = await this.#events.take(place, event, caller);
      if (taken !== 'ignored') status = taken;
    }
    return { status };
  }
}

export const GATEWAY_EVENT_INPUTS: CallInputs<TenantGatewayEvents> = { take: [EventInput] };

export const GATEWAY_EVENT_CALLS: RecordedCalls<TenantGatewayEvents> = {
  take: ([given]) => String((given as EventInput).merchantAccountId),
};
