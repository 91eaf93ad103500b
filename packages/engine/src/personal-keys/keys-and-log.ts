/** Checks that the keys of customers belong to a log and are complete. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventStore,
  isSealedEvent,
  type Position,
  type StoredEvent,
  subjectsOf,
} from '@counterfoil/core';
import type { Logger } from '../logger.ts';
import type { CustomerKeys } from './customer-keys.ts';
import type { KeyMark } from './key-rows.ts';
import { nameOf } from './personal-key-cipher.ts';

const SCAN_BATCH = 5_000;

/** How much of the log a start after a kill looks through: what was appended in about so long. */
const MARK_EVERY_MS = 60_000;

type ComparedKeys = Pick<CustomerKeys, 'count' | 'mark' | 'missing'>;

/** For a log whose keys are to be made: every event that is sealed lacks its key. */
export const NO_KEYS: ComparedKeys = {
  count: () => 0,
  mark: () => undefined,
  missing: (subjects) => subjects,
};

/** `loss`: what is missing, for people; undefined where nothing is, and then `mark` says up to where. */
export type Comparison =
  | { readonly loss: string; readonly mark?: undefined }
  | { readonly loss?: undefined; readonly mark: KeyMark | undefined };

/**
 * Looks through the log for events whose key is missing: from the mark on, and from the beginning
 * where there is none or the log took another course since. Keys that the log does not name are fine,
 * and so are those that were destroyed.
 */
export async function compareKeys(keys: ComparedKeys, events: EventStore): Promise<Comparison> {
  const known = await keys.mark();
  const count = await keys.count();
  if (known !== undefined && count > 0 && count < known.keys) {
    return { loss: `has the keys of ${count} customers, and had those of ${known.keys}` };
  }
  let mark = known;
  let after: Position | undefined;
  for await (const batch of batchesSince(known, events)) {
    const [first] = batch;
    if (after !== undefined && first !== undefined) {
      mark = { after, eventId: first.id, keys: count };
    }
    after = batch.at(-1)?.position;
    const lost = await firstLost(keys, batch);
    if (lost === undefined) continue;
    const { sealed, customer } = lost;
    return {
      loss:
        count === 0
          ? `has no keys, and the log has personal data that was sealed with keys (at position ${sealed.position})`
          : `lacks the key of customer ${customer}, which the event at position ${sealed.position} was sealed with: the keys are older than the log, or some were lost`,
    };
  }
  return { mark };
}

async function* batchesSince(
  mark: KeyMark | undefined,
  events: EventStore,
): AsyncGenerator<readonly StoredEvent[]> {
  const options = { batchSize: SCAN_BATCH, untilHead: true };
  if (mark !== undefined) {
    let isChecked = false;
    for await (const batch of events.subscribe({ ...options, after: mark.after })) {
      if (!isChecked && batch[0]?.id !== mark.eventId) break;
      isChecked = true;
      yield batch;
    }
    if (isChecked) return;
  }
  yield* events.subscribe(options);
}

async function firstLost(
  keys: ComparedKeys,
  batch: readonly StoredEvent[],
): Promise<{ readonly sealed: StoredEvent; readonly customer: string } | undefined> {
  const lost = new Set((await keys.missing(subjectsOf(batch))).map(nameOf));
  if (lost.size === 0) return undefined;
  for (const sealed of batch) {
    const customer = isSealedEvent(sealed) && subjectsOf([sealed]).map(nameOf)[0];
    if (typeof customer === 'string' && lost.has(customer)) return { sealed, customer };
  }
  return undefined;
}

/** Its id, which no other log has. */
export async function firstEventOf(events: EventStore): Promise<string | undefined> {
  return (await eventAfter(undefined, events))?.id;
}

async function eventAfter(
  after: Position | undefined,
  events: EventStore,
): Promise<StoredEvent | undefined> {
  const from = after === undefined ? {} : { after };
  for await (const [next] of events.subscribe({ ...from, batchSize: 1, untilHead: true })) {
    return next;
  }
  return undefined;
}

/**
 * Ties the keys to the log by its first event, where that was not done before. Answers false for the
 * keys of another log.
 */
export async function tieToLog(keys: CustomerKeys, events: EventStore): Promise<boolean> {
  const first = await firstEventOf(events);
  if (first !== undefined && (await keys.firstEvent()) === undefined) await keys.belongTo(first);
  // Of two hosts that say it at once, the first one is right.
  return (await keys.firstEvent()) === first;
}

interface Marking {
  readonly keys: CustomerKeys;
  readonly events: EventStore;
  readonly logger: Logger;
}

/**
 * Moves the mark on while a host runs, so that the next start need not look through what this one has
 * seen: a key is durable before anything is sealed under it.
 */
export class KeyMarking {
  readonly #parts: Marking;
  /** The head of the log when it was last looked at: by now every event up to there has its key. */
  #head: Position | undefined;
  #last: KeyMark | undefined;

  constructor(parts: Marking) {
    this.#parts = parts;
  }

  /** To the end of the signal. */
  async repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.moveOn();
      } catch (error) {
        this.#parts.logger.warn({ err: error }, 'the mark of the keys could not be moved on');
      }
      await sleep(MARK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Up to where the log was when it was last called. */
  async moveOn(): Promise<void> {
    const { keys, events, logger } = this.#parts;
    const [before, head] = [this.#head, await events.head()];
    this.#head = head;
    if (before === undefined || before === head) return;
    if (!(await tieToLog(keys, events))) return;
    const present = await keys.mark();
    this.#last ??= present;
    if (present?.after !== this.#last?.after) {
      // Another host has moved it, or the keys were put back from a backup beneath us.
      const { loss } = await compareKeys(keys, events);
      if (loss !== undefined) {
        logger.error({ loss }, 'keys of customers are missing: stop the hosts and restore them');
        return;
      }
    }
    const next = await eventAfter(before, events);
    if (next === undefined) return;
    this.#last = { after: before, eventId: next.id, keys: await keys.count() };
    await keys.setMark(this.#last);
  }
}
