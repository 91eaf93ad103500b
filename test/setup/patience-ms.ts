/** Shorter than the time after which a test counts as hanging, so that the wait is named. */
export const PATIENCE_MS = 60_000;
