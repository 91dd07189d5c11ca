/** A failed start whose message says what is wrong and what to do. */
export class StartError extends Error {}
