/** Chargebacks and alerts of all tenants. Queries read the tenant's own writes. */

import type {
  DisputeQuery,
  DisputeView,
  MitigationView,
  SearchQuery,
} from '@counterfoil/projections';
import type { Clock } from '../runtime/clock.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { WebhookEndpoints } from '../webhooks/index.ts';
import type { DisputeAnswers } from './answers.ts';
import type { Evidence } from './evidence.ts';
import type { DisputeIntake } from './intake.ts';

interface DisputeServices {
  readonly mitigation: MitigationView;
  readonly queue: DisputeView;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly intake: DisputeIntake;
  readonly answers: DisputeAnswers;
  readonly evidence: Evidence;
  readonly readSide: ReadSide;
  readonly clock: Clock;
}

type Query = Omit<SearchQuery, 'now'>;

export class Disputes {
  readonly #services: DisputeServices;

  constructor(services: DisputeServices) {
    this.#services = services;
  }

  get intake(): DisputeIntake {
    return this.#services.intake;
  }

  get answers(): DisputeAnswers {
    return this.#services.answers;
  }

  get evidence(): Evidence {
    return this.#services.evidence;
  }

  /** Whose sources are the providers of signed reports. */
  get webhookEndpoints(): WebhookEndpoints {
    return this.#services.webhookEndpoints;
  }

  /** The present (ISO 8601, GMT). */
  now(): string {
    return this.#services.clock.now();
  }

  /** A page of the transactions search with fewer fields. Refuses with `PageOutOfReach`. */
  async transactions(query: Query): ReturnType<MitigationView['transactions']> {
    const { mitigation, readSide, clock } = this.#services;
    await readSide.caughtUp(query.tenantId);
    return mitigation.transactions({ ...query, now: clock.now() });
  }

  /** A page of the queue: chargebacks that exceed the capture first, then the nearest deadline. */
  async list(query: DisputeQuery): ReturnType<DisputeView['list']> {
    const { queue, readSide } = this.#services;
    await readSide.caughtUp(query.tenantId);
    return queue.list(query);
  }

  /** The newest matches, 100 at most. */
  async search(query: Query): ReturnType<MitigationView['search']> {
    const { mitigation, readSide, clock } = this.#services;
    await readSide.caughtUp(query.tenantId);
    return mitigation.search({ ...query, now: clock.now() });
  }
}
