/** What a bundler has to know of the ledger: its worker threads, its templates, its optional packages. */
import { fileURLToPath } from 'node:url';
import { writerFile } from '@counterfoil/event-stores/sqlite';
import { activityWorkerFile } from './activity/index.ts';
import { projectionWorkerFile } from './runtime/projecting/projecting.ts';

/** Entry points beside one's own, by the names that the bundle looks for in its own folder. */
export const workerEntries: Readonly<Record<string, string>> = {
  'writer-worker': writerFile(),
  'projection-worker': projectionWorkerFile(),
  'activity-worker': activityWorkerFile(),
};

/** Packages that are imported only where a ledger needs them: keep them external. */
export const optionalPackages: readonly string[] = [
  '@eventstore/db-client',
  '@kurrent/kurrentdb-client',
  'pg-native',
];

/** A folder to be copied beside the bundle as `templates`, where the ledger sends mails. */
export const mailTemplatesFolder: string = fileURLToPath(
  new URL('./mail/templates', import.meta.url),
);
