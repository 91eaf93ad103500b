/** POST /v1/gateways/{gateway}/{merchantAccountId}/events: what gateways report, signed by them. */
import type { TenantId } from '@counterfoil/core';
import { name, notACardNumber } from '@counterfoil/engine/input';
import { z } from 'zod';
import {
  type Access,
  type Endpoint,
  endpoint,
  type GatewaySignedRequest,
} from '../http/endpoint.ts';
import { ledgerOfMessage, signedFor } from './signed-messages.ts';
import { apiSlice } from './slice.ts';
import { type FaceServices, Id, queryInteger } from './wire.ts';

type SignedByGateway = NonNullable<Extract<Access, { kind: 'api-key' }>['orSignedByGateway']>;

/** Who has signed an event is found out before there is a caller. */
export interface EventServices extends FaceServices {
  readonly eventSigners: {
    signerOf(
      account: {
        readonly tenantId: TenantId;
        readonly gateway: string;
        readonly merchantAccountId: number;
      },
      message: Pick<GatewaySignedRequest, 'signature' | 'body'>,
      scopes: ReadonlySet<string>,
    ): ReturnType<SignedByGateway>;
  };
}

const Account = z.object({
  gateway: name(64).meta({ description: 'The name of the gateway', example: 'stripe' }),
  merchantAccountId: queryInteger(Id.meta({ description: 'Whose events they are', example: 1 })),
});

const Query = z.object(signedFor);

const Event = z.record(name(255), notACardNumber(z.unknown())).meta({
  id: 'GatewayEvent',
  description: 'As the gateway has it: only what it names is used, and read again there',
});

const Taken = z
  .object({
    success: z.literal(true),
    message: z.string(),
    status: z.enum(['applied', 'repeated', 'ignored']).meta({
      description: '`ignored`: it is about nothing that the ledger records',
    }),
  })
  .meta({ id: 'GatewayEventTaken' });

const SCOPE = 'gateway-events:write';
const SCOPES: ReadonlySet<string> = new Set([SCOPE]);

const MESSAGES = {
  applied: 'Recorded as it stands at the gateway',
  repeated: 'Taken in before',
  ignored: 'Nothing to record',
} as const;

function eventEndpoint(services: EventServices): Endpoint {
  const orSignedByGateway: SignedByGateway = async ({ params, query, ...message }) => {
    const account = Account.safeParse(params).data;
    const clientId = Query.safeParse(query).data?.clientId;
    if (account === undefined || clientId === undefined) return undefined;
    const tenantId = clientId as TenantId;
    return services.eventSigners.signerOf({ tenantId, ...account }, message, SCOPES);
  };
  return endpoint({
    operationId: 'takeGatewayEvent',
    action: 'gatewayEvents.take',
    method: 'POST',
    path: '/v1/gateways/{gateway}/{merchantAccountId}/events',
    tag: 'Mitigation',
    summary: 'Take in an event of a gateway',
    description:
      'Signed by the gateway with a secret in the credentials of the merchant account, with `clientId` in the query; or by an API key. What the event names is read at the gateway, and recorded as it stands there: refunds that failed later, disputes, fraud warnings. In any order, and any number of times. Events that never came are asked for every ten minutes. Where the gateway cannot be asked the answer is an error, and it has to send the event again.',
    access: { kind: 'api-key', scope: SCOPE, requiresUserEmail: false, orSignedByGateway },
    params: Account,
    query: Query,
    body: Event,
    responses: { 200: { description: 'It is taken in', schema: Taken } },
    rejections: ['not_found', 'gateway_error', 'concurrent_update'],
    idempotency: 'none',
    async handle(context, { params, query, body: event }) {
      const { gatewayEvents } = ledgerOfMessage(services, context, query);
      const { status } = await gatewayEvents.take({ ...params, event });
      return { status: 200, body: { success: true, message: MESSAGES[status], status } };
    },
  });
}

export const GATEWAY_EVENTS = apiSlice((services: EventServices) => [eventEndpoint(services)]);
