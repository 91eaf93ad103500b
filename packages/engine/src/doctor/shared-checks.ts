/** The checks of what hosts share that are made otherwise than in a data folder. */

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, Position } from '@counterfoil/core';
import { PROJECTIONS, type ReadModelStore } from '@counterfoil/projections';
import type { Pool } from 'pg';
import { counted } from '../counted.ts';
import { KEY_TABLE } from '../personal-keys/key-rows.ts';
import { compareKeys, firstEventOf } from '../personal-keys/keys-and-log.ts';
import { wrappingKeyOf } from '../personal-keys/open-personal-keys.ts';
import { PersonalKeyTable } from '../personal-keys/personal-key-table.ts';
import { LEADERSHIP } from '../runtime/leadership.ts';
import { findMasterKey, markOfMasterKey, secretsFileIn } from '../settings.ts';
import { type HostDatabase, mark } from '../storage/host-database.ts';
import type { Examining } from './examined.ts';
import { type Checked, Findings, reasonOf } from './finding.ts';
import { findReadable, MASTER_KEY_ADVICE } from './folder.ts';
import { ANOTHER, beyond, endOf, lossOf, type Witness } from './lost-events.ts';
import type { CheckedKeys } from './personal-keys.ts';

export interface Shared extends Examining {
  readonly database: HostDatabase;
}

const LEASES = 'counterfoil_read_models.leases';
/** What a host or a worker holds for as long as it runs. */
const HELD = [LEADERSHIP, 'projections'];

/** Whether a host or a worker is at work: it renews its leases. */
export async function hostRunsOn(pool: Pool): Promise<boolean> {
  const { rows: found } = await pool.query<{ made: boolean }>(
    `SELECT to_regclass('${LEASES}') IS NOT NULL AS made`,
  );
  if (found[0]?.made !== true) return false;
  const { rows } = await pool.query<{ held: boolean }>(
    `SELECT EXISTS (SELECT FROM ${LEASES} WHERE name = ANY($1) AND expires_ms > $2) AS held`,
    [HELD, Date.now()],
  );
  return rows[0]?.held === true;
}

/** Of files there is at most the one with the master key. */
export function checkOwnFiles({ config, database }: Pick<Shared, 'config' | 'database'>): Checked {
  const findings = new Findings('files');
  const secrets = secretsFileIn(config.dataDir);
  if (!existsSync(secrets)) return findings.leftOut(`everything is kept in ${database.place}`);
  findReadable(findings, secrets, { holds: 'the master key', advice: `chmod 600 ${secrets}` });
  return findings.made(secrets);
}

/** Whether the key at hand is the one that the data of all hosts was made under. */
export async function checkSharedMasterKey({
  config,
  database,
}: Pick<Shared, 'config' | 'database'>): Promise<Checked> {
  const findings = new Findings('master-key');
  const kept = await mark(database.pool, 'master-key');
  try {
    const key = findMasterKey(config);
    if (kept === undefined) {
      findings.warn(
        `${database.place} has no mark of a master key: a wrong one would not be noticed`,
        'The next start makes it for the key at hand: make sure first that it is the right one.',
      );
    } else if (key === undefined) {
      findings.damage('the master key of the data is missing', MASTER_KEY_ADVICE);
    } else if (kept !== markOfMasterKey(key)) {
      findings.damage('the data was made under another master key', MASTER_KEY_ADVICE);
    }
  } catch (error) {
    findings.damage(reasonOf(error), MASTER_KEY_ADVICE);
  }
  return findings.made(config.masterKey === undefined ? 'secrets.json' : 'MASTER_KEY');
}

