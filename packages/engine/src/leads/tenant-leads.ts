/** The leads of one tenant, for one caller. */
import { Lead } from '@counterfoil/core';
import type { LeadPage, LeadRecord, LeadView } from '@counterfoil/projections';
import { type Acting, sandboxOf } from '../acting.ts';
import type { CommandRunner, Step } from '../command-runner.ts';
import type { Identities, SessionKeys } from '../identities/index.ts';
import { deterministicUuid, uuidV7 } from '../ids.ts';
import { minorOf } from '../input/amounts.ts';
import type { CallInputs } from '../input/checked-calls.ts';
import { definedOf } from '../input/defined.ts';
import { named, nothing, type RecordedCalls, type SubjectOf } from '../recorded-calls.ts';
import { refused } from '../refusal.ts';
import type { ReadSide } from '../runtime/read-side.ts';
import type { References } from '../tenants/index.ts';
import {
  EventId,
  LeadExport,
  LeadInput,
  LeadList,
  MAX_LEADS,
  TransactionReport,
} from './lead-input.ts';

const DEFAULT_LIMIT = 100;

/** A lead as it was written. */
export interface WrittenLead extends Lead.Lead {
  readonly status: 'new' | 'paid';
  readonly paid: Lead.State['paid'];
}

export interface LeadServices {
  readonly commands: CommandRunner;
  readonly identities: Identities;
  readonly sessionKeys: SessionKeys;
  readonly references: References;
  readonly readSide: ReadSide;
  readonly leadView: LeadView;
}

export class TenantLeads {
  readonly #services: LeadServices;
  readonly #acting: Acting;

  constructor(services: LeadServices, acting: Acting) {
    this.#services = services;
    this.#acting = acting;
  }

  /** Makes the lead of a session, or updates it; it has the application of its first write. */
  async write(
    input: LeadInput,
  ): Promise<{ readonly lead: WrittenLead; readonly created: boolean }> {
    const { sessionId, applicationId, sandbox: asked, email, ...more } = input;
    const { commands, identities, references, sessionKeys } = this.#services;
    const { tenantId, caller } = this.#acting;
    const sandbox = sandboxOf(this.#acting, asked);
    await references.applicationKindOf(tenantId, applicationId);
    const writingOf = (customerId: number): Step<typeof Lead> => ({
      aggregate: Lead,
      command: {
        type: 'WriteLead',
        tenantId,
        sandbox,
        sessionKey: sessionKeys.of({ tenantId, sessionId }),
        sessionId,
        leadId: uuidV7(),
        applicationId,
        customerId,
        contact: { email, ...definedOf(more) },
        at: commands.clock.now(),
      },
      name: { commandId: uuidV7() },
    });
    // One person has one key, by which contact data is sealed, and with which it is erased.
    const person = { tenantId, sandbox, email };
    const { state, events } = await identities.executeFor(person, writingOf, caller);
    if (state.lead === null) throw new Error('a write left no lead');
    const created = events.some(({ type }) => type === 'LeadCreated');
    return { lead: { ...state.lead, status: statusOf(state), paid: state.paid }, created };
  }

  /**
   * A payment that another gateway has captured: it pays the lead of its session, now or when that is
   * written. Of one event of a source only the first report counts.
   */
  async reportTransaction(
    eventId: string,
    report: TransactionReport,
  ): Promise<{ readonly leadStatus: 'new' | 'paid' | null }> {
    const { source, partnerSession: sessionId, amount, currency, orderId = null, ...more } = report;
    const { sandbox: asked, capturedAt, ...facts } = more;
    const { commands, sessionKeys } = this.#services;
    const { tenantId, caller } = this.#acting;
    const amountMinor = minorOf(amount, currency, 'amount');
    if (amountMinor <= 0n) throw refused({ type: 'AmountNotPositive', amountMinor, currency });
    const at = commands.clock.now();
    const transaction = {
      ...facts,
      source,
      orderId,
      amountMinor,
      currency,
      capturedAt: capturedAt ?? at,
    };
    const { state } = await commands.execute(
      Lead,
      {
        type: 'SeeTransaction',
        tenantId,
        sandbox: sandboxOf(this.#acting, asked),
        sessionKey: sessionKeys.of({ tenantId, sessionId }),
        transaction,
        at,
      },
      { commandId: deterministicUuid([String(tenantId), source, eventId]), content: report },
      caller,
    );
    return { leadStatus: state.lead && statusOf(state) };
  }

  /** The newest first. Shows one's own writes. */
  async list(list: LeadList = {}): Promise<LeadPage> {
    const { sandbox, limit = DEFAULT_LIMIT, ...more } = list;
    const { tenantId } = this.#acting;
    const { readSide, leadView } = this.#services;
    await readSide.caughtUp(tenantId);
    const whose = { tenantId, sandbox: sandboxOf(this.#acting, sandbox) };
    return leadView.list({ ...whose, limit, ...definedOf(more) });
  }

  /** All that a list has in pages, the newest first: the next one is read when it is asked for. */
  async export(filter: LeadExport = {}): Promise<AsyncIterable<readonly LeadRecord[]>> {
    return this.#pages(filter);
  }

  async *#pages(filter: LeadExport): AsyncGenerator<readonly LeadRecord[]> {
    let after: LeadPage['end'];
    do {
      const page = await this.list({
        ...filter,
        limit: MAX_LEADS,
        ...(after !== undefined && { after }),
      });
      if (page.leads.length > 0) yield page.leads;
      after = page.moreResults ? page.end : undefined;
    } while (after !== undefined);
  }
}

function statusOf({ paid }: Lead.State): WrittenLead['status'] {
  return paid === null ? 'new' : 'paid';
}

const written: SubjectOf = (_, answer) =>
  (answer as { readonly lead: WrittenLead } | undefined)?.lead.leadId;

export const LEAD_CALLS: RecordedCalls<TenantLeads> = {
  write: written,
  reportTransaction: named,
  export: nothing,
};

export const LEAD_INPUTS: CallInputs<TenantLeads> = {
  write: [LeadInput],
  reportTransaction: [EventId, TransactionReport],
  list: [LeadList.optional()],
  export: [LeadExport.optional()],
};
