/** All stages, in order. */
import type { Stage } from './harness/stage.ts';
import { append } from './stages/append.ts';
import { gateway } from './stages/gateway.ts';
import { httpConsole } from './stages/http-console.ts';
import { httpDetail } from './stages/http-detail.ts';
import { httpLead } from './stages/http-lead.ts';
import { httpPayment } from './stages/http-payment.ts';
import { httpSearch } from './stages/http-search.ts';
import { load } from './stages/load.ts';
import { mails } from './stages/mails.ts';
import { paymentMemory } from './stages/payment-memory.ts';
import { postgresLog } from './stages/postgres-log.ts';
import { postgresReadModels } from './stages/postgres-read-models.ts';
import { postgresWorkers } from './stages/postgres-workers.ts';
import { protocolLog } from './stages/protocol-log.ts';
import { readModels } from './stages/read-models.ts';
import { rebills } from './stages/rebills.ts';
import { settlement } from './stages/settlement.ts';
import { submit } from './stages/submit.ts';
import { webhooks } from './stages/webhooks.ts';

export const stages: readonly Stage[] = [
  append,
  load,
  postgresLog,
  protocolLog,
  httpDetail,
  httpConsole,
  httpSearch,
  httpPayment,
  paymentMemory,
  httpLead,
  readModels,
  postgresReadModels,
  postgresWorkers,
  submit,
  rebills,
  settlement,
  webhooks,
  mails,
  gateway,
];
