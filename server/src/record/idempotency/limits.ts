/** A response with a larger body is not stored. */
export const MAX_STORED_BODY_BYTES = 65_536;

/** The maximum total size of the bodies that are stored for one caller within 24 hours. */
export const MAX_STORED_BYTES = 67_108_864;

/** The maximum number of keys that one caller can use within 24 hours. */
export const MAX_KEYS = 100_000;
