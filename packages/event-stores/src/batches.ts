/** Bounds what one batch of a subscription holds: events are as large as their callers made them. */

/** Of their data, all together; one event more may pass it, so that each batch has one. */
export const MAX_BATCH_CHARACTERS = 32 * 2 ** 20;
