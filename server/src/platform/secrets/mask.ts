/** Replaces secrets in responses and events. An update that sends the mask back keeps the stored secret. */
export const MASK = '*****';
