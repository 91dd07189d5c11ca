/** A response with a larger body, in bytes, is not stored. */
export const MAX_STORED_BODY = 65_536;

/** Bodies that one caller can store within 24 hours, in bytes. */
export const MAX_STORED_BYTES = 67_108_864;

/** Keys that one caller can use within 24 hours. */
export const MAX_KEYS = 100_000;
