/** Takes events of gateways: each is a hint, and what it names is read again before anything is recorded. */
import { type MerchantAccount, type TenantId, Transaction, TransactionId } from '@counterfoil/core';
import type { Caller, CommandRunner } from '../command-runner.ts';
import type { DisputeIntake, DisputeReport } from '../disputes/index.ts';
import type { GatewayEvent, GatewayEvents, GatewayFinding } from '../gateways/gateway-events.ts';
import type { AccountContext } from '../gateways/payment-gateway.ts';
import { uuidV7 } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { GatewayAccounts } from '../payments/index.ts';
import { refused } from '../refusal.ts';
import { isPermanent } from '../runtime/log-follower.ts';
import type { References } from '../tenants/index.ts';
import type { TakenEvents } from './taken-events.ts';

/** What became of an event. */
export type Taken = 'applied' | 'repeated' | 'ignored';

/** The gateways that report events, by their ids. */
export type EventSources = ReadonlyMap<number, GatewayEvents>;

export interface EventServices {
  readonly commands: CommandRunner;
  readonly references: References;
  readonly gatewayAccounts: GatewayAccounts;
  readonly intake: DisputeIntake;
  readonly sources: EventSources;
  readonly taken: TakenEvents;
  readonly logger: Logger;
}

type Account = MerchantAccount.MerchantAccount;

/** Where the events of a merchant account come from. */
export interface EventPlace {
  readonly tenantId: TenantId;
  readonly merchantAccountId: number;
  readonly gatewayId: number;
  readonly source: GatewayEvents;
  readonly context: AccountContext;
  /** Names it among all. */
  readonly name: string;
}

export interface Addressed {
  readonly tenantId: TenantId;
  /** Of the gateway, as in addresses. */
  readonly gateway: string;
  readonly merchantAccountId: number;
}

export class TakesEvents {
  readonly #services: EventServices;

  constructor(services: EventServices) {
    this.#services = services;
  }

  /** One for each set of credentials that can be used. Refuses with `MerchantAccountUnknown`. */
  async placesOf({ tenantId, gateway, merchantAccountId }: Addressed): Promise<EventPlace[]> {
    const account = await this.#services.references.merchantAccount(tenantId, merchantAccountId);
    const source = account && this.#services.sources.get(account.settings.gatewayId);
    if (account === null || source?.name !== gateway) {
      throw refused({ type: 'MerchantAccountUnknown' });
    }
    return this.placesIn(tenantId, account);
  }

  /** None for an account whose gateway reports no events. */
  placesIn(tenantId: TenantId, account: Account): EventPlace[] {
    const { merchantAccountId, settings } = account;
    const { gatewayId } = settings;
    const source = this.#services.sources.get(gatewayId);
    if (source === undefined) return [];
    const places = this.#services.gatewayAccounts.readPlacesOf(account, source);
    return places.map(({ context, name }) => ({
      tenantId,
      merchantAccountId,
      gatewayId,
      source,
      context,
      name: `${tenantId}/${name}`,
    }));
  }

  /** Once for each id. Throws where the gateway cannot be asked: the event has to come again. */
  async take(place: EventPlace, event: GatewayEvent, caller: Caller): Promise<Taken> {
    const { id, subject } = event;
    if (subject === '') return 'ignored';
    const { taken } = this.#services;
    if (await taken.has(place.name, id)) return 'repeated';
    const found = await place.source.findingOf(subject, place.context);
    const isApplied = found !== undefined && (await this.#apply(place, found, caller));
    await taken.add(place.name, event);
    return isApplied ? 'applied' : 'ignored';
  }

  async #apply(place: EventPlace, found: GatewayFinding, caller: Caller): Promise<boolean> {
    const { tenantId, gatewayId, context } = place;
    const transactionId = TransactionId.safeParse(found.paymentId).data;
    if (transactionId === undefined) return false;
    const { commands, logger } = this.#services;
    const stream = Transaction.streamOf({ tenantId, transactionId });
    const payment = await commands.stateOf(Transaction, stream);
    const isOwn =
      payment?.sandbox === context.sandbox && Transaction.routeOf(payment)?.gatewayId === gatewayId;
    if (!isOwn) return false;
    try {
      if (found.kind === 'refund-failed') {
        await this.#reverseRefund({ tenantId, transactionId }, found, caller);
      } else {
        const report = reportOf(place, transactionId, found);
        await this.#services.intake.report(tenantId, report, caller);
      }
      return true;
    } catch (error) {
      if (!isPermanent(error)) throw error;
      logger.warn({ err: error, kind: found.kind, transactionId }, 'an event could not be booked');
      return false;
    }
  }

  async #reverseRefund(
    payment: { readonly tenantId: TenantId; readonly transactionId: TransactionId },
    { refundId, note }: Extract<GatewayFinding, { kind: 'refund-failed' }>,
    caller: Caller,
  ): Promise<void> {
    const { commands } = this.#services;
    const at = commands.clock.now();
    const reversal = { refundId: refundId as TransactionId, note, at };
    // What was done before makes no events, so that no two deliveries need one id.
    await commands.execute(
      Transaction,
      { type: 'RecordRefundReversal', ...payment, ...reversal },
      { commandId: uuidV7() },
      caller,
    );
  }
}

function reportOf(
  { source, context }: EventPlace,
  transactionId: TransactionId,
  found: Exclude<GatewayFinding, { kind: 'refund-failed' }>,
): DisputeReport {
  const { kind, reference, amountMinor, currency, openedAt, status, note } = found;
  const { gatewayTransactionId } = found;
  const own =
    found.kind === 'chargeback'
      ? {
          reasonCode: found.reasonCode,
          respondBy: found.respondBy,
          alertType: null,
          alertSource: null,
        }
      : {
          reasonCode: '',
          respondBy: null,
          alertType: found.alertType,
          alertSource: found.source,
        };
  const { sandbox } = context;
  const claim = { kind, provider: source.name, reference, sandbox, currency, amountMinor };
  return {
    claim: { ...claim, openedAt, ...own },
    places: { transactionId, gatewayTransactionId, arn: '', orderId: null },
    status,
    note,
  };
}
