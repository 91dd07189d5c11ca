/** Replaces secrets in responses and events. Sent back in an update, it keeps the stored secret. */
export const MASK = '*****';
