/** Who has signed an event of a gateway: a merchant account, by the secrets in its credentials. */
import type { CommandRunner } from '../command-runner.ts';
import { Refused } from '../refusal.ts';
import type { KeyRecord, References } from '../tenants/index.ts';
import type { Addressed, TakesEvents } from './gateway-events.ts';

export interface SignerServices {
  readonly events: TakesEvents;
  readonly commands: CommandRunner;
  readonly references: References;
}

export class EventSigners {
  readonly #services: SignerServices;

  constructor(services: SignerServices) {
    this.#services = services;
  }

  /** A key for this message alone; undefined where it is signed with no secret of the account. */
  async signerOf(
    account: Addressed,
    message: { readonly signature: string; readonly body: Uint8Array },
    scopes: ReadonlySet<string>,
  ): Promise<KeyRecord | undefined> {
    const { events, commands, references } = this.#services;
    const { tenantId, gateway, merchantAccountId } = account;
    const signed = { ...message, receivedAt: commands.clock.now() };
    const places = await events.placesOf(account).catch((error) => {
      if (error instanceof Refused && error.code === 'MerchantAccountUnknown') return [];
      throw error;
    });
    const place = places.find(({ source, context }) => source.isSigned(signed, context));
    if (place === undefined) return undefined;
    const { requestsPerMinute } = await references.settingsOf(tenantId);
    return {
      keyId: `gateway:${gateway}/${merchantAccountId}`,
      tenantId,
      kind: 'api',
      environment: place.context.sandbox ? 'test' : 'live',
      scopes,
      rateLimitPerMinute: requestsPerMinute,
    };
  }
}
