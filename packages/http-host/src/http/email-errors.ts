/** The codes of the email service, which the contract names, in place of those of every operation. */
import type { Endpoint } from './endpoint.ts';
import { ERRORS, type ErrorCode, type Refusal, refuse } from './errors.ts';

const FIRST_ERROR = 400;

/** The email service has codes of its own for what every operation may be refused with. */
export function codeFor(operation: Pick<Endpoint, 'access'>, code: ErrorCode): ErrorCode {
  if (operation.access.kind !== 'tenant-key') return code;
  if (code === 'internal_error') return 'server_error';
  return ERRORS[code].status === FIRST_ERROR ? 'invalid_request_format' : code;
}

export function forEndpoint(
  operation: Pick<Endpoint, 'access'> | undefined,
  refusal: Refusal,
): Refusal {
  const code = operation === undefined ? refusal.code : codeFor(operation, refusal.code);
  if (code === refusal.code) return refusal;
  const { message } = refusal;
  if (code === 'server_error') return refuse('server_error', message, refusal);
  return refuse('invalid_request_format', message, refusal);
}
