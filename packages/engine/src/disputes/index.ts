/** The face of the slice, for the other slices. */
export type { DisputeIntake, DisputeReport } from './intake.ts';
export type { DisputeParts } from './slice.ts';
