/** The ledger of both processes: one PostgreSQL, one master key. An option selects the background work. */
import { type Ledger, openLedger } from '@counterfoil/engine';

export async function openShared({
  background,
}: {
  readonly background: boolean;
}): Promise<Ledger> {
  const { DATABASE_URL: url, MASTER_KEY: key = '' } = process.env;
  if (url === undefined) throw new Error('DATABASE_URL names the PostgreSQL of both processes');
  return openLedger({
    storage: { log: url, readModels: url },
    masterKey: Buffer.from(key, 'hex'),
    background,
  });
}
