/** `counterfoil backup` and `counterfoil restore`: copies of a data folder. */
import { resolve } from 'node:path';
import { presentIn } from '@counterfoil/engine';
import {
  type Manifest,
  makeBackup,
  readBackup,
  refuseTaken,
  restoreBackup,
} from '@counterfoil/engine/backup';
import type { Command } from 'commander';
import { packageVersion } from '../package-version.ts';
import { type DoctorOptions, examineFolder, withDoctorOptions } from './doctor.ts';
import type { Session } from './session.ts';

const KEY_APART =
  'The master key is not in it. Without the key no secret and no personal data in it can be read: keep secrets.json, or MASTER_KEY, apart from it.';
const KEY_WITHIN = 'The master key is in it: whoever has the backup can read all of it.';

export function addBackupCommands(program: Command, session: Session): void {
  program
    .command('backup')
    .description(
      'Copy what cannot be made again of the data folder, beside a running host or without one',
    )
    .argument('<folder>', 'is made; it appears when the backup is whole')
    .option('--with-master-key', 'copy secrets.json too, which opens everything else')
    .action(async (folder: string, { withMasterKey = false }: { withMasterKey?: boolean }) => {
      const config = session.config();
      const manifest = await session.withProgress('Copying', (onProgress) =>
        makeBackup(config, {
          folder,
          withMasterKey,
          version: packageVersion(),
          madeAt: new Date(presentIn(config).nowMs).toISOString(),
          onProgress,
        }),
      );
      session.print({ folder: resolve(folder), ...manifest }, (console) => {
        console.log(`${resolve(folder)}: ${contentOf(manifest)}`);
        console.log(hasMasterKey(manifest) ? KEY_WITHIN : KEY_APART);
      });
    });
  const restore = program
    .command('restore')
    .description('Restore a backup into an empty DATA_DIR, and examine it')
    .argument('<backup>', 'the folder that `counterfoil backup` has made');
  withDoctorOptions(restore).action(async (folder: string, options: DoctorOptions) => {
    const config = session.config();
    refuseTaken(config);
    const manifest = await session.withProgress('Verifying', (onProgress) =>
      readBackup(folder, onProgress),
    );
    await session.withProgress('Restoring', (onProgress) =>
      restoreBackup(config, { folder, manifest }, onProgress),
    );
    session.say(`${config.dataDir}: ${contentOf(manifest)}, made ${manifest.madeAt}`);
    if (!hasMasterKey(manifest)) session.say(KEY_APART);
    const fields = { restored: manifest };
    await examineFolder(session, { ...options, hasReadModels: false, fields });
  });
}

function contentOf({ head, files }: Manifest): string {
  return `${files.length} files, the log up to position ${Number(head ?? 0)}`;
}

function hasMasterKey({ files }: Manifest): boolean {
  return files.some(({ name }) => name === 'secrets.json');
}
