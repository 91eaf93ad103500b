/** The face of the slice, for the other slices. */
export { type Activity, type ActivityRecord, type Outcome, subjectText } from './activity.ts';
export type { ActivityLog } from './activity-log.ts';
export { activityWorkerFile } from './activity-writer.ts';
export { type Performer, recordedRun } from './recording.ts';
export type { ActivityParts } from './slice.ts';
