/** Looks at the keys of customers: whether they are there, of this log, and open. */
import type { Customer, EventStore, StoredEvent, Subject } from '@counterfoil/core';
import { counted } from '../counted.ts';
import type { CustomerVault } from '../personal-keys/customer-keys.ts';
import { compareKeys } from '../personal-keys/keys-and-log.ts';
import { openKeysToRead } from '../personal-keys/open-personal-keys.ts';
import { type DataFiles, isFile, openEventStore } from '../storage/stores.ts';
import type { Advice } from './advice.ts';
import type { Examined } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import { keptMark } from './lost-events.ts';

export interface CheckedKeys {
  readonly checked: Checked;
  /** Undefined where there are none, or none that can be used; to be closed. */
  readonly keys: CustomerVault | undefined;
}

export async function checkPersonalKeys({
  config,
  files,
  quick,
  advice,
}: Omit<Examined, 'keys'>): Promise<CheckedKeys> {
  const findings = new Findings('personal-keys');
  if (!isFile(files.keys)) {
    if (isFile(files.events)) {
      findings.warn(
        `there are no keys of customers: ${files.keys} does not exist`,
        `Nothing, if no host that keeps them was ever started here. Else: ${advice.keys}`,
      );
    }
    return { checked: findings.made('none'), keys: undefined };
  }
  let keys: CustomerVault | undefined;
  try {
    keys = await openKeysToRead(config);
    const mark = keptMark(files);
    const firstEvent = await keys?.firstEvent();
    if (mark !== undefined && firstEvent !== undefined && mark !== firstEvent) {
      findings.damage(`${files.keys} is of another log`, advice.keys);
    }
    const loss = keys && (await lossOf(keys, files, quick));
    if (loss !== undefined) findings.damage(`${files.keys} ${loss}`, advice.keys);
    if (quick) return { checked: findings.made('not one by one'), keys };
    const customers =
      (await keys?.check((customer) =>
        findings.damage(`the key of customer ${customer} does not open`, advice.keys),
      )) ?? 0;
    return { checked: findings.made(counted(customers, 'customer')), keys };
  } catch (error) {
    await keys?.close();
    findings.damage(`${files.keys} cannot be used: ${reasonOf(error)}`, advice.keys);
    return { checked: findings.leftOut(reasonOf(error)), keys: undefined };
  }
}

/** What the log names and the keys lack, as a start would find it. */
async function lossOf(
  keys: CustomerVault,
  { events: path }: DataFiles,
  quick: boolean,
): Promise<string | undefined> {
  // Without a mark it takes all events, which the quick examination does not read.
  if (!isFile(path) || (quick && (await keys.mark()) === undefined)) return undefined;
  let events: EventStore;
  try {
    events = await openEventStore({ eventStoreUrl: `sqlite:${path}` }, { follow: true });
  } catch {
    // What is wrong with the log is told by its own checks.
    return undefined;
  }
  try {
    return (await compareKeys(keys, events)).loss;
  } finally {
    await events.close();
  }
}

/** Whether what the log says of an erasure is what was done about it. */
export async function judgeErasure(
  findings: Findings,
  customer: Customer.Customer,
  { tenantId, stream, keys, hostRuns, advice }: Pick<StoredEvent, 'tenantId' | 'stream'> & Whose,
): Promise<void> {
  const { sandbox, customerId, erasureRequestedAt, erasedAt } = customer;
  if (erasureRequestedAt !== null && erasedAt === null && !hostRuns) {
    findings.warn(
      `${stream}: the erasure that was requested at ${erasureRequestedAt} is not finished`,
      'Start the host, which finishes it.',
    );
  }
  if (erasedAt !== null && (await hasKey(keys, { tenantId, sandbox, customerId }))) {
    findings.damage(`${stream}: the customer is erased, and has a key again`, advice.returnedKeys);
  }
}

interface Whose {
  readonly advice: Advice;
  readonly keys: CustomerVault | undefined;
  readonly hostRuns: boolean;
}

async function hasKey(keys: CustomerVault | undefined, subject: Subject): Promise<boolean> {
  try {
    return (await keys?.stateOf(subject)) === 'kept';
  } catch {
    // One that does not open has been told of.
    return false;
  }
}
