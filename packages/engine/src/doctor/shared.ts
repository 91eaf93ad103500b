/** The shared log and database as an examined place. */
import { existsSync } from 'node:fs';
import { latest, PROJECTIONS, PROJECTIONS_LEASE } from '@counterfoil/projections';
import type { Pool } from 'pg';
import { KEY_TABLE } from '../personal-keys/key-rows.ts';
import { wrappingKeyOf } from '../personal-keys/open-personal-keys.ts';
import { PersonalKeyTable } from '../personal-keys/personal-key-table.ts';
import { LEADERSHIP } from '../runtime/leadership.ts';
import { findMasterKey, markOfMasterKey, type Settings, secretsFileIn } from '../settings.ts';
import { mark } from '../storage/host-marks.ts';
import type { LogReader } from '../storage/lost-events.ts';
import { openHostDatabaseToRead } from '../storage/open-host-database.ts';
import { fileOf, isFile, openReadModels } from '../storage/stores.ts';
import { ADVICE_ON_SERVERS } from './advice.ts';
import type { Place } from './examined.ts';
import { Findings } from './finding.ts';
import { findReadable } from './folder.ts';

const LEASES = 'counterfoil_read_models.leases';
/** What the leases begin with that a host or a worker holds for as long as it runs. */
const HELD = [LEADERSHIP, `${PROJECTIONS_LEASE}/`];

export async function sharedPlace(config: Settings, url: string): Promise<Place> {
  const { pool, place, hasTables, close } = await openHostDatabaseToRead(url);
  const markOf = async (name: string) => (hasTables ? mark(pool, name) : undefined);
  return {
    database: place,
    hostRuns: await isLeased(pool),
    advice: ADVICE_ON_SERVERS,
    keysName: KEY_TABLE,
    checkFiles() {
      const findings = new Findings('files');
      if (!hasTables) {
        findings.warn(
          `${place}: no host has ever started on this database`,
          'Nothing, if that is so. Else set READ_MODEL_URL to the database of the hosts, or restore it from a backup.',
        );
      }
      const secrets = secretsFileIn(config.dataDir);
      if (!existsSync(secrets)) return findings.leftOut(`everything is kept in ${place}`);
      findReadable(findings, secrets, 'the master key');
      return findings.made(secrets);
    },
    async masterKeyState() {
      const kept = await markOf('master-key');
      const key = findMasterKey(config);
      if (kept === undefined) return hasTables ? 'unmarked' : 'none';
      if (key === undefined) return 'lost';
      return kept === markOfMasterKey(key) ? 'sound' : 'wrong';
    },
    async openKeys() {
      if (!hasTables) return undefined;
      const masterKey = findMasterKey(config);
      if (masterKey === undefined) throw new Error('there is no master key to open them');
      return new PersonalKeyTable({ pool, wrappingKey: wrappingKeyOf(masterKey), readOnly: true });
    },
    databases() {
      const path = fileOf(config.eventStoreUrl);
      return path !== undefined && isFile(path) ? [{ path, advice: ADVICE_ON_SERVERS.log }] : [];
    },
    firstEvent: () => markOf('first-event'),
    readers: async () => [
      ...(hasTables ? await followersIn(pool) : []),
      ...(await readModelsIn(config.readModelUrl)),
    ],
    openReadModels: () => openReadModels(config.readModelUrl, { readOnly: true }),
    close,
  };
}

/** Whether a host or a worker runs: it renews its leases. */
async function isLeased(pool: Pool): Promise<boolean> {
  const { rows: found } = await pool.query<{ made: boolean }>(
    `SELECT to_regclass('${LEASES}') IS NOT NULL AS made`,
  );
  if (found[0]?.made !== true) return false;
  const { rows } = await pool.query<{ held: boolean }>(
    `SELECT EXISTS (
       SELECT FROM ${LEASES} JOIN unnest($1::text[]) held ON starts_with(name, held) WHERE expires_ms > $2
     ) AS held`,
    [HELD, Date.now()],
  );
  return rows[0]?.held === true;
}

async function followersIn(pool: Pool): Promise<readonly LogReader[]> {
  const { rows } = await pool.query<LogReader>(
    `SELECT reactor || ' (in counterfoil_host.places)' AS name, position
     FROM counterfoil_host.places ORDER BY reactor`,
  );
  return rows;
}

/** Those that cannot be read have findings of their own. */
async function readModelsIn(url: string): Promise<readonly LogReader[]> {
  const store = await openReadModels(url, { readOnly: true }).catch(() => undefined);
  if (store === undefined) return [];
  const readers = PROJECTIONS.map(async ({ name }): Promise<readonly LogReader[]> => {
    const position = latest((await (await store.live(name))?.checkpoints()) ?? []);
    return position === undefined ? [] : [{ name: `the read model ${name}`, position }];
  });
  const read = await Promise.allSettled(readers);
  await store.close();
  return read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}