/** Whether the keys of customers are there, of this log, and open. */
export async function checkSharedKeys(
  { config, database, quick, advice }: Omit<Shared, 'keys'>,
  events: EventStore | undefined,
): Promise<CheckedKeys> {
  const findings = new Findings('personal-keys');
  const { pool } = database;
  try {
    const masterKey = findMasterKey(config);
    if (masterKey === undefined) {
      return { checked: findings.leftOut('there is no master key to open them'), keys: undefined };
    }
    const wrappingKey = wrappingKeyOf(masterKey);
    const keys = new PersonalKeyTable({ pool, wrappingKey, readOnly: true });
    if (events !== undefined) {
      const { loss } = await compareKeys(keys, events);
      if (loss !== undefined) findings.damage(`${KEY_TABLE} ${loss}`, advice.keys);
    }
    const [ofHosts, ofKeys] = [await mark(pool, 'first-event'), await keys.firstEvent()];
    if (ofHosts !== undefined && ofKeys !== undefined && ofHosts !== ofKeys) {
      findings.damage(`${KEY_TABLE} is of another log`, advice.keys);
    }
    if (quick) return { checked: findings.made('not one by one'), keys };
    const customers = await keys.check((customer) =>
      findings.damage(`the key of customer ${customer} does not open`, advice.keys),
    );
    return { checked: findings.made(counted(customers, 'key')), keys };
  } catch (error) {
    findings.damage(`${KEY_TABLE} cannot be used: ${reasonOf(error)}`, advice.keys);
    return { checked: findings.leftOut(reasonOf(error)), keys: undefined };
  }
}

/** A server of the log may be behind the others for a moment. */
const LOOKS = 10;
const LOOK_PAUSE_MS = 500;

const LOST_ADVICE =
  'No host starts on it. Put the log back that belongs to the database, or the newest backup of it that the doctor finds sound. If this log is to be taken as it is, drop the schemas counterfoil_read_models and counterfoil_host, but keep the table personal_keys: hosts make the others again.';

interface SeenLog {
  /** Undefined where there is none. */
  readonly events: EventStore | undefined;
  /** Undefined where they cannot be asked. */
  readonly readModels: ReadModelStore | undefined;
}

/** Whether the log still has everything that was once read from it, and is the same log. */
export async function checkSharedLoss(
  { database }: Pick<Shared, 'database'>,
  { events, readModels }: SeenLog,
): Promise<Checked> {
  const findings = new Findings('loss');
  const witnesses = [
    ...(await placesIn(database)),
    ...(await checkpointsOf(readModels, (reason) =>
      findings.warn(
        `${reason}; it cannot tell how far the log once went`,
        'See what is said of the read models.',
      ),
    )),
  ];
  const kept = await mark(database.pool, 'first-event');
  if (events === undefined) {
    if (witnesses.length > 0 || kept !== undefined) {
      findings.damage(`there is no log, and ${database.place} was filled from one`, LOST_ADVICE);
    }
    return findings.leftOut('there is no log');
  }
  const head = await headReaching(events, witnesses);
  for (const witness of beyond(witnesses, head)) {
    findings.damage(lossOf({ ...witness, head }), LOST_ADVICE);
  }
  if (kept !== undefined && kept !== (await firstEventOf(events))) {
    findings.damage(ANOTHER, LOST_ADVICE);
  }
  return findings.made(
    `head ${endOf(head)}, ${counted(witnesses.length, 'place')} up to which it was read`,
  );
}

async function headReaching(
  events: EventStore,
  witnesses: readonly Witness[],
): Promise<Position | undefined> {
  for (let look = 1; ; look += 1) {
    const head = await events.head();
    if (look === LOOKS || beyond(witnesses, head).length === 0) return head;
    await sleep(LOOK_PAUSE_MS);
  }
}

async function placesIn({ pool }: HostDatabase): Promise<readonly Witness[]> {
  const { rows } = await pool.query<{ reactor: string; position: Position }>(
    'SELECT reactor, position FROM counterfoil_host.places ORDER BY reactor',
  );
  return rows.map(({ reactor, position }) => ({
    path: `${reactor} (in counterfoil_host.places)`,
    position,
  }));
}

async function checkpointsOf(
  readModels: ReadModelStore | undefined,
  onSilent: (reason: string) => void,
): Promise<readonly Witness[]> {
  const witnesses: Witness[] = [];
  for (const { name } of readModels === undefined ? [] : PROJECTIONS) {
    try {
      const position = await (await readModels?.live(name))?.checkpoint();
      if (position !== undefined) witnesses.push({ path: `the read model ${name}`, position });
    } catch (error) {
      onSilent(`the read model ${name}: ${reasonOf(error)}`);
    }
  }
  return witnesses;
}
