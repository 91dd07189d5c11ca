import { hash } from 'node:crypto';
import { makeShares } from '../../platform/admission/shares.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { ApiError } from '../../platform/errors.ts';
import { isForged } from '../../platform/token.ts';
import { type FoundTokens, MAX_TOKENS, type Source, type TokenRow } from '../source.ts';

const MAX_TOKEN_LENGTH = 512;
/**
 * Lookups of unknown tokens, by the network that sends them. Random tokens from one network get half of the lookups, so they do not delay the
 * first request of a real token from another network. More are rejected with 503.
 */
const LOOKUPS = { capacity: 4, share: 0.5, waiting: 500, waitingPerCaller: 60, waitMs: 5_000 };
const LOOKUP_ATTEMPTS = 2;
/** How long a token stays unknown before it is queried again, and how many unknown tokens are remembered. */
const UNKNOWN_MS = 1_000;
const MAX_UNKNOWN = 10_000;
/** Filters are chosen by the client, so a token keeps only a few scopes. */
const MAX_DERIVED = 8;

/** A valid API token. The object stays the same as long as the token is valid; its projects can change. */
export type SdkToken = {
  readonly id: number;
  readonly hash: string;
  readonly type: string;
  readonly environment: string | null;
  /** Sorted. Undefined: all projects. */
  projects: readonly string[] | undefined;
  /** Milliseconds since 1970, by the clock of the source. Infinity: never. */
  expiresAt: number;
  /** Whether the token was revoked, or lost its last project. */
  ended: boolean;
  /** Whether the token was used since its last use was written. */
  used: boolean;
  /** Values that were derived from the projects. They are cleared when the projects change. */
  readonly derived: Map<string, unknown>;
};

export type Tokens = {
  /** The token, if it is in memory. Takes one hash and no query. */
  known: (text: string) => SdkToken | undefined;
  /** Looks the token up in the source, unless its format shows that it is invalid. Throws 503 if the source does not respond. */
  lookUp: (text: string, network: string) => Promise<SdkToken | undefined>;
  /** The valid token with this hash, from memory or else from the source. Throws 503 if the source does not respond. */
  find: (hash: string, network: string) => Promise<SdkToken | undefined>;
  /** Whether the token is still valid. */
  isValid: (token: SdkToken) => boolean;
  /** The tokens in memory. */
  all: () => Iterable<SdkToken>;
  /** Hashes of the tokens that ended last. */
  readonly ended: ReadonlySet<string>;
  /** Whether the token with this hash was revoked or has expired, as far as this is known without the source. */
  hasEnded: (hash: string) => boolean;
  readonly size: number;
  /** Reads all tokens, and adds, changes and ends those in memory. */
  reload: () => Promise<void>;
  /** The epoch and the revision of the tokens in memory. Undefined and -1 before the first read. */
  readonly epoch: string | undefined;
  readonly revision: number;
  /** The time of the source, in milliseconds since 1970. */
  now: () => number;
  /** Sets the clock by the time of the source, which all servers share. */
  setClock: (now: number) => void;
  /** Writes the last use of the tokens that were used since the last time. */
  writeUses: () => Promise<void>;
};

export function makeTokens(source: Source): Tokens {
  const tokens = new Map<string, SdkToken>();
  const unknown = new BoundedMap<string, { until: number; hasEnded: boolean }>(MAX_UNKNOWN);
  const lookups = makeShares(LOOKUPS, () => unavailable());
  let epoch: string | undefined;
  let revision = -1;
  let clockOffset = 0;
  let ended: ReadonlySet<string> = new Set();

  const now = () => Date.now() + clockOffset;
  const isValid = (token: SdkToken) => !token.ended && token.expiresAt > now();

  const known = (text: string): SdkToken | undefined => {
    const token = tokens.get(hash('sha256', text));
    return token && isValid(token) ? token : undefined;
  };

  /** Returns undefined for a token that has no project left: an empty list would look as if all features were removed. */
  const keep = (row: TokenRow): SdkToken | undefined => {
    const known = tokens.get(row.hash);
    // After a restore, the same secret can belong to a different token, if an environment variable creates it.
    const token = known?.id === row.id && known.environment === row.environment ? known : undefined;
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
    const fresh = { id, hash: row.hash, type, environment, projects, expiresAt };
    const kept: SdkToken = { ...fresh, ended: false, used: false, derived: new BoundedMap(MAX_DERIVED) };
    if (known) known.ended = true;
    tokens.set(row.hash, kept);
    return kept;
  };

  const reload = async (): Promise<void> => {
    const found = await source.tokens();
    const others = found.tokens.length < MAX_TOKENS ? [] : await findOthers(found);
    // Another reload may have read newer tokens meanwhile. In a new epoch, revisions start over.
    if (found.epoch === epoch && found.revision < revision) return;
    epoch = found.epoch;
    revision = found.revision;
    unknown.clear();
    ended = new Set(found.ended);
    const valid = new Set([...found.tokens, ...others].map(keep));
    for (const token of tokens.values()) {
      if (valid.has(token)) continue;
      token.ended = true;
      tokens.delete(token.hash);
    }
  };

  /** The tokens in memory that are still valid but not among the first 20,000 that were listed. */
  const findOthers = async (listed: FoundTokens): Promise<TokenRow[]> => {
    const isListed = new Set(listed.tokens.map(({ hash: key }) => key));
    const rest = [...tokens.keys()].filter(key => !isListed.has(key));
    const others: TokenRow[] = [];
    for (let at = 0; at < rest.length; at += MAX_TOKENS) {
      const found = await source.findTokens(rest.slice(at, at + MAX_TOKENS));
      if (found.epoch !== listed.epoch) throw new Error('The epoch changed while tokens were read');
      others.push(...found.tokens);
    }
    return others;
  };

  const query = async (key: string): Promise<SdkToken | undefined> => {
    const found = await readCurrent(key);
    const token = found.tokens.map(keep)[0];
    if (!token) unknown.set(key, { until: Date.now() + UNKNOWN_MS, hasEnded: found.ended.includes(key) });
    return token;
  };

  /**
   * Reads a token that is at least as recent as the tokens in memory. A read that began before a reload may return a token that
   * the reload ended.
   */
  const readCurrent = async (key: string): Promise<FoundTokens> => {
    for (let attempt = 1; attempt <= LOOKUP_ATTEMPTS; attempt++) {
      const found = await source.findTokens([key]);
      if (epoch === undefined || (found.epoch === epoch && found.revision >= revision)) return found;
      if (found.epoch !== epoch) await reload();
    }
    throw unavailable();
  };

  const hasEnded = (key: string): boolean => {
    const token = tokens.get(key);
    return token ? !isValid(token) : ended.has(key) || unknown.get(key)?.hasEnded === true;
  };

  const inTurn = async <T>(network: string, work: () => Promise<T>): Promise<T> => {
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

  const lookUpHash = async (key: string, network: string): Promise<SdkToken | undefined> => {
    if ((unknown.get(key)?.until ?? 0) > Date.now()) return undefined;
    const token = await inTurn(network, () => query(key)).catch(error => {
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
    const used = [...tokens.values()].filter(token => token.used);
    if (used.length === 0) return;
    for (const token of used) token.used = false;
    await source.reportUses(used.map(({ id }) => id));
  };

  return {
    known,
    lookUp,
    find,
    isValid,
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
