/** The face of the slice, for the other slices. */
export type { CatchUp } from './catch-up.ts';
export type { GatewayEventParts } from './slice.ts';
export type { TakenEvents } from './taken-events.ts';
