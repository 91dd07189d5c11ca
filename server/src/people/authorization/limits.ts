/** A code goes from the browser to the program within a second. */
export const CODE_SECONDS = 60;

/** How long an access token of an agent works before the program must refresh it. */
export const ACCESS_SECONDS = 3_600;

/** How long a person has to enter a user code, and how often the program asks meanwhile. */
export const DEVICE = { seconds: 600, interval: 5, slowDown: 5, maxInterval: 60 } as const;

/** Programs that wait for a user code at a time. Anybody can start one. */
export const DEVICE_CODES = { perNetwork: 20, total: 10_000 } as const;

/** Wrong user codes of one person. A code is one of 25,600,000,000. */
export const GUESSES = { max: 10, minutes: 10 } as const;

export const MAX_QUERY_LENGTH = 8_000;
export const MAX_STATE_LENGTH = 2_000;
export const MAX_CLIENT_ID_LENGTH = 2_000;
export const MAX_CLIENT_NAME_LENGTH = 100;
export const MAX_REDIRECT_URIS = 10;
export const MAX_REDIRECT_URI_LENGTH = 500;

/** How long the document of a client is kept in memory, how many are kept, and how long reading one may take. */
export const DOCUMENTS = { minutes: 10, kept: 1_000, timeoutMs: 5_000 } as const;

/** Documents that the server reads for one person. Without a limit, any user could make the server flood other servers. */
export const READS = { max: 30, minutes: 10 } as const;
