/** What is under examination, as every check sees it. */

import type { CustomerVault } from '../personal-keys/customer-keys.ts';
import type { Settings } from '../settings.ts';
import type { DataFiles } from '../storage/stores.ts';
import type { Advice } from './advice.ts';

/** What every check is told, wherever a host keeps what it keeps. */
export interface Examining {
  readonly config: Settings;
  /** Opens what events tell of persons; undefined where there are none that can be used. */
  readonly keys: CustomerVault | undefined;
  /** Whether a host is at work on it. */
  readonly hostRuns: boolean;
  /** Ids of the gateways that the host is given. */
  readonly gatewayIds: readonly number[];
  /** The quick examination reads what is small, and the newest of what is large. */
  readonly quick: boolean;
  /** Asked when it is needed: beside a running host the log grows while it is read. */
  readonly now: () => number;
  readonly advice: Advice;
  /** How far a long check has come. */
  readonly onProgress: (title: string, done: number, total: number) => void;
}

/** A host that keeps everything in files. */
export interface Examined extends Examining {
  readonly files: DataFiles;
}
