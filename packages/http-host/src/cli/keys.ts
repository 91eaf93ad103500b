/** `counterfoil keys …`: issue, list, rotate and revoke API keys. */
import { Tenant, type TenantId } from '@counterfoil/core';
import type { Environment } from '@counterfoil/engine';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { HostClient } from './host-client.ts';
import { type Address, withAddress, withHost } from './host-ways.ts';
import { type Session, tenantIdOf, wholeNumber } from './session.ts';

const KEYS = '/api/admin/keys';
const LEAD_KEYS = '/api/admin/leadkeys';
const PERMISSIONS = '/api/admin/permissions';

interface CreateOptions extends Address {
  readonly environment: Environment;
  readonly label: string;
  readonly scopes?: readonly string[];
  readonly expiresAt?: string;
}

const Key = z.object({
  id: z.string(),
  kind: z.string(),
  environment: z.string(),
  label: z.string(),
  scopes: z.array(z.string()),
  hint: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  successorId: z.string().nullable(),
  rowVersion: z.int(),
});
type Key = z.output<typeof Key>;
const KeyAnswer = z.object({ item: Key });
const MadeAnswer = z.object({ item: Key.extend({ key: z.string() }) });
const LeadKey = z.object({
  ...Key.pick({ id: true, environment: true, label: true, createdAt: true, revokedAt: true }).shape,
  applicationId: z.int(),
  publishableHint: z.string(),
  secretHint: z.string(),
});
const Permissions = z.object({ items: z.array(z.object({ scope: z.string() })) });

export function addKeyCommands(program: Command, session: Session): void {
  const keys = program.command('keys').description('Issue, list, rotate and revoke API keys');
  addCreate(keys, session);
  addList(keys, session);
  addRotate(keys, session);
  addRevoke(keys, session);
}

function addCreate(keys: Command, session: Session): void {
  withAddress(
    keys
      .command('create')
      .description('Issue an API key; it is shown once')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .addOption(
        new Option('--environment <name>', 'live, or test for sandbox data only')
          .choices(['live', 'test'])
          .default('live'),
      )
      .option('--label <text>', 'what the key is for', '')
      .option('--scopes <scope...>', 'what the key may do (default: everything)')
      .option('--expires-at <instant>', 'ISO 8601; never when absent', instant),
  ).action((tenantId: TenantId, options: CreateOptions) =>
    withHost(session, options, async (host) => {
      const { environment, label, expiresAt } = options;
      const scopes = options.scopes ?? (await allScopes(host, tenantId));
      const json = { environment, label, scopes, expiresAt };
      const made = await host.ask(MadeAnswer, { method: 'POST', path: KEYS, tenantId, json });
      printMade(session, made.item);
    }),
  );
}

async function allScopes(host: HostClient, tenantId: TenantId): Promise<readonly string[]> {
  const { items } = await host.ask(Permissions, { method: 'GET', path: PERMISSIONS, tenantId });
  return items.map(({ scope }) => scope);
}

function addList(keys: Command, session: Session): void {
  withAddress(
    keys
      .command('list')
      .description('List the keys of a tenant')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf),
  ).action((tenantId: TenantId, address: Address) =>
    withHost(session, address, async (host) => {
      const items = await everyItem(host, { path: KEYS, tenantId, item: Key });
      const leadKeys = await everyItem(host, { path: LEAD_KEYS, tenantId, item: LeadKey });
      session.print({ items, leadKeys }, (console) => {
        console.table([...items.map(rowOf), ...leadKeys.map(leadRowOf)]);
      });
    }),
  );
}

async function everyItem<Item extends z.ZodType>(
  host: HostClient,
  { item, ...request }: { path: string; tenantId: TenantId; item: Item },
): Promise<readonly z.output<Item>[]> {
  const Page = z.object({ items: z.array(item), next: z.string().nullable() });
  const items: z.output<Item>[] = [];
  let cursor: string | undefined;
  do {
    const page = await host.ask(Page, { method: 'GET', ...request, query: { cursor } });
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}

function rowOf({ id, hint, kind, environment, label, scopes, ...key }: Key) {
  return {
    id,
    key: hint,
    kind,
    environment,
    label,
    scopes: scopes.join(' '),
    issued: key.createdAt,
    expires: key.expiresAt ?? 'never',
    revoked: key.revokedAt ?? '',
  };
}

function leadRowOf({ id, publishableHint, secretHint, ...key }: z.output<typeof LeadKey>) {
  return {
    id,
    key: `${publishableHint} ${secretHint}`,
    kind: `lead keys of application ${key.applicationId}`,
    environment: key.environment,
    label: key.label,
    scopes: '',
    issued: key.createdAt,
    expires: '',
    revoked: key.revokedAt ?? '',
  };
}

function addRotate(keys: Command, session: Session): void {
  withAddress(
    keys
      .command('rotate')
      .description('Issue a successor with the same rights')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .argument('<key-id>', 'the key to replace')
      .option('--overlap-days <days>', 'how long the old key lives on, 0 to 7', overlapOf, 0),
  ).action((tenantId: TenantId, keyId: string, options: Address & { overlapDays: number }) =>
    withHost(session, options, async (host) => {
      const { overlapDays } = options;
      const path = `${pathOf(keyId)}/rotate`;
      const json = { overlapDays };
      const made = await host.ask(MadeAnswer, { method: 'POST', path, tenantId, json });
      printMade(session, made.item);
    }),
  );
}

function addRevoke(keys: Command, session: Session): void {
  withAddress(
    keys
      .command('revoke')
      .description('Revoke a key at once, on every host')
      .argument('<tenant-id>', 'the id of the parent company', tenantIdOf)
      .argument('<key-id>', 'the key to revoke'),
  ).action((tenantId: TenantId, keyId: string, address: Address) =>
    withHost(session, address, async (host) => {
      const request = { method: 'DELETE', path: pathOf(keyId), tenantId } as const;
      const { item } = await host.ask(KeyAnswer, request);
      session.print(item, (console) => console.log(`Key ${keyId} is revoked`));
    }),
  );
}

function pathOf(keyId: string): string {
  return `${KEYS}/${encodeURIComponent(keyId)}`;
}

function printMade(session: Session, item: Key & { readonly key: string }): void {
  session.print(item, (console) =>
    console.log(`id:  ${item.id}\nkey: ${item.key}\nKeep the key: it is not shown again.`),
  );
}

function overlapOf(text: string): number {
  const days = wholeNumber(text);
  if (days <= Tenant.MAX_OVERLAP_DAYS) return days;
  throw new InvalidArgumentError(`must be from 0 to ${Tenant.MAX_OVERLAP_DAYS}`);
}

function instant(text: string): string {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new InvalidArgumentError('must be an instant, such as 2030-01-31T12:00:00Z');
}
