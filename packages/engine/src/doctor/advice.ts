/** What to do about damage that is repaired differently in files and on servers. */
import { LOSS_ADVICE } from '../storage/lost-events.ts';

export interface Advice {
  /** Events that are missing, or are not what was appended. */
  readonly log: string;
  /** A log that ends too early, is another one, or is gone. */
  readonly loss: string;
  /** Events that this build cannot read. */
  readonly unknown: string;
  /** Keys of customers that are missing, or do not open. */
  readonly keys: string;
  /** Keys that exist again after they were destroyed. */
  readonly returnedKeys: string;
  /** Read models that have to be rebuilt. */
  readonly readModels: string;
}

export const ADVICE_ON_FILES: Advice = {
  log: 'Stop the host and copy the whole folder away before anything else. Restore events.db from the newest backup that the doctor finds sound, ask the gateway about what came after it, and have the disk examined. If events.db was just put back from a backup, an events.db-wal and -shm beside it belong to the file before it: remove both and examine it again.',
  loss: `The host refuses to start on it. Put the right events.db back, or the newest backup that the doctor finds sound (docs/operations.md, Restore). ${LOSS_ADVICE}`,
  unknown:
    'If a newer build of the host wrote it, run that build. Else treat it as damage: restore events.db from a backup.',
  keys: 'Stop the host and restore keys.db from the newest backup that the doctor finds sound. Without the keys it cannot be read who paid; amounts and books are not affected.',
  returnedKeys:
    'keys.db was put back from a backup made before the erasure. Stop the host, remove reactors.db, and start it: it repeats the erasures of the log.',
  readModels: 'Start the host, which rebuilds the read model from the log: nothing is lost.',
};

export const ADVICE_ON_SERVERS: Advice = {
  log: 'Stop the hosts and workers, and back up the log and the database as they are before anything else. Restore both from the newest backups that the doctor finds sound, ask the gateway about what came after them, and have the disks of the servers examined.',
  loss: 'No host starts on it. Put the log back that belongs to the database, or the newest backup of it that the doctor finds sound. If this log is to be taken as it is, drop the schemas counterfoil_read_models and counterfoil_host, but keep the table personal_keys: hosts make the others again.',
  unknown:
    'If a newer build of the host wrote it, run that build on all hosts. Else treat it as damage: restore the log from a backup.',
  keys: 'Restore the missing rows of counterfoil_host.personal_keys from the newest backup of the database, and only those: rows of persons who were erased stay as they are. Without the keys it cannot be read who paid; amounts and books are not affected.',
  returnedKeys:
    "counterfoil_host.personal_keys was put back from a backup made before the erasure. Stop the hosts, DELETE FROM counterfoil_host.places WHERE reactor = 'erasures', and start them: they repeat the erasures of the log.",
  readModels: 'counterfoil read-models rebuild, beside the hosts: nothing is lost.',
};
