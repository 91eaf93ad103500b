/** Limits the memory of one batch of a subscription: events can be large. */

/** Total size of the data of a batch's events. The last event may exceed it, so that no batch is empty. */
export const MAX_BATCH_CHARACTERS = 32 * 2 ** 20;
