/** Backups of a data folder, for the command line and for programs. */
export { BackupError } from './backup-files.ts';
export { type BackupOptions, makeBackup } from './make-backup.ts';
export { type Manifest, readBackup } from './manifest.ts';
export { refuseTaken, restoreBackup } from './restore-backup.ts';
