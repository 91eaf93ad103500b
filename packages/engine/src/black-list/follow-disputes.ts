/** Puts payers on the black list by themselves, where the tenant says so: after chargebacks and confirmed fraud. */
import { BlackList, type StoredEvent, Transaction } from '@counterfoil/core';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import { deterministicUuid } from '../ids.ts';
import { type Following, followLog, isPermanent } from '../runtime/log-follower.ts';
import type { References } from '../tenants/index.ts';
import type { BlackLists } from './black-list.ts';
import { payerOf } from './payer.ts';
import { formOf } from './values.ts';

export interface DisputeFollowing extends Following {
  readonly blackLists: BlackLists;
  readonly references: References;
  readonly commands: CommandRunner;
}

export function listDisputed(options: DisputeFollowing): Promise<void> {
  return followLog({
    ...options,
    name: 'black-list',
    types: new Set(['ChargebackOpened', 'AlertReceived']),
    async react(events) {
      for (const stored of events) await listOrLog(options, stored);
    },
  });
}

async function listOrLog(options: DisputeFollowing, stored: StoredEvent): Promise<void> {
  try {
    await listPayer(options, stored);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    const { stream } = stored;
    options.logger.warn({ err: error, stream }, 'a payer could not be put on the black list');
  }
}

async function listPayer(
  { blackLists, references, commands }: DisputeFollowing,
  stored: StoredEvent,
): Promise<void> {
  const { tenantId, stream } = stored;
  const { blackListing } = await references.settingsOf(tenantId);
  if (blackListing.onChargeback === 0 && blackListing.onConfirmedFraud === 0) return;
  const dispute = disputeIn((await commands.eventOf(stored)) as Transaction.Event);
  const payment = await commands.stateOf(Transaction, stream);
  if (dispute === undefined || payment === null) return;
  const { setting, id, ...listing } = dispute;
  const payer = payerOf(payment);
  const { sandbox, transactionId } = payment;
  for (const kind of BlackList.kindsIn(blackListing[setting])) {
    const value = payer[kind] ?? '';
    if (formOf(kind, value) === undefined) continue;
    // Once for each dispute: what an admin has removed since stays removed.
    const name = { commandId: deterministicUuid([id, 'black-list', kind]), content: [id, kind] };
    const entry = { kind, value, ...listing, transactionId, expiresAt: null };
    await blackLists.add({ tenantId, sandbox }, entry, SYSTEM, name);
  }
}

/** What an event puts on the list, if it is a chargeback or confirmed fraud. */
function disputeIn(event: Transaction.Event) {
  if (event.type === 'ChargebackOpened') {
    const { chargebackId: id, reasonCode: reason } = event;
    return { setting: 'onChargeback', source: 'chargeback', id, reason } as const;
  }
  if (event.type !== 'AlertReceived' || event.alertType !== 'ConfirmedFraud') return undefined;
  const { alertId: id, source: reason } = event;
  return { setting: 'onConfirmedFraud', source: 'confirmed-fraud', id, reason } as const;
}
