import { hash } from 'node:crypto';
import { makeShares } from '../../platform/admission/shares.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { ApiError } from '../../platform/errors.ts';
import { isForged } from '../../platform/token.ts';
import { type FoundTokens, MAX_TOKENS, type Source, type TokenRow } from '../source.ts';

const MAX_TOKEN_LENGTH = 512;
/**
 * Lookups of unknown tokens, by the network that sends them. One network gets at most half of the lookups, so that random tokens
 * from it do not delay the first request with a real token from a different network. Further lookups are rejected with 503.
 */
const LOOKUPS = { capacity: 4, share: 0.5, waiting: 500, waitingPerCaller: 60, waitMs: 5_000 };
const LOOKUP_ATTEMPTS = 2;
/** How long the server remembers that a token is unknown before it looks the token up again, and how many it remembers. */
const UNKNOWN_MS = 1_000;
const MAX_UNKNOWN = 10_000;
/** Clients choose filters freely, so a token keeps only a few scopes. */
const MAX_DERIVED = 8;

/** A valid API token. As long as it is valid, the object stays the same, although its projects can change. */
export type SdkToken = {
  readonly id: number;
  readonly hash: string;
  readonly type: string;
  readonly environment: string | null;
  /** Sorted. Undefined for all projects. */
  projects: readonly string[] | undefined;
  /** Milliseconds since 1970, by the clock of the source. Infinity if it never expires. */
  expiresAt: number;
  /** Whether the token was revoked, or lost its last project. */
  ended: boolean;
  /** Whether the token was used since its last use was reported. */
  used: boolean;
  /** Values derived from the projects, cleared when the projects change. */
  readonly derived: Map<string, unknown>;
};

export type Tokens = {
  /** Returns the token if it is in memory, which takes one hash and no query. */
  findCached: (text: string) => SdkToken | undefined;
  /** Looks the token up in the source, unless its format shows that it is invalid. Throws 503 if the source does not respond. */
  lookUp: (text: string, network: string) => Promise<SdkToken | undefined>;
  /**
   * Returns the valid token with this hash from memory or, if it is not there, from the source. Throws 503 if the source does not
   * respond.
   */
  find: (hash: string, network: string) => Promise<SdkToken | undefined>;
  /** Whether the token is still valid. */
  isValid: (token: SdkToken) => boolean;
  /** Returns the token in memory with this hash, even if it is no longer valid. */
  get: (hash: string) => SdkToken | undefined;
  /** The tokens in memory. */
  all: () => Iterable<SdkToken>;
  /** Hashes of the tokens that ended most recently. */
  readonly ended: ReadonlySet<string>;
  /** Returns whether the token with this hash is known to have been revoked or expired. Does not query the source. */
  hasEnded: (hash: string) => boolean;
  readonly size: number;
  /** Reads all tokens, and updates those in memory accordingly. */
  reload: () => Promise<void>;
  /** The epoch and the revision of the tokens in memory. Undefined and -1 before the first read. */
  readonly epoch: string | undefined;
  readonly revision: number;
  /** The time of the source, in milliseconds since 1970. */
  now: () => number;
  /** Sets the clock to the source's time, which all servers share. */
  setClock: (now: number) => void;
  /** Reports to the source which tokens were used since the last call. */
  writeUses: () => Promise<void>;
};

