/** The face of the storage: where a ledger keeps its data, and the tables of its own. */
export { ActivityStore } from '../activity/activity-store.ts';
export { openEvidence } from '../disputes/evidence-store.ts';
export { openPendingAnswers } from '../disputes/pending-answers.ts';
export {
  type Delivery,
  type DeliveryStore,
  type NewDelivery,
  type Outcome,
  openDeliveries,
} from '../webhooks/delivery-store.ts';
export { openCheckpoints } from './checkpoints.ts';
export { HostDatabaseError } from './host-database-error.ts';
export { mark, setMarkOnce } from './host-marks.ts';
export {
  type AnswersAbout,
  answersAbout,
  isAbout,
  isOpen,
  type KeptAnswer,
  type KeptAnswers,
  type KeptEntry,
  openKeptAnswers,
  openSharedAnswers,
} from './kept-answers.ts';
export { OPEN_TYPE } from './kept-answers-tables.ts';
export {
  type HostDatabase,
  type HostDatabaseOptions,
  openHostDatabase,
} from './open-host-database.ts';
export { RoundTrips } from './round-trips.ts';
export {
  EVENT_STORE_CLIENTS,
  EVENT_STORE_SCHEMES,
  type EventStoreClient,
  engineOf,
  fileOf,
  hostDatabaseUrlOf,
  isFile,
  isShared,
  openEventStore,
  openReadModels,
  READ_MODEL_SCHEMES,
} from './stores.ts';
