/** The story of a subscription: started by an order, billed by its plan, frozen, ended. */

export type { Command, CommandOf, Rejection } from './command.ts';
export * from './dates.ts';
export {
  AUTHENTICATION_REQUIRED,
  begins,
  CARD_REMOVED,
  decide,
  INSUFFICIENT_FUNDS,
  streamOf,
} from './decide.ts';
export {
  type Event,
  type EventOf,
  events,
  FreezeReason,
  NOT_ASKED,
  type NotAsked,
  UnsubscribeReason,
} from './events.ts';
export * from './plan.ts';
export * from './schedule.ts';
export * from './state.ts';
