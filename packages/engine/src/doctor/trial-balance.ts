/** Adds up the journal of the whole log, apart from every read model. */
import { type Event, type JournalLine, journal, type StoredEvent } from '@counterfoil/core';
import { type Findings, reasonOf } from './finding.ts';

const ADVICE =
  'Do not start the host on it. Report it with the events of the stream: an entry is balanced when it is made, so either the log or the build is at fault.';

interface Sums {
  debitMinor: bigint;
  creditMinor: bigint;
}

/** Its memory grows with the accounts of the books, not with the log. */
export class TrialBalance {
  readonly #findings: Findings;
  /** By tenant, environment, merchant account and currency. */
  readonly #books = new Map<string, Sums>();
  #entries = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  get entries(): number {
    return this.#entries;
  }

  get books(): number {
    return this.#books.size;
  }

  post({ stream, revision, position, tenantId }: StoredEvent, event: Event): void {
    const place = `the entry of position ${position} (${stream}@${revision})`;
    try {
      const entry = journal(event);
      if (entry === undefined) return;
      this.#entries += 1;
      const { sandbox, merchantAccountId, lines } = entry;
      const environment = sandbox ? 'sandbox' : 'live';
      const own = new Map<string, Sums>();
      for (const line of lines) {
        add(own, line.currency, line);
        add(
          this.#books,
          `tenant ${tenantId}, ${environment}, merchant account ${merchantAccountId}, ${line.currency}`,
          line,
        );
      }
      for (const [currency, { debitMinor, creditMinor }] of own) {
        if (debitMinor === creditMinor) continue;
        this.#findings.damage(
          `${place} debits ${debitMinor} and credits ${creditMinor} minor units of ${currency}`,
          ADVICE,
        );
      }
    } catch (error) {
      this.#findings.damage(`${place} cannot be made: ${reasonOf(error)}`, ADVICE);
    }
  }

  /** After the last event. */
  end(): void {
    for (const [books, { debitMinor, creditMinor }] of this.#books) {
      if (debitMinor === creditMinor) continue;
      this.#findings.damage(
        `the books of ${books} are off by ${debitMinor - creditMinor} minor units`,
        ADVICE,
      );
    }
  }
}

function add(sums: Map<string, Sums>, key: string, { debitMinor, creditMinor }: JournalLine): void {
  const sum = sums.get(key) ?? { debitMinor: 0n, creditMinor: 0n };
  sum.debitMinor += debitMinor;
  sum.creditMinor += creditMinor;
  sums.set(key, sum);
}
