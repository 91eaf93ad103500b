/** The folder under examination, as every check sees it. */
import type { Config } from '../config.ts';
import type { CustomerVault } from '../operations/customer-keys.ts';
import type { DataFiles } from '../stores.ts';

/** What every check is told of the folder. */
export interface Examined {
  readonly config: Config;
  readonly files: DataFiles;
  /** Opens what events tell of persons; undefined where there are none that can be used. */
  readonly keys: CustomerVault | undefined;
  /** Whether a host has the log open for writing. */
  readonly hostRuns: boolean;
  /** The quick examination reads what is small, and the newest of what is large. */
  readonly quick: boolean;
  readonly nowMs: number;
  /** How far a long check has come. */
  readonly onProgress: (title: string, done: number, total: number) => void;
}
