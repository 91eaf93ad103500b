/** Makes or restores a backup, and kills itself at the given report of its progress. */
import { makeBackup, readBackup, restoreBackup } from '@counterfoil/engine/backup';
import { readConfig } from '@counterfoil/http-host/config';

const [verb, folder = '', lastReport] = process.argv.slice(2);
const config = readConfig(process.env);
let reports = 0;

function onProgress(): void {
  reports += 1;
  if (reports === Number(lastReport)) process.kill(process.pid, 'SIGKILL');
}

if (verb === 'backup') {
  await makeBackup(config, { folder, version: '1', madeAt: new Date().toISOString(), onProgress });
} else {
  const manifest = await readBackup(folder);
  await restoreBackup(config, { folder, manifest }, onProgress);
}
process.send?.(reports);
