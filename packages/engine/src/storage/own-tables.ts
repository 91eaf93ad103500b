/** Opens the tables of the ledger's own, beside the log and the read models. */
import type { Pool } from 'pg';
import type { Logger } from '../logger.ts';
import type { Settings } from '../settings.ts';
import { openOrReplace } from './damaged-files.ts';
import { ownFile } from './stores.ts';

interface Beside {
  readonly settings: Settings;
  readonly stores: { readonly hostDatabase: { readonly pool: Pool } | undefined };
  readonly logger: Logger;
}

/** In the database of the hosts where there is one, and else in a file, which may be replaced. */
export function openOwn<Opened>(
  { settings, stores, logger }: Beside,
  file: 'activity' | 'checkpoints' | 'evidence' | 'mails' | 'users' | 'webhooks',
  open: (place: string | Pool) => Opened,
): Opened {
  const pool = stores.hostDatabase?.pool;
  return pool === undefined ? openOrReplace(ownFile(settings, file), open, logger) : open(pool);
}
