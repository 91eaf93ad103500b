/** What to do about damage that looks the same in files and on servers, and is mended differently. */
export interface Advice {
  /** Events that are missing, or are not what was appended. */
  readonly log: string;
  /** Events that this build cannot make out. */
  readonly unknown: string;
  /** Keys of customers that are missing, or do not open. */
  readonly keys: string;
  /** Keys that are there again after they were destroyed. */
  readonly returnedKeys: string;
  /** Read models that are to be made anew. */
  readonly readModels: string;
}

export const ADVICE_ON_FILES: Advice = {
  log: 'Stop the host and copy the whole folder away before anything else. Restore events.db from the newest backup that the doctor finds sound, ask the gateway about what came after it, and have the disk examined.',
  unknown:
    'If a newer build of the host wrote it, run that build. Else treat it as damage: restore events.db from a backup.',
  keys: 'Stop the host and restore keys.db from the newest backup that the doctor finds sound. Without the keys nobody can read who paid; amounts and books are not touched by it.',
  returnedKeys:
    'keys.db was put back from a backup made before the erasure. Stop the host, remove reactors.db, and start it: it erases again whoever the log says is erased.',
  readModels:
    'Start the host, which makes the read model anew. The log is the truth: nothing is lost.',
};

export const ADVICE_ON_SERVERS: Advice = {
  log: 'Stop the hosts and workers, and back up the log and the database as they are before anything else. Restore both from the newest backups that the doctor finds sound, ask the gateway about what came after them, and have the disks of the servers examined.',
  unknown:
    'If a newer build of the host wrote it, run that build on all hosts. Else treat it as damage: restore the log from a backup.',
  keys: 'Restore the missing rows of counterfoil_host.personal_keys from the newest backup of the database, and only those: rows of persons who were erased stay as they are. Without the keys nobody can read who paid; amounts and books are not touched by it.',
  returnedKeys:
    "counterfoil_host.personal_keys was put back from a backup made before the erasure. Stop the hosts, DELETE FROM counterfoil_host.places WHERE reactor = 'erasures', and start them: they erase again whoever the log says is erased.",
  readModels:
    'counterfoil read-models rebuild, beside the hosts. The log is the truth: nothing is lost.',
};
