/** What the operator's own channel offers: the administration of tenants, and what no key of a tenant may do. */
import { Tenant, TenantId } from '@counterfoil/core';
import type { Engine } from '@counterfoil/engine';
import { notACardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import { bounded, pattern } from '../api/wire.ts';
import { callerOf, OPERATOR } from '../http/caller.ts';
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts';
import { refuse } from '../http/errors.ts';
import type { OperatorDirectory } from '../http/pipeline.ts';
import { Definitions, define } from './definitions.ts';
import { OPERATOR_SCOPE } from './operators.ts';
import { MOST_RETRIED, type ParkedStreams } from './parked-streams.ts';
import type { OperatorWork } from './work.ts';

const TAG = 'Operator';
/** Files of settlements and batches of accounts may be larger than callers with a key may send. */
export const MAX_UPLOAD_BYTES = 1_024 * 1_024 * 1_024;
export const MAX_BODY_BYTES = 64 * 1_024 * 1_024;
/** As many as the ledger gives ids for at once. */
export const MAX_ACCOUNT_LINES = 10_000;
/** One piece of work at a time. */
export const OTHER_WORK =
  'Other work is under way, and nothing was begun: repeat when it has ended';
const MAX_STREAM_LENGTH = 1_024;
const MAX_PROJECTION_LENGTH = 100;

export interface OperatorServices {
  readonly engine: Engine;
  /** Every scope that a key may have. */
  readonly scopes: ReadonlySet<string>;
  readonly parked: ParkedStreams;
  readonly work: OperatorWork;
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

const ACCESS = { kind: 'api-key', scope: OPERATOR_SCOPE, requiresUserEmail: false } as const;

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
    listParked(services),
    retryParked(services),
    listReadModels(services),
    listWork(services),
    beginWork(services),
    stopWork(services),
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

function listParked({ parked }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'listParked',
    method: 'GET',
    path: '/operator/parked-streams',
    summary: 'List streams whose events could not be applied to a read model',
    responses: DONE,
    rejections: [],
    handle: async () => ({ status: 200, body: { success: true, ...(await parked.list()) } }),
  });
}

function retryParked({ parked }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'retryParked',
    method: 'POST',
    path: '/operator/parked-streams/retry',
    summary: `Apply the parked events of a stream again, or of up to ${MOST_RETRIED} of a read model`,
    body: z.object({
      projection: bounded(MAX_PROJECTION_LENGTH),
      stream: bounded(MAX_STREAM_LENGTH).optional(),
    }),
    responses: DONE,
    rejections: ['not_found', 'overloaded'],
    async handle(_context, { body: { projection, stream } }) {
      checkProjection(parked, projection);
      if (stream === undefined) {
        const item = { projection, ...(await parked.retryAll(projection)) };
        return { status: 200, body: { success: true, item } };
      }
      const retried = await parked.retry(projection, stream);
      if (retried === 'absent') {
        throw refuse('not_found', `${stream} is not parked in ${projection}`);
      }
      if (retried === 'unfollowed') {
        throw refuse('overloaded', `${projection} is being built; repeat in a moment`);
      }
      const item = { projection, stream, applied: retried === 'applied' };
      return { status: 200, body: { success: true, item } };
    },
  });
}

function listReadModels({ engine }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'listReadModels',
    method: 'GET',
    path: '/operator/read-models',
    summary: 'List the read models with their builds, and followers, with how far they are behind',
    responses: DONE,
    rejections: [],
    async handle() {
      const { readModels: items, followers } = await engine.state();
      return { status: 200, body: { success: true, items, followers } };
    },
  });
}

function listWork({ work }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'listWork',
    method: 'GET',
    path: '/operator/work',
    summary: 'List what was begun last of each kind and read model, with its progress or outcome',
    responses: DONE,
    rejections: [],
    handle: async () => ({ status: 200, body: { success: true, items: work.states } }),
  });
}

const Projection = bounded(MAX_PROJECTION_LENGTH);

function beginWork({ work, parked }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'beginWork',
    method: 'POST',
    path: '/operator/work',
    summary: 'Begin to rebuild a read model, to count its rows, or to examine the data',
    body: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('rebuild'), projection: Projection }),
      z.object({ kind: z.literal('count'), projection: Projection }),
      z.object({ kind: z.literal('examine'), quick: z.boolean().default(true) }),
    ]),
    responses: DONE,
    rejections: ['not_found', 'overloaded'],
    async handle({ logger }, { body }) {
      if (body.kind !== 'examine') checkProjection(parked, body.projection);
      const item = work.begin(body, OPERATOR.actor);
      if (item === undefined) throw refuse('overloaded', OTHER_WORK);
      logger.info(body, 'an operator began work');
      return { status: 200, body: { success: true, item } };
    },
  });
}

function stopWork({ work }: OperatorServices): Endpoint {
  return endpoint({
    ...common,
    operationId: 'stopWork',
    method: 'DELETE',
    path: '/operator/work',
    summary: 'End what is under way',
    responses: DONE,
    rejections: ['not_found'],
    async handle() {
      if (!(await work.stop(OPERATOR.actor))) throw refuse('not_found', 'nothing is under way');
      return { status: 200, body: { success: true } };
    },
  });
}

function checkProjection({ projections }: ParkedStreams, name: string): void {
  if (!projections.includes(name)) throw refuse('not_found', `there is no read model ${name}`);
}

function ledgerOf(engine: Engine, context: Parameters<typeof callerOf>[0]) {
  return engine.as({ tenantId: context.principal.tenantId, ...callerOf(context) });
}
