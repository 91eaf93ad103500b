/** Maps refusals of the engine to code, text and pointers. */
import { type Refusal as EngineRefusal, type Refused, refusalOf } from '@counterfoil/engine';
import { isTransient, type Refusal, refuse } from '../http/errors.ts';
import { errorsOf } from '../http/invalid-input.ts';
import { type Row, type Rows, rows } from './slice.ts';
import { API, type ApiRefusalCode } from './slices.ts';
import { TENANT_REFUSALS } from './tenant-refusals.ts';

/** The response to an append or a commit may have been lost. */
const MAY_BE_DONE = 'repeat under the same Idempotency-Key, for it may have been done';

const EVERYWHERE = rows({
  IdempotencyKeyReused: { code: 'idempotency_key_reused' },
  InputInvalid: { code: 'invalid_request', errors: errorsOf },
  LiveDataForbidden: { code: 'live_data_forbidden' },
  ConcurrentUpdate: { code: 'concurrent_update' },
  StaleRowVersion: {
    code: 'stale_row_version',
    text: ({ current, rowVersion }) => `rowVersion is ${current}, not ${rowVersion}`,
  },
  BlockSizeOutOfRange: { code: 'internal_error' },
  SequenceExhausted: { code: 'internal_error' },
  PageOutOfReach: { code: 'page_out_of_reach' },
  StreamBusy: { code: 'overloaded', text: 'Too many concurrent requests for the same stream' },
  LedgerClosed: {
    code: 'overloaded',
    text: `The ledger is closing; ${MAY_BE_DONE}`,
  },
  ReadModelsBehind: {
    code: 'overloaded',
    text: 'The read models are behind; repeat in a moment',
  },
  ReadModelsBuilding: {
    code: 'overloaded',
    text: 'The read models are being built; repeat in a moment',
  },
  LogUnavailable: {
    code: 'overloaded',
    text: `The log cannot be reached at the moment; ${MAY_BE_DONE}`,
  },
  LogReadOnly: {
    code: 'overloaded',
    text: 'The log takes no events at the moment; nothing was done',
  },
  DatabaseUnavailable: {
    code: 'overloaded',
    text: `A database does not answer at the moment; ${MAY_BE_DONE}`,
  },
  SharedDatabaseUnavailable: {
    code: 'overloaded',
    text: 'The shared database is unavailable; nothing was done',
  },
});

const ELSEWHERE = { ...TENANT_REFUSALS, ...EVERYWHERE };

const COLLECTED: Rows<ApiRefusalCode | keyof typeof ELSEWHERE> = Object.assign(
  {},
  ...API.map(({ refusals }) => refusals),
  ELSEWHERE,
);

/** Every refusal of the engine: this does not compile while one is missing. */
export const REFUSALS: Rows = COLLECTED;

const RETRY = { 'Retry-After': '1' };

/** Converts a refusal of the engine to one of the interface. */
export function wireRefusal(refusal: EngineRefusal): Refusal {
  const { code, text, errors } = REFUSALS[refusal.type] as Row<EngineRefusal>;
  return refuse(code, typeof text === 'function' ? text(refusal) : text, {
    ...(errors !== undefined && { errors: errors(refusal) }),
    ...(code !== 'gateway_error' && isTransient(code) && { headers: RETRY }),
  });
}

/** Converts an error of the engine; undefined for a defect. */
export function wireRefusalOf(error: unknown): Refusal | undefined {
  const refused: Refused | undefined = refusalOf(error);
  return refused && wireRefusal(refused.refusal);
}
