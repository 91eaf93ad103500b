/** The leads read model: who began a session, and which of them paid, the newest first. */
import { emailIdentity, Lead } from '@counterfoil/core';
import { z } from 'zod';
import { walkedByCustomer } from '../erasing.ts';
import type { Projection, Recorded, States } from '../projection.ts';
import type { Anchor, Condition, ReadModelStore } from '../read-model-store.ts';
import { keyOf, LEAD_LIST, LEAD_STATES, LEADS, liveModel } from './live-model.ts';
import { packed } from './packed.ts';
import { partitionOf } from './search-record.ts';

/** Raised when the documents mean something else though their shapes are the same. */
const MEANING = 1;

export const LEAD_STATUS = ['new', 'paid'] as const;
export type LeadStatus = (typeof LEAD_STATUS)[number];

const text = z.string();
const State = z.strictObject({
  id: text,
  sessionId: text,
  applicationId: z.int(),
  customerId: z.int(),
  sandbox: z.boolean(),
  status: z.enum(LEAD_STATUS),
  email: text,
  firstName: text,
  lastName: text,
  cfaDevice: text,
  scans: z.array(z.strictObject({ page: text })),
  createdAt: text,
  updatedAt: text,
  paidAt: text.nullable(),
  transaction: Lead.SeenTransaction.nullable(),
});
export type LeadRecord = z.output<typeof State>;

const stored = packed(State);

type Happened = Exclude<Lead.Event, { type: 'LeadTransactionSeen' }>;
const TYPES: readonly Happened['type'][] = ['LeadCreated', 'LeadUpdated', 'LeadPaid'];

export const leads: Projection<LeadRecord> = {
  name: LEADS,
  version: `${MEANING}-${stored.shape}`,
  categories: new Set(['lead']),
  types: new Set(TYPES),
  stateCollection: LEAD_STATES,
  collections: [
    { name: LEAD_STATES, kind: 'keyed' },
    {
      name: LEAD_LIST,
      kind: 'walked',
      fields: { email: 'text', sessionId: 'text', customerId: 'integer', status: 'integer' },
    },
  ],

  needs: (record) => [stateKeyOf(record)],

  apply(record, states: States<LeadRecord>) {
    const key = stateKeyOf(record);
    return { states: [[key, changed(states.get(key), record.event as Happened)]] };
  },

  encode: stored.encode,
  decode: stored.decode,

  derive(key, state) {
    const { sandbox, createdAt, email, sessionId, customerId, status } = state;
    const partition = partitionOf(Number(key.slice(0, key.indexOf('/'))), sandbox);
    const fields = {
      email: email === '' ? null : emailIdentity(email),
      sessionId: sessionId === '' ? null : sessionId,
      customerId,
      status: LEAD_STATUS.indexOf(status),
    };
    const place = { partition, sort: Date.parse(createdAt), fields };
    return [{ collection: LEAD_LIST, key, body: stored.encode(state), place }];
  },

  erasing: {
    find: walkedByCustomer({ collection: LEAD_LIST, stateKeyOf: ({ key }) => key }),
    erase: (state) => ({ ...state, ...Lead.ERASED, sessionId: '' }),
  },
};

function stateKeyOf({ tenantId, event }: Recorded): string {
  return keyOf(tenantId, (event as Happened).leadId);
}

function changed(state: LeadRecord | undefined, event: Happened): LeadRecord {
  if (event.type === 'LeadCreated') {
    const { type: _, leadId: id, at, ...lead } = event;
    const times = { createdAt: at, updatedAt: at, paidAt: null };
    return { id, status: 'new', ...lead, ...times, transaction: null };
  }
  if (state === undefined) throw new Error(`${event.type} without a lead`);
  if (event.type === 'LeadPaid') {
    return { ...state, status: 'paid', paidAt: event.at, transaction: event.transaction };
  }
  const { customerId, at: updatedAt } = event;
  return { ...state, ...Lead.contactOf(event), customerId, updatedAt };
}

export interface LeadQuery {
  readonly tenantId: number;
  readonly sandbox: boolean;
  readonly status?: LeadStatus;
  /** Days in GMT (`yyyy-MM-dd`) in which leads were created, both included. */
  readonly dateFrom?: string;
  readonly dateTo?: string;
  /** Without regard to case. */
  readonly email?: string;
  readonly sessionId?: string;
  readonly limit: number;
  /** `end` of the page before. */
  readonly after?: Anchor;
}

export interface LeadPage {
  readonly leads: readonly LeadRecord[];
  readonly moreResults: boolean;
  readonly end: Anchor | undefined;
}

/** Queries over leads. */
export class LeadView {
  readonly #store: ReadModelStore;

  constructor(store: ReadModelStore) {
    this.#store = store;
  }

  /** The newest first. */
  async list(query: LeadQuery): Promise<LeadPage> {
    const { tenantId, sandbox, status, dateFrom, dateTo, email, sessionId, limit, after } = query;
    const where: Condition[] = [];
    if (email !== undefined) where.push({ field: 'email', anyOf: [emailIdentity(email)] });
    if (sessionId !== undefined) where.push({ field: 'sessionId', anyOf: [sessionId] });
    if (status !== undefined) {
      where.push({ field: 'status', anyOf: [LEAD_STATUS.indexOf(status)] });
    }
    const model = await liveModel(this.#store, LEADS);
    const rows = await model.walk({
      collection: LEAD_LIST,
      partition: partitionOf(tenantId, sandbox),
      where,
      ...(dateFrom !== undefined && { from: Date.parse(dateFrom) }),
      ...(dateTo !== undefined && { to: Date.parse(`${dateTo}T23:59:59.999Z`) }),
      ...(after !== undefined && { after }),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      leads: page.map(({ body }) => stored.decode(body)),
      moreResults: rows.length > limit,
      end: last && { sort: last.sort, key: last.key },
    };
  }
}
