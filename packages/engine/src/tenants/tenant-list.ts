/** All tenants of a ledger, for its operator. */
import { type EventStore, Tenant, type TenantId } from '@counterfoil/core';
import type { ReferenceView } from '@counterfoil/projections';
import type { CommandRunner } from '../command-runner.ts';

export interface ListedTenant {
  readonly id: TenantId;
  readonly name: string;
  readonly createdAt: string;
}

interface Sources {
  readonly events: EventStore;
  readonly commands: CommandRunner;
  readonly referenceView: Pick<ReferenceView, 'tenantIds'>;
}

const BATCH_EVENTS = 1_000;

/**
 * In the order of their ids. The read model names those of before, the log the others: complete too
 * where no process updates the read models.
 */
export async function listTenants(sources: Sources): Promise<readonly ListedTenant[]> {
  const { events, referenceView } = sources;
  const { ids, after } = await referenceView.tenantIds();
  const found = new Set(ids);
  const rest = events.subscribe({
    ...(after !== undefined && { after }),
    untilHead: true,
    batchSize: BATCH_EVENTS,
  });
  for await (const batch of rest) {
    for (const { type, tenantId } of batch) if (type === 'TenantOnboarded') found.add(tenantId);
  }
  const listed: ListedTenant[] = [];
  for (const id of [...found].sort((one, other) => one - other)) {
    const tenant = await listedOf(id as TenantId, sources);
    if (tenant !== undefined) listed.push(tenant);
  }
  return listed;
}

/** By the first event of its stream; undefined where only definitions name it. */
async function listedOf(
  id: TenantId,
  { events, commands }: Sources,
): Promise<ListedTenant | undefined> {
  const [first] = await events.read(Tenant.streamOf({ tenantId: id }), { limit: 1 });
  if (first === undefined) return undefined;
  const event = await commands.eventOf(first);
  if (event.type !== 'TenantOnboarded') return undefined;
  return { id, name: event.name, createdAt: event.at };
}
