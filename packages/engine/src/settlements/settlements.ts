/** Imports settlement files: books each line that agrees with the books, and lists every difference. */
import { createHash } from 'node:crypto';
import type { MerchantAccount, TenantId } from '@counterfoil/core';
import {
  type SettlementRecord,
  type SettlementsPage,
  type SettlementsQuery,
  SettlementView,
  type UnmatchedQuery,
  type UnmatchedRecord,
} from '@counterfoil/projections';
import { refused } from '../refusal.ts';
import { KeyedMutex } from '../runtime/keyed-mutex.ts';
import type { References } from '../tenants/index.ts';
import { ImportRun, type ImportServices, type LineSource, type OwnedImport } from './import-run.ts';
import { linesOf } from './settlement-file.ts';

const LONGEST_WAIT_MS = 30_000;

export interface SettlementServices extends ImportServices {
  readonly references: References;
}

export interface Imported extends SettlementRecord {
  /** Lines that were booked now; the others of `agreed` had been before. */
  readonly booked: number;
}

/** Lines and bytes so far. */
export type OnProgress = (done: { readonly lines: number; readonly bytes: number }) => void;

export class Settlements {
  readonly #services: SettlementServices;
  readonly #view: SettlementView;
  /** One import at a time of an account: it sees what the one before has booked. */
  readonly #mutex = new KeyedMutex({ longestWaitMs: LONGEST_WAIT_MS });

  constructor(services: SettlementServices) {
    this.#services = services;
    this.#view = new SettlementView(services.readModels);
  }

  /**
   * Books what agrees and records what does not, as the content comes. A line is booked once, however
   * often it is imported: a repetition completes an import that ended in the middle. Refuses unknown
   * accounts with `ReferenceUnknown`, and a wrong header with `InputInvalid` before anything is booked.
   */
  async import(
    request: OwnedImport,
    content: AsyncIterable<Uint8Array>,
    onProgress: OnProgress = () => undefined,
  ): Promise<Imported> {
    const { tenantId, merchantAccountId } = request;
    await this.accountOf(tenantId, merchantAccountId);
    const file = fileSource(content);
    return this.importFrom(request, file, (lines) => onProgress({ lines, bytes: file.bytes() }));
  }

  /** Refuses with `ReferenceUnknown`. */
  async accountOf(
    tenantId: TenantId,
    merchantAccountId: number,
  ): Promise<MerchantAccount.MerchantAccount> {
    const account = await this.#services.references.merchantAccount(tenantId, merchantAccountId);
    if (account !== null) return account;
    const references = [{ field: 'merchantAccountId', id: merchantAccountId }];
    throw refused({ type: 'ReferenceUnknown', references });
  }

  /** The same of lines that come from elsewhere. */
  async importFrom(
    request: OwnedImport,
    source: LineSource,
    onProgress: (lines: number) => void = () => undefined,
  ): Promise<Imported> {
    const { tenantId, sandbox, merchantAccountId } = request;
    const books = [tenantId, sandbox, merchantAccountId].join('/');
    return this.#mutex.runExclusive(books, async () => {
      const run = new ImportRun(this.#services, this.#view, request);
      const booked = await run.take(source, onProgress);
      const record = await this.find(request, run.settlementId);
      if (record === undefined) throw new Error(`the import ${run.settlementId} is not there`);
      return { ...record, booked };
    });
  }

  async find(
    owner: { readonly tenantId: number; readonly sandbox: boolean },
    settlementId: string,
  ): Promise<SettlementRecord | undefined> {
    await this.#services.readSide.caughtUp(owner.tenantId);
    return this.#view.find(owner, settlementId);
  }

  /** The newest first. */
  async list(query: SettlementsQuery): Promise<SettlementsPage<SettlementRecord>> {
    await this.#services.readSide.caughtUp(query.tenantId);
    return this.#view.imports(query);
  }

  /** Differences that nothing has resolved since, the oldest first. */
  async unmatched(query: Omit<UnmatchedQuery, 'now'>): Promise<SettlementsPage<UnmatchedRecord>> {
    const { readSide, commands } = this.#services;
    await readSide.caughtUp(query.tenantId);
    return this.#view.unmatched({ ...query, now: commands.clock.now() });
  }
}

function fileSource(content: AsyncIterable<Uint8Array>): LineSource & { bytes(): number } {
  const digest = createHash('sha256');
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of content) {
      digest.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  return {
    lines: linesOf(counted()),
    digest: () => digest.digest('hex'),
    bytes: () => bytes,
  };
}
