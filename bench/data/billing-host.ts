/** A host in this process with subscribers who are all due at one instant, and a clock that goes there. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compose, type Host, readConfig } from '@counterfoil/http-host';
import type { Setting } from '../harness/stage.ts';
import { FREQUENCY_DAYS, STARTED_AT, writeSubscribers } from './subscribers.ts';

const DAY_MS = 86_400_000;
const LOOK_MS = 20;
/** If the log has not grown for this many looks, the host is idle. */
const LOOKS_AT_REST = 150;

/** A clock that only jumps from one due date to the next. */
export class MonthlyClock {
  #ms = Date.parse(STARTED_AT);

  now(): string {
    return new Date(this.#ms).toISOString();
  }

  /** The instant that the next leap leads to. */
  get nextDueAt(): string {
    return new Date(this.#ms + FREQUENCY_DAYS * DAY_MS).toISOString();
  }

  leap(): void {
    this.#ms += FREQUENCY_DAYS * DAY_MS;
  }
}

/** With its read models made, and at rest. */
export async function openBillingHost(
  { folder, seed, say }: Pick<Setting, 'folder' | 'seed' | 'say'>,
  count: number,
  clock: MonthlyClock,
): Promise<Host> {
  const env = {
    DATA_DIR: join(folder, 'host'),
    MASTER_KEY: randomBytes(32).toString('base64'),
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
  };
  const config = readConfig(env);
  const host = await compose(config, { clock });
  await writeSubscribers(host, { count, seed, say });
  await host.close();
  say('rebills: making the read models');
  const reopened = await compose(config, { clock });
  await reacted(reopened);
  return reopened;
}

/** Waits until the reactors have registered the customers that real orders would have registered. */
async function reacted({ events }: Host): Promise<void> {
  let head = await events.head();
  for (let looks = 0; looks < LOOKS_AT_REST; looks += 1) {
    await sleep(LOOK_MS);
    const now = await events.head();
    if (now !== head) looks = 0;
    head = now;
  }
}
