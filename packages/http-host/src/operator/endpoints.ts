/** What the operator's own channel offers: the administration of tenants, and what no key of a tenant may do. */
import { Tenant, TenantId } from '@counterfoil/core';
import type { Engine } from '@counterfoil/engine';
import { notACardNumber } from '@counterfoil/engine/input';
import { PROJECTIONS } from '@counterfoil/projections';
import { z } from 'zod';
import { bounded, pattern } from '../api/wire.ts';
import { callerOf, OPERATOR } from '../http/caller.ts';
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import type { OperatorDirectory } from '../http/pipeline.ts';
import { Definitions, define } from './definitions.ts';

const TAG = 'Operator';
/** Files of settlements and batches of accounts may be larger than callers with a key may send. */
export const MAX_UPLOAD_BYTES = 1_024 * 1_024 * 1_024;
export const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
/** As many as the ledger gives ids for at once. */
export const MAX_ACCOUNT_LINES = 10_000;
const MAX_STREAM_LENGTH = 1_024;

export interface OperatorServices {
  readonly engine: Engine;
  /** Every scope that a key may have. */
  readonly scopes: ReadonlySet<string>;
  readonly identity: { readonly pid: number; readonly version: string };
}

const NAMES = { ...OPERATOR, environment: 'live' } as const;
/** For requests that concern no tenant. */
const NO_TENANT = 0 as TenantId;

/** Every request on the channel is the operator's; ClientId names the tenant that it is about. */
export function operatorOf({ engine, scopes }: OperatorServices): OperatorDirectory {
  return async (clientId): Promise<Principal> => {
    if (clientId === undefined) return { ...NAMES, scopes, tenantId: NO_TENANT };
    const parsed = TenantId.safeParse(Number(clientId));
    const tenant = parsed.success ? await engine.tenants.tenant(parsed.data) : null;
    if (!parsed.success || tenant === null) {
      throw refuse('not_found', `There is no tenant ${clientId}`);
    }
    return { ...NAMES, scopes, tenantId: parsed.data };
  };
}

/** The form of a scope is `resource:action`, so no key can have this one. */
const ACCESS = { kind: 'api-key', scope: 'operator', requiresUserEmail: false } as const;

const common = { tag: TAG, description: '', access: ACCESS, idempotency: 'none' } as const;
const DONE = { 200: { description: 'Done', schema: z.looseObject({ success: z.literal(true) }) } };

/** Of the interface, besides administration. */
const ALSO: ReadonlySet<string> = new Set([
  'getTestClock',
  'moveTestClock',
  'searchTransactions',
  'getPayment',
]);

/**
 * Of the interface: administration, the test clock and look-ups of payments, with greater limits for files. Beside it, what is
 * the operator's alone.
 */
export function operatorEndpoints(
  services: OperatorServices,
  all: readonly Endpoint[],
): readonly Endpoint[] {
  const administration = all
    .filter(({ path, operationId }) => path.startsWith('/api/admin/') || ALSO.has(operationId))
    .map(withGreaterLimits);
  return [
    ...administration,
    showHost(services),
    listTenants(services),
    onboardTenant(services),
    defineAll(services),
    setProviderSecret(services),
    removeProvider(services),
    retryParked(services),
  ];
}

function withGreaterLimits(each: Endpoint): Endpoint {
  const { operationId, upload } = each;
  if (operationId === 'openMerchantAccounts') return { ...each, body: AccountLines };
  if (operationId !== 'importSettlement' || upload === undefined) return each;
  return { ...each, upload: { ...upload, maxBytes: MAX_UPLOAD_BYTES } };
}

const AccountLines = notACardNumber(z.array(z.unknown()).min(1).max(MAX_ACCOUNT_LINES));

function showHost({ identity }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'showHost',
    method: 'GET',
    path: '/operator/host',
    summary: 'Show the process of the host',
    responses: DONE,
    rejections: [],
    answeredUnderOverload: true,
    handle: async () => ({ status: 200, body: { success: true, ...identity } }),
  });
}

function listTenants({ engine }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'listTenants',
    method: 'GET',
    path: '/operator/tenants',
    summary: 'List the tenants',
    responses: DONE,
    rejections: [],
    async handle() {
      const items = await engine.listTenants();
      return { status: 200, body: { success: true, count: items.length, items } };
    },
  });
}

