/** Messages between the host and its projection thread. */
import type {
  ProjectionMessage,
  ProjectionRequest,
  RebuildProgress,
} from '@counterfoil/projections';
import type { KeysOfThread } from '../../personal-keys/open-personal-keys.ts';
import type { EventLogSettings } from '../../storage/stores.ts';
import type { Part } from './filling.ts';

export interface ProjectionThreadData {
  readonly log: EventLogSettings;
  readonly readModelUrl: string;
  readonly shards?: number | undefined;
  readonly holder: string;
  readonly keys: KeysOfThread | undefined;
  /** Only fills these read models, and ends; default: prepares and follows all of them. */
  readonly rebuild?: Part;
}

export type FromThread =
  | ProjectionMessage
  /** The read models are prepared. Sent also for an empty log. */
  | { readonly type: 'started' }
  | { readonly type: 'rebuilding'; readonly progress: RebuildProgress };

export type ToThread = ProjectionRequest;
