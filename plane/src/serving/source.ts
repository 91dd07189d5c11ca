/** The positions that a server compares with its memory every second. */
export type Positions = {
  /** The id of the history that the revisions belong to. */
  epoch: string;
  /** The time of the source, which decides whether a token has expired. */
  now: string;
  /** The time of these positions, if the source is an older copy. */
  copyTakenAt?: string;
  tokenRevision: number;
  /** The origins whose pages may use the API for frontend SDKs. */
  origins: string[];
  environments: { environment: string; revision: number; completeSince: number }[];
};

/** The revisions that a server has in memory. A source that is behind them has lost changes. */
export type KnownRevisions = {
  /** The epoch of the revisions. Undefined before the first read. */
  epoch: string | undefined;
  tokenRevision: number;
  environments: ReadonlyMap<string, number>;
};

export type FeatureRow = {
  project: string;
  name: string;
  revision: number;
  /** The feature as SDKs get it, or null if it was removed. */
  document: string | null;
  segments: number[];
  tags: string[];
};

export type SegmentRow = { id: number; revision: number; document: string | null };

/** The rows of one environment that are newer than a revision, from one snapshot. */
export type Changes = {
  epoch: string;
  revision: number;
  /** Removals up to this revision may have been purged. */
  completeSince: number;
  features: FeatureRow[];
  segments: SegmentRow[];
};

export type TokenRow = {
  id: number;
  /** SHA-256 of the token, as hexadecimal digits. */
  hash: string;
  type: string;
  environment: string | null;
  /** Sorted. Null for all projects. */
  projects: string[] | null;
  /** Milliseconds since 1970. Null if it never expires. */
  expiresAt: number | null;
};

/** Tokens, with their epoch and revision, from one snapshot. */
export type FoundTokens = {
  epoch: string;
  revision: number;
  tokens: TokenRow[];
  /** Hashes of the tokens that ended most recently or, in a lookup, of the requested tokens that ended. */
  ended: string[];
};

/** The maximum number of hashes of ended tokens that a source returns. */
export const MAX_ENDED_TOKENS = 1_000;

/** The maximum number of tokens that a source returns, and that a server has in memory from its start. */
export const MAX_TOKENS = 20_000;

/** Where the data for SDKs comes from: a database or, for a server without one, a different server. */
export type Source = {
  /** Reads the current positions. If the source has lost revisions that the server has, the positions belong to a new epoch. */
  positions: (knownRevisions: KnownRevisions) => Promise<Positions>;
  /** Reads the rows of an environment that are newer than a revision. Revision 0 reads all rows. */
  changes: (environment: string, afterRevision: number) => Promise<Changes>;
  /** Reads the valid tokens, most recently used first. */
  tokens: () => Promise<FoundTokens>;
  /** Reads the valid tokens among those with these hashes. */
  findTokens: (hashes: string[]) => Promise<FoundTokens>;
  /** Reports the ids of tokens that were used since the last call. */
  reportUses: (tokens: number[]) => Promise<void>;
  /**
   * Returns whether the source has lost the revision that a client has, or the tokens that an edge has. Returns false if the
   * source does not respond.
   */
  isLost: (epoch: string, environment: string, revision: number, tokenRevision?: number) => Promise<boolean>;
};

/** Calls the function after every change. Returns a function that unsubscribes. */
export type Listen = (onChange: () => void, onError: (error: Error) => void) => () => Promise<void>;