const { dunning, lateCapture, ...plain } = Tenant.Settings.shape;
const Settings = z.object(plain).partial().extend({
  dunning: dunning.partial().optional(),
  lateCapture: lateCapture.partial().optional(),
});

function onboardTenant({ engine }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'onboardTenant',
    method: 'POST',
    path: '/operator/tenants',
    summary: 'Onboard a tenant; the same one again changes nothing',
    body: z.object({ id: TenantId, name: bounded(200).min(1), settings: Settings.optional() }),
    responses: DONE,
    rejections: ['duplicate'],
    async handle(context, { body: { id, name, settings = {} } }) {
      // JSON has no undefined members.
      const change = settings as Tenant.SettingsChange;
      await engine.tenants.onboard(id, { name, settings: change }, callerOf(context));
      const tenant = await engine.tenants.tenant(id);
      const item = { id, name: tenant?.name, settings: tenant?.settings };
      return { status: 200, body: { success: true, item } };
    },
  });
}

function defineAll({ engine }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'define',
    action: 'references.define',
    method: 'POST',
    path: '/operator/definitions',
    summary: 'Define reference data and merchant accounts',
    body: notACardNumber(z.record(z.string(), z.unknown())),
    responses: DONE,
    rejections: ['invalid_request'],
    async handle(context, { body }) {
      const { tenantId } = context.principal;
      const definitions = definitionsIn(body);
      const changed = await define(engine, { tenantId, definitions }, callerOf(context));
      return { status: 200, body: { success: true, changed } };
    },
  });
}

function definitionsIn(body: unknown): Definitions {
  const parsed = Definitions.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: ['', ...path].join('/'),
    detail: `${path.join('.')}: ${message}`,
  }));
  throw refuse('invalid_request', undefined, { errors });
}

const ProviderName = pattern(/^[a-z0-9]+(-[a-z0-9]+)*$/, {
  max: 64,
  detail: 'must be a name of lower-case letters and digits, such as acme-alerts',
});
const Provider = { params: z.object({ provider: ProviderName }) };
const PROVIDER_PATH = '/operator/disputeproviders/{provider}';

function setProviderSecret({ engine }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    ...Provider,
    operationId: 'setProviderSecret',
    method: 'PUT',
    path: PROVIDER_PATH,
    summary: 'Set the secret of a provider of disputes',
    body: z.object({ secret: z.string().max(200).optional() }),
    responses: DONE,
    rejections: ['invalid_request'],
    holdsSecrets: true,
    async handle(context, { params: { provider }, body }) {
      const { disputes } = ledgerOf(engine, context);
      const item = await disputes.setProviderSecret({ provider, ...body });
      return { status: 200, body: { success: true, item } };
    },
  });
}

function removeProvider({ engine }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    ...Provider,
    operationId: 'removeProvider',
    method: 'DELETE',
    path: PROVIDER_PATH,
    summary: 'Remove a provider of disputes',
    responses: DONE,
    rejections: ['not_found'],
    async handle(context, { params: { provider } }) {
      await ledgerOf(engine, context).disputes.removeProvider(provider);
      return { status: 200, body: { success: true, item: { provider } } };
    },
  });
}

function retryParked({ engine }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'retryParked',
    method: 'POST',
    path: '/operator/parked-streams/retry',
    summary: 'Apply the parked events of a stream again',
    body: z.object({
      projection: z.enum(PROJECTIONS.map(({ name }) => name)),
      stream: bounded(MAX_STREAM_LENGTH),
    }),
    responses: DONE,
    rejections: ['not_found', 'overloaded'],
    async handle(_context, { body: { projection, stream } }) {
      const live = await engine.stores.readModels.live(projection);
      const parked = (await live?.parked()) ?? [];
      if (!parked.some((each) => each.stream === stream)) {
        throw refuse('not_found', `${stream} is not parked in ${projection}`);
      }
      const applied = await engine.projecting.retryParked(projection, stream);
      if (applied === undefined) {
        throw refuse('overloaded', `${projection} is being built; repeat in a moment`);
      }
      return { status: 200, body: { success: true, item: { projection, stream, applied } } };
    },
  });
}

function ledgerOf(engine: Engine, context: Parameters<typeof callerOf>[0]) {
  return engine.as({ tenantId: context.principal.tenantId, ...callerOf(context) });
}
