/** How long a code works. The browser delivers it to the client within a second. */
export const CODE_SECONDS = 60;

/** How long an agent's access token works before the client must refresh it. */
export const ACCESS_SECONDS = 3_600;

/** How long a user has to enter a user code, and the polling intervals of the client, in seconds. */
export const DEVICE_CODE_TIMING = { seconds: 600, interval: 5, slowDown: 5, maxInterval: 60 } as const;

/** The maximum number of clients that wait for a user code. A client needs no authentication to start waiting. */
export const DEVICE_CODE_LIMITS = { perNetwork: 20, total: 10_000 } as const;

/** The maximum number of wrong codes that one user may enter. There are 25,600,000,000 possible codes. */
export const GUESS_LIMIT = { max: 10, minutes: 10 } as const;

export const MAX_QUERY_LENGTH = 8_000;
export const MAX_STATE_LENGTH = 2_000;
export const MAX_CLIENT_ID_LENGTH = 2_000;
export const MAX_CLIENT_NAME_LENGTH = 100;
export const MAX_REDIRECT_URIS = 10;
export const MAX_REDIRECT_URI_LENGTH = 500;

/** How long a client's document is cached, how many documents are cached, and how long reading a document may take. */
export const DOCUMENT_LIMITS = { minutes: 10, maxCached: 1_000, timeoutMs: 5_000 } as const;

/**
 * The maximum number of documents that the server reads for one user. Without a limit, any user could make the server
 * flood other servers.
 */
export const DOCUMENT_READ_LIMIT = { max: 30, minutes: 10 } as const;
