/** Checks that the master key and the keys of customers exist, belong to this log and are usable. */
import type { Customer, EventStore, StoredEvent, Subject } from '@counterfoil/core';
import { counted } from '../counted.ts';
import type { CustomerVault } from '../personal-keys/customer-keys.ts';
import { compareKeys } from '../personal-keys/keys-and-log.ts';
import { findMasterKey, type Settings } from '../settings.ts';
import type { Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';

const MASTER_KEY_ADVICE =
  'Set MASTER_KEY (or put back secrets.json) as it was when the data was made. Without that key the gateway credentials cannot be opened, and customers and cards are not recognised.';

/** Why what is sealed is left out. */
export const LOCKED = 'the master key is absent: what is sealed cannot be opened';

/** Whether the master key is the one that the data was made under. */
export async function checkMasterKey({
  config,
  place,
  isLocked,
}: Pick<Examining, 'config' | 'place' | 'isLocked'>): Promise<Checked> {
  const findings = new Findings('master-key');
  try {
    const state = await place.masterKeyState();
    if (state === 'wrong') {
      findings.damage('the data was made under another master key', MASTER_KEY_ADVICE);
    }
    if (state === 'lost' || isLocked) {
      findings.unexamined(
        'the master key of the data is absent, so that what is sealed under it cannot be examined',
        MASTER_KEY_ADVICE,
      );
    }
    if (state === 'unmarked') {
      findings.warn(
        'the mark of the master key is missing: a wrong key would not be noticed',
        'The next start makes it for the present key: make sure first that it is the right one.',
      );
    }
  } catch (error) {
    findings.damage(reasonOf(error), MASTER_KEY_ADVICE);
  }
  return findings.made(config.masterKey === undefined ? 'secrets.json' : 'MASTER_KEY');
}

interface CheckedKeys {
  readonly checked: Checked;
  /** To be closed. */
  readonly keys: CustomerVault | undefined;
  /** Whether they cannot be opened, since the master key is absent. */
  readonly isLocked: boolean;
}

export async function checkPersonalKeys(
  { config, place, quick, advice }: Pick<Examining, 'config' | 'place' | 'quick' | 'advice'>,
  events: EventStore | undefined,
): Promise<CheckedKeys> {
  const findings = new Findings('personal-keys');
  const { keysName } = place;
  let keys: CustomerVault | undefined;
  try {
    keys = await place.openKeys();
    if (keys === undefined) {
      if (events !== undefined) {
        findings.warn(
          `there are no keys of customers: ${keysName} does not exist`,
          `Nothing, if no host that keeps them was ever started here. Else: ${advice.keys}`,
        );
      }
      return { checked: findings.made('none'), keys, isLocked: false };
    }
    const [ofLog, ofKeys] = [await place.firstEvent(), await keys.firstEvent()];
    if (ofLog !== undefined && ofKeys !== undefined && ofLog !== ofKeys) {
      findings.damage(`${keysName} is of another log`, advice.keys);
    }
    // Without a mark it takes all events, which the quick examination does not read.
    if (events !== undefined && (!quick || (await keys.mark()) !== undefined)) {
      const { loss } = await compareKeys(keys, events);
      if (loss !== undefined) findings.damage(`${keysName} ${loss}`, advice.keys);
    }
    if (quick) return { checked: findings.made('not one by one'), keys, isLocked: false };
    const customers = await keys.check((customer) =>
      findings.damage(`the key of customer ${customer} does not open`, advice.keys),
    );
    return { checked: findings.made(counted(customers, 'customer')), keys, isLocked: false };
  } catch (error) {
    await keys?.close();
    if (isKeyAbsent(config)) {
      return { checked: findings.leftOut(LOCKED), keys: undefined, isLocked: true };
    }
    findings.damage(`${keysName} cannot be used: ${reasonOf(error)}`, advice.keys);
    return { checked: findings.leftOut(reasonOf(error)), keys: undefined, isLocked: false };
  }
}

/** A file without a usable one has a finding of its own. */
function isKeyAbsent(config: Settings): boolean {
  try {
    return findMasterKey(config) === undefined;
  } catch {
    return false;
  }
}

type Erased = Pick<StoredEvent, 'tenantId' | 'stream'> &
  Pick<Examining, 'keys' | 'hostRuns' | 'advice'>;

/** Whether a requested erasure was finished, and its key is still destroyed. */
export async function checkErasure(
  findings: Findings,
  customer: Customer.Customer,
  { tenantId, stream, keys, hostRuns, advice }: Erased,
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

/** A key that does not open has its own finding. */
async function hasKey(keys: CustomerVault | undefined, subject: Subject): Promise<boolean> {
  try {
    return (await keys?.stateOf(subject)) === 'kept';
  } catch {
    return false;
  }
}
