/** Deadlines: held reserves, unanswered alerts, waiting payments. */
import { type TenantId, Transaction, type TransactionId } from '@counterfoil/core';
import {
  type AlertDeadline,
  alertDeadlines,
  type ChargebackDeadline,
  chargebackDeadlines,
  type OpenWorkPage,
  type OpenWorkQuery,
  type PaymentExpiry,
  paymentExpiries,
  type ReadModelStore,
  type ReserveRelease,
  reserveReleases,
} from '@counterfoil/projections';
import { type CommandRunner, SYSTEM } from '../command-runner.ts';
import { deterministicUuid } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { Refused } from '../refusal.ts';
import { atDueTime } from '../runtime/clock.ts';
import type { TimedWork } from '../runtime/timed-work.ts';

const PAGE = 200;
/** Per round. Finished entries leave the list, so the next round finds the rest. */
const MAX_PAGES = 50;

export interface DeadlineOptions {
  readonly commands: CommandRunner;
  readonly store: ReadModelStore;
  readonly logger: Logger;
}

/** An entry of a list of open work, ordered by due time. */
interface Waiting {
  readonly tenantId: number;
  readonly transactionId: string;
}

/** The command of an entry. Its id is derived from the entry, so it is idempotent. */
interface Ending {
  readonly commandId: string;
  readonly command: Transaction.Command;
}

interface Deadline<Entry extends Waiting> {
  readonly name: string;
  readonly list: (store: ReadModelStore, query: OpenWorkQuery) => Promise<OpenWorkPage<Entry>>;
  readonly dueAt: (entry: Entry) => string;
  readonly end: (entry: Entry, at: string) => Ending;
}

/** One scheduled work per kind of deadline. */
export function deadlineWorks(options: DeadlineOptions): readonly TimedWork[] {
  return [
    workOf(RESERVES, options),
    workOf(ALERTS, options),
    workOf(CHARGEBACKS, options),
    workOf(AUTHORIZATIONS_AND_ACTIONS, options),
  ];
}

const RESERVES: Deadline<ReserveRelease> = {
  name: 'reserves',
  list: reserveReleases,
  dueAt: ({ dueAt }) => dueAt,
  end({ tenantId, transactionId }, at) {
    const releaseId = deterministicUuid([transactionId, 'reserve']);
    return {
      commandId: releaseId,
      command: {
        type: 'ReleaseReserve',
        ...addressOf(tenantId, transactionId),
        releaseId: releaseId as TransactionId,
        at,
      },
    };
  },
};

const ALERTS: Deadline<AlertDeadline> = {
  name: 'alert-deadlines',
  list: alertDeadlines,
  dueAt: ({ deadline }) => deadline,
  end: ({ tenantId, transactionId, alertId }, at) => ({
    commandId: deterministicUuid([transactionId, 'alert-expired', alertId]),
    command: {
      type: 'MoveAlert',
      ...addressOf(tenantId, transactionId),
      alertId: alertId as TransactionId,
      to: 'AlertExpired',
      note: 'not answered before its deadline',
      at,
    },
  }),
};

/** What is not answered in time is lost by the rules of the networks. */
const CHARGEBACKS: Deadline<ChargebackDeadline> = {
  name: 'chargeback-deadlines',
  list: chargebackDeadlines,
  dueAt: ({ respondBy }) => respondBy,
  end: ({ tenantId, transactionId, chargebackId }, at) => ({
    commandId: deterministicUuid([transactionId, 'chargeback-unanswered', chargebackId]),
    command: {
      type: 'MoveChargeback',
      ...addressOf(tenantId, transactionId),
      chargebackId: chargebackId as TransactionId,
      to: 'ChargebackLost',
      note: 'not answered before its deadline',
      at,
    },
  }),
};

const EXPIRY_NOTES = {
  authorization: 'not captured while the authorization stood',
  action: 'the customer did not act in time',
} as const;

/**
 * The gateway is not called. An authorization lapses at the issuer by itself, and a void would be a
 * second movement that may fail; an action that was not completed has moved no money.
 */
const AUTHORIZATIONS_AND_ACTIONS: Deadline<PaymentExpiry> = {
  name: 'payment-expiries',
  list: paymentExpiries,
  dueAt: ({ dueAt }) => dueAt,
  end: ({ tenantId, transactionId, of, dueAt }, at) => ({
    commandId: deterministicUuid([transactionId, 'expired', of, dueAt]),
    command: {
      type: 'ExpirePayment',
      ...addressOf(tenantId, transactionId),
      note: EXPIRY_NOTES[of],
      dueAt,
      at,
    },
  }),
};

function addressOf(tenantId: number, transactionId: string) {
  return { tenantId: tenantId as TenantId, transactionId: transactionId as TransactionId };
}

function workOf<Entry extends Waiting>(
  { name, list, dueAt, end }: Deadline<Entry>,
  { commands, store, logger }: DeadlineOptions,
): TimedWork {
  /** An entry that the domain refuses now (for example during a capture) stays in the list. */
  const finish = async (entry: Entry): Promise<void> => {
    const { commandId, command } = end(entry, commands.clock.now());
    try {
      await commands.execute(Transaction, command, { commandId }, SYSTEM);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { transactionId } = entry;
      logger.warn(
        { work: name, transactionId, code: error.code },
        'a deadline could not be applied',
      );
    }
  };
  return {
    name,
    async nextDueAt() {
      const [first] = (await list(store, { limit: 1 })).work;
      return first === undefined ? undefined : dueAt(first);
    },
    async runDue(stopping) {
      const at = commands.clock.now();
      let after: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { work, next } = await list(store, {
          limit: PAGE,
          ...(after !== undefined && { after }),
        });
        for (const entry of work) {
          // The list is ordered by due time.
          if (stopping.aborted || dueAt(entry) > at) return;
          await atDueTime(commands.clock, dueAt(entry), () => finish(entry));
        }
        if (next === undefined) return;
        after = next;
      }
    },
  };
}
