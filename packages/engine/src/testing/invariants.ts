/** Invariants of every ledger. Each function throws an Error that describes the violation. */
import {
  categoryOf,
  decodeEvent,
  type Event,
  openerOf,
  type StreamName,
  type TenantId,
  type TransactionId,
} from '@counterfoil/core';
import { expectBalanced, expectMoneyOutRule } from '@counterfoil/core/testing';
import { PROJECTIONS } from '@counterfoil/projections';
import { expectEqualToRebuilt } from '@counterfoil/projections/testing';
import { engineBeneath, type Ledger } from '../open-ledger.ts';
import { Refused } from '../refusal.ts';

/** Checks all invariants. */
export async function expectSound(ledger: Ledger): Promise<void> {
  await expectMoneyInOrder(ledger);
  await expectReadModelsEqualToRebuilt(ledger);
  await expectTenantsApart(ledger);
}

/** No payment returns more than it captured, and every journal entry balances. */
export async function expectMoneyInOrder(ledger: Ledger): Promise<void> {
  for (const [stream, { events }] of await streamsOf(ledger)) {
    expectBalanced(events);
    if (categoryOf(stream) !== 'transaction') continue;
    try {
      expectMoneyOutRule(events);
    } catch (error) {
      throw new Error(`${stream}: ${(error as Error).message}`);
    }
  }
}

/** A replay of the log gives the stored documents, custom projections included. */
export async function expectReadModelsEqualToRebuilt(ledger: Ledger): Promise<void> {
  const { stores, ownProjections } = engineBeneath(ledger);
  const { events, leases: store, personalKeys: vault } = stores;
  await expectEqualToRebuilt({ events, store, vault, projections: PROJECTIONS });
  for (const own of ownProjections.replayed()) {
    await expectEqualToRebuilt({ events, store, ...own });
  }
}

/** Payments are invisible to other tenants, and live ones to test callers. */
export async function expectTenantsApart(ledger: Ledger): Promise<void> {
  const payments: { tenantId: TenantId; id: TransactionId; sandbox: boolean }[] = [];
  const tenants = new Set<TenantId>();
  for (const { tenantId, events } of (await streamsOf(ledger)).values()) {
    tenants.add(tenantId);
    for (const event of events) {
      if (event.type !== 'PaymentSubmitted') continue;
      payments.push({ tenantId, id: event.transactionId, sandbox: event.sandbox });
    }
  }
  for (const { tenantId, id, sandbox } of payments) {
    for (const other of tenants) {
      for (const environment of ['live', 'test'] as const) {
        if (other === tenantId && (environment === 'live' || sandbox)) continue;
        await expectUnknown(ledger, { tenantId: other, environment }, id);
      }
    }
  }
}

async function expectUnknown(
  ledger: Ledger,
  who: { readonly tenantId: number; readonly environment: 'live' | 'test' },
  id: TransactionId,
): Promise<void> {
  const stranger = ledger.as({ ...who, actor: 'stranger' });
  const answers = await Promise.all([
    stranger.payments.get(id).catch(codeOf),
    stranger.payments.refund(id).catch(codeOf),
    stranger.transactions.detail(id).then((found) => found ?? 'TransactionUnknown'),
    stranger.transactions
      .search({ transactionIds: [id] })
      .then(({ count }) => (count === 0 ? 'TransactionUnknown' : 'found')),
  ]);
  if (answers.every((answer) => answer === 'TransactionUnknown')) return;
  throw new Error(`tenant ${who.tenantId} (${who.environment}) sees ${id} of another`);
}

function codeOf(error: unknown): string {
  if (error instanceof Refused) return error.code;
  throw error;
}

interface Stream {
  readonly tenantId: TenantId;
  readonly events: Event[];
}

async function streamsOf(ledger: Ledger): Promise<ReadonlyMap<StreamName, Stream>> {
  const { events, personalKeys } = engineBeneath(ledger).stores;
  const streams = new Map<StreamName, Stream>();
  for await (const batch of events.subscribe({ untilHead: true })) {
    const opener = await openerOf(personalKeys, batch);
    for (const stored of batch) {
      const { stream, tenantId } = stored;
      const kept = streams.get(stream) ?? { tenantId, events: [] };
      kept.events.push(decodeEvent(stored, opener));
      streams.set(stream, kept);
    }
  }
  return streams;
}
