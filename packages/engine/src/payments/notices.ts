/** Imports the gateway's notices of captured payments: chargebacks and alerts. */
import { type StoredEvent, Transaction, type TransactionId } from '@counterfoil/core';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import type { GatewayNotice } from '../gateways/payment-gateway.ts';
import type { GatewayRegistry } from '../gateways/registry.ts';
import { deterministicUuid } from '../ids.ts';
import { type Following, followLog, isPermanent } from '../runtime/log-follower.ts';
import type { References } from '../tenants/index.ts';
import type { GatewayAccounts } from './gateway-accounts.ts';

export interface NoticesOptions extends Following {
  readonly commands: CommandRunner;
  readonly gateways: GatewayRegistry;
  readonly references: References;
  readonly gatewayAccounts: GatewayAccounts;
}

/** The checkpoint of earlier versions, shared by all gateways. */
const SHARED_CHECKPOINT = 'gateway-notices';

/**
 * Follows the log until `signal` fires, with a checkpoint per gateway: a failing gateway does not block
 * the others, and an absent one continues where it stopped. Ids are derived from the reference of a
 * notice, so a batch repeated after a crash adds nothing.
 */
export async function followNotices(options: NoticesOptions): Promise<void> {
  const having = options.gateways.gateways.filter((gateway) => gateway.noticesOf !== undefined);
  const following = having.map(({ gatewayId }) =>
    followLog({
      ...options,
      name: `${SHARED_CHECKPOINT}/${gatewayId}`,
      takesOver: SHARED_CHECKPOINT,
      types: new Set(['PaymentCaptured']),
      async react(captures) {
        for (const stored of captures) await bringInOrLog(options, gatewayId, stored);
      },
    }),
  );
  await Promise.all(following);
}

/** Logs refused notices and unreadable payments, so that they do not block the others. */
async function bringInOrLog(
  options: NoticesOptions,
  gatewayId: number,
  stored: StoredEvent,
): Promise<void> {
  try {
    await bringIn(options, gatewayId, stored);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    const { stream } = stored;
    options.logger.warn({ err: error, stream }, 'a notice of the gateway was left out');
  }
}

async function bringIn(
  { commands, gateways, references, gatewayAccounts }: NoticesOptions,
  gatewayId: number,
  stored: StoredEvent,
): Promise<void> {
  const { stream, tenantId } = stored;
  const payment = await commands.stateOf(Transaction, stream);
  const route = payment === null ? undefined : Transaction.routeOf(payment);
  if (payment === null || route?.gatewayId !== gatewayId) return;
  const event = await commands.eventOf(stored);
  if (event.type !== 'PaymentCaptured') return;
  const gateway = gateways.gateway(gatewayId);
  const account = await references.merchantAccount(tenantId, route.merchantAccountId);
  if (account === null) return;
  const { sandbox, currency } = payment;
  const context = { ...gatewayAccounts.contextOf(account, { sandbox, currency }), currency };
  for (const notice of (await gateway.noticesOf?.(event.gatewayTransactionId, context)) ?? []) {
    const { transactionId } = payment;
    const addressed = { tenantId, transactionId, at: commands.clock.now() };
    const answerDays = await references.answerDaysOf(tenantId);
    const command = commandOf(notice, { ...addressed, answerDays });
    const name = { commandId: deterministicUuid([transactionId, notice.kind, notice.reference]) };
    await commands.execute(Transaction, command, { ...name, content: notice.reference }, SYSTEM);
  }
}

function commandOf(
  notice: GatewayNotice,
  {
    answerDays,
    ...addressed
  }: Pick<Transaction.Command, 'tenantId' | 'transactionId' | 'at'> & {
    readonly answerDays: readonly number[];
  },
): Transaction.Command {
  const { reference, amountMinor, arn } = notice;
  const id = deterministicUuid([addressed.transactionId, notice.kind, reference, 'id']);
  const common = { ...addressed, reference, amountMinor, arn, note: 'told by the gateway' };
  return notice.kind === 'chargeback'
    ? {
        type: 'OpenChargeback',
        ...common,
        chargebackId: id as TransactionId,
        reasonCode: notice.reasonCode,
        answerDays,
      }
    : {
        type: 'ReceiveAlert',
        ...common,
        alertId: id as TransactionId,
        source: notice.source,
        alertType: notice.alertType,
      };
}
