/** A custom gateway: maps the HTTP interface of Acme Payments to the engine's port. */
import {
  type ChargeResult,
  type FollowUpRequest,
  type FollowUpResult,
  GatewayTimeout,
  type PaymentGateway,
} from '@counterfoil/engine/gateways';

/** Acme stores responses by `Idempotency-Key`, and takes amounts in minor units as text. */
export function acmeGateway(url: string, gatewayId = 2): PaymentGateway {
  /** Undefined for what Acme does not know. No response is a timeout; the engine asks later. */
  async function call<Answer>(path: string, init: RequestInit, signal?: AbortSignal) {
    const given = { ...init, ...(signal !== undefined && { signal }) };
    const response = await fetch(new URL(path, url), given).catch((error) => {
      throw new GatewayTimeout('Acme gave no answer', { cause: error });
    });
    if (response.status === 404) return undefined;
    if (response.status >= 500) throw new GatewayTimeout(`Acme answered ${response.status}`);
    if (!response.ok) throw new Error(`Acme answered ${response.status}`);
    return (await response.json()) as Answer;
  }

  async function post<Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const text = JSON.stringify(body, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const answer = await call<Answer>(path, { method: 'POST', headers, body: text }, signal);
    if (answer === undefined) throw new Error(`Acme has no ${path}`);
    return answer;
  }

  const get = <Answer>(path: string, name: string, signal?: AbortSignal) =>
    call<Answer>(`${path}/${encodeURIComponent(name)}`, {}, signal);
  const followUp = (operation: string) => (request: FollowUpRequest, signal?: AbortSignal) =>
    post<FollowUpResult>(`/follow-ups/${operation}`, request, signal);

  return {
    gatewayId,
    name: 'Acme',
    // Acme has one account and one set of tokens.
    tokenize: (card, fingerprint, _, signal) => post('/tokens', { card, fingerprint }, signal),
    findToken: (token, _, signal) => get('/tokens', token, signal),
    charge: (request, signal) => post<ChargeResult>('/charges', request, signal),
    confirm: (request, signal) => post<ChargeResult>('/confirmations', request, signal),
    capture: followUp('capture'),
    void: followUp('void'),
    refund: followUp('refund'),
    findCharge: ({ idempotencyKey }, signal) => get('/charges', idempotencyKey, signal),
    findFollowUp: (_, { idempotencyKey }, signal) => get('/follow-ups', idempotencyKey, signal),
    close: async () => undefined,
  };
}