export function makeTokens(source: Source): Tokens {
  const tokens = new Map<string, SdkToken>();
  const unknownTokens = new BoundedMap<string, { retryAt: number; hasEnded: boolean }>(MAX_UNKNOWN);
  const lookups = makeShares(LOOKUPS, () => unavailable());
  /** The running queries by hash. Simultaneous requests with the same token share one query. */
  const queries = new Map<string, Promise<SdkToken | undefined>>();
  let epoch: string | undefined;
  let revision = -1;
  let clockOffset = 0;
  let ended: ReadonlySet<string> = new Set();

  const now = () => Date.now() + clockOffset;
  const isValid = (token: SdkToken) => !token.ended && token.expiresAt > now();

  const findCached = (text: string): SdkToken | undefined => {
    const token = tokens.get(hash('sha256', text));
    return token && isValid(token) ? token : undefined;
  };

  /** Returns undefined for a token without projects, because an empty list would look as if all features were removed. */
  const store = (row: TokenRow): SdkToken | undefined => {
    const existing = tokens.get(row.hash);
    // After a restore, the same secret can belong to a different token if an environment variable defines the secret.
    const token = existing?.id === row.id && existing.environment === row.environment ? existing : undefined;
    const projects = row.projects ?? undefined;
    const expiresAt = row.expiresAt ?? Number.POSITIVE_INFINITY;
    if (projects?.length === 0 && row.type !== 'admin') return undefined;
    if (token) {
      token.expiresAt = expiresAt;
      if (token.projects?.join() !== projects?.join()) {
        token.projects = projects;
        token.derived.clear();
      }
      return token;
    }
    const { id, type, environment } = row;
    const fields = { id, hash: row.hash, type, environment, projects, expiresAt };
    const newToken: SdkToken = { ...fields, ended: false, used: false, derived: new BoundedMap(MAX_DERIVED) };
    if (existing) existing.ended = true;
    tokens.set(row.hash, newToken);
    return newToken;
  };

  const reload = async (): Promise<void> => {
    const result = await source.tokens();
    const otherTokens = result.tokens.length < MAX_TOKENS ? [] : await findOthers(result);
    // While this reload was reading, another one may have read newer tokens. In a new epoch, revisions start over.
    if (result.epoch === epoch && result.revision < revision) return;
    epoch = result.epoch;
    revision = result.revision;
    unknownTokens.clear();
    ended = new Set(result.ended);
    const valid = new Set([...result.tokens, ...otherTokens].map(store));
    for (const token of tokens.values()) {
      if (valid.has(token)) continue;
      token.ended = true;
      tokens.delete(token.hash);
    }
  };

  /** Reads the valid tokens in memory that the source did not list, because it lists at most 20,000. */
  const findOthers = async (listedTokens: FoundTokens): Promise<TokenRow[]> => {
    const listedHashes = new Set(listedTokens.tokens.map(({ hash: key }) => key));
    const otherHashes = [...tokens.keys()].filter(key => !listedHashes.has(key));
    const otherTokens: TokenRow[] = [];
    for (let offset = 0; offset < otherHashes.length; offset += MAX_TOKENS) {
      const result = await source.findTokens(otherHashes.slice(offset, offset + MAX_TOKENS));
      if (result.epoch !== listedTokens.epoch) throw new Error('The epoch changed while tokens were read');
      otherTokens.push(...result.tokens);
    }
    return otherTokens;
  };

  const queryToken = async (key: string): Promise<SdkToken | undefined> => {
    const result = await readCurrent(key);
    const token = result.tokens.map(store)[0];
    if (!token)
      unknownTokens.set(key, { retryAt: Date.now() + UNKNOWN_MS, hasEnded: result.ended.includes(key) });
    return token;
  };

  /**
   * Reads a token that is at least as recent as the tokens in memory. A read that began before a reload may return a token
   * that has been revoked since.
   */
  const readCurrent = async (key: string): Promise<FoundTokens> => {
    for (let attempt = 1; attempt <= LOOKUP_ATTEMPTS; attempt++) {
      const result = await source.findTokens([key]);
      if (epoch === undefined || (result.epoch === epoch && result.revision >= revision)) return result;
      if (result.epoch !== epoch) await reload();
    }
    throw unavailable();
  };

  const hasEnded = (key: string): boolean => {
    const token = tokens.get(key);
    return token ? !isValid(token) : ended.has(key) || unknownTokens.get(key)?.hasEnded === true;
  };

  const withLookup = async <T>(network: string, work: () => Promise<T>): Promise<T> => {
    const release = await lookups.acquire(network);
    try {
      return await work();
    } finally {
      release();
    }
  };

  const lookUp = async (text: string, network: string): Promise<SdkToken | undefined> => {
    if (text.length > MAX_TOKEN_LENGTH || text.startsWith('user:') || isForged(text)) return undefined;
    return await lookUpHash(hash('sha256', text), network);
  };

  const isUnknown = (key: string): boolean => (unknownTokens.get(key)?.retryAt ?? 0) > Date.now();

  const queryOnce = (key: string): Promise<SdkToken | undefined> => {
    const running = queries.get(key);
    if (running !== undefined) return running;
    const query = queryToken(key).finally(() => queries.delete(key));
    queries.set(key, query);
    return query;
  };

  const lookUpHash = async (key: string, network: string): Promise<SdkToken | undefined> => {
    if (isUnknown(key)) return undefined;
    const token = await withLookup(network, async () => {
      // A different request may have looked up the same token while this one waited.
      const cached = tokens.get(key);
      if (cached && isValid(cached)) return cached;
      return isUnknown(key) ? undefined : await queryOnce(key);
    }).catch(error => {
      if (hasEnded(key)) return undefined;
      throw error instanceof ApiError ? error : unavailable(error);
    });
    return token && isValid(token) ? token : undefined;
  };

  const find = async (key: string, network: string): Promise<SdkToken | undefined> => {
    const token = tokens.get(key);
    return token && isValid(token) ? token : await lookUpHash(key, network);
  };

  const writeUses = async (): Promise<void> => {
    const usedTokens = [...tokens.values()].filter(token => token.used);
    if (usedTokens.length === 0) return;
    for (const token of usedTokens) token.used = false;
    await source.reportUses(usedTokens.map(({ id }) => id));
  };

  return {
    findCached,
    lookUp,
    find,
    isValid,
    get: tokenHash => tokens.get(tokenHash),
    all: () => tokens.values(),
    get ended() {
      return ended;
    },
    hasEnded,
    get size() {
      return tokens.size;
    },
    reload,
    get epoch() {
      return epoch;
    },
    get revision() {
      return revision;
    },
    now,
    setClock: sourceNow => {
      clockOffset = sourceNow - Date.now();
    },
    writeUses,
  };
}

/** An SDK that gets 401 stops permanently, so a server problem is always a 503. */
const unavailable = (cause?: unknown): ApiError =>
  new ApiError('ServiceUnavailableError', 'The server cannot check the token now. Retry later.', { cause });
