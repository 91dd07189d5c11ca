/** The positions that a server compares with its memory every second. */
export type Positions = {
  /** The id of the history that the numbers belong to. */
  epoch: string;
  /** The time of the source, which decides whether a token has expired. */
  now: string;
  /** The time of these positions, if the source is an older copy. */
  asOf?: string;
  tokenRevision: number;
  /** The origins whose pages may use the API for frontend SDKs. */
  origins: string[];
  environments: { environment: string; revision: number; completeSince: number }[];
};

/** The revisions that a server has in memory. A source that is behind them has lost changes. */
export type Known = {
  /** The epoch of the revisions. Undefined before the first read. */
  epoch: string | undefined;
  tokenRevision: number;
  environments: ReadonlyMap<string, number>;
};

export type FeatureRow = {
  project: string;
  name: string;
  revision: number;
  /** The feature as SDKs get it. Null: the feature was removed. */
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
  /** Sorted. Null: all projects. */
  projects: string[] | null;
  /** Milliseconds since 1970. Null: never. */
  expiresAt: number | null;
};

/** Tokens, with their epoch and revision, from one snapshot. */
export type FoundTokens = {
  epoch: string;
  revision: number;
  tokens: TokenRow[];
  /** Hashes of the tokens that ended most recently or, in a lookup, of those among the given ones that ended. */
  ended: string[];
};

/** Hashes of ended tokens that a source returns. */
export const MAX_ENDED_TOKENS = 1_000;

/** The maximum number of tokens that a source returns, and that a server has in memory from its start. */
export const MAX_TOKENS = 20_000;

/** The source of what SDKs may see: a database or, for a server without a database, a different server. */
export type Source = {
  /** The current positions. If the source has lost revisions that the server has, they belong to a new epoch. */
  positions: (known: Known) => Promise<Positions>;
  /** What is newer than a revision in an environment. 0: everything. */
  changes: (environment: string, after: number) => Promise<Changes>;
  /** The valid tokens. Those that were used last come first. */
  tokens: () => Promise<FoundTokens>;
  /** The valid tokens among those with these hashes. */
  findTokens: (hashes: string[]) => Promise<FoundTokens>;
  /** Takes the ids of tokens that were used since the last report. */
  reportUses: (tokens: number[]) => Promise<void>;
  /**
   * Whether the source has lost the revision that a client has, or the tokens that an edge has. False if the source does not
   * respond.
   */
  isLost: (epoch: string, environment: string, revision: number, tokenRevision?: number) => Promise<boolean>;
};

/** Calls back after every change. Returns a function that unsubscribes. */
export type Listen = (onChange: () => void, onError: (error: Error) => void) => () => Promise<void>;
