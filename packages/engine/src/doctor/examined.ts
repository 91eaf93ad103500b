/** The examined place: a data folder, or a shared log and database. */
import type { ReadModelStore } from '@counterfoil/projections';
import type { PaymentGateway } from '../gateways/payment-gateway.ts';
import type { CustomerVault } from '../personal-keys/customer-keys.ts';
import type { Settings } from '../settings.ts';
import type { LogReader } from '../storage/lost-events.ts';
import type { Advice } from './advice.ts';
import type { Checked } from './finding.ts';

/** A SQLite database of its own, and what to do when it is damaged. */
export interface DatabaseFile {
  readonly path: string;
  /** One of its tables; absent for the log, whose own check says what the file is. */
  readonly table?: string;
  readonly advice: string;
}

/** Where the data is, and what differs there. Nothing of it is changed. */
export interface Place {
  /** Of a shared database: host, port and name. */
  readonly database?: string;
  /** Whether a process of the ledger runs on it. */
  readonly hostRuns: boolean;
  readonly advice: Advice;
  /** What the keys of customers are called in messages. */
  readonly keysName: string;
  checkFiles(): Checked;
  /** `unmarked`: it is not known whether the key is the right one. */
  masterKeyState(): Promise<'sound' | 'none' | 'lost' | 'wrong' | 'unmarked'>;
  /** Undefined where there are none. Throws where they cannot be opened. */
  openKeys(): Promise<CustomerVault | undefined>;
  /** The databases that SQLite can check. */
  databases(): readonly DatabaseFile[];
  /** Says that a restore into the place has not ended. */
  readonly unfinishedRestore?: string | undefined;
  /** The id of the first event of the log that belongs here; undefined where it was never kept. */
  firstEvent(): Promise<string | undefined>;
  /** How far the followers of the log and the read models have read it. */
  readers(): Promise<readonly LogReader[]>;
  /** Read-only. */
  openReadModels(): Promise<ReadModelStore>;
  close(): Promise<void>;
}

/** Input of every check. */
export interface Examining {
  readonly config: Settings;
  readonly place: Place;
  readonly advice: Advice;
  readonly hostRuns: boolean;
  /** Opens personal data in events; undefined where there are no usable keys. */
  readonly keys: CustomerVault | undefined;
  /** Whether what is sealed cannot be opened, since the master key is absent. */
  readonly isLocked: boolean;
  /** Ids of the gateways that the host is given. */
  readonly gatewayIds: readonly number[];
  /** Those of them that can be asked. */
  readonly gateways: readonly PaymentGateway[];
  /** Skips checks that read all events. */
  readonly quick: boolean;
  /** Milliseconds since the epoch. Asked when needed: beside a running host the log grows meanwhile. */
  readonly now: () => number;
  /** Progress of a long check. */
  readonly onProgress: (title: string, done: number, total: number) => void;
}
