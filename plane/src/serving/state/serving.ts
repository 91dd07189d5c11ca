import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { makeShares } from '../../platform/admission/shares.ts';
import { ApiError, formatCount, tooManyRequests } from '../../platform/errors.ts';
import { makeBuckets } from '../../platform/http/protection/rate-limit.ts';
import type { KnownRevisions, Source } from '../source.ts';
import { makeTokens, type SdkToken, type Tokens } from '../tokens/tokens.ts';
import { type BodyKind, type Compress, gzipBody, plainBody } from './bodies.ts';
import { makeBodyCache } from './body-cache.ts';
import { deltaEvents } from './delta.ts';
import { applyChanges, type Environment, loadEnvironment } from './environment.ts';
import { type EnvironmentState, getOrCreateScope, makeEnvironmentState } from './environment-state.ts';
import { isFiltered } from './filters.ts';
import { compressPiece } from './gzip.ts';
import { formatPosition, NO_FILTERS, type Scope, type Selection, SHARED } from './scope.ts';
import { hasVariant } from './variant-names.ts';

const MAX_BODY_BYTES = 128 * 1_024 * 1_024;
/** New filter combinations per token. When a fleet starts, each of its applications may send a different one. */
const NEW_SCOPES = { perMinute: 20, burst: 100 };
/** New deltas per token. Above this rate, clients whose revision no other client has get everything instead, which is built only once. */
const NEW_DELTAS = { perMinute: 600, burst: 600 };
/** Two of zlib's four threads compress bodies, and at most one of them works for any single token's filters. */
const COMPRESSION = {
  capacity: 2,
  share: 0.6,
  waiting: Number.POSITIVE_INFINITY,
  waitingPerCaller: Number.POSITIVE_INFINITY,
  waitMs: 600_000,
};
/** Compressing a larger delta takes longer than assembling the whole scope from chunks that are already compressed. */
const MAX_DELTA_CHARACTERS = 1_000_000;

/** A client's query options: filters, and whether segments are inlined. `projects` restricts a token for all projects. */
export type QueryOptions = Pick<Selection, 'filters' | 'inline'> & {
  projects?: readonly string[];
  /** The cache key: equal for equal options. */
  key: string;
};

export const EVERYTHING: QueryOptions = { filters: NO_FILTERS, inline: false, key: '' };

export type Encoding = 'gzip' | 'identity';

const compressText = promisify<string, Buffer>(gzip);

/** A response body and its position in the scope's history, which is the ETag without quotes. */
export type VersionedText = { id: string; revision: number; text: string };

export type ServingState = {
  readonly tokens: Tokens;
  /** Returns the scope of a valid token, or undefined if its environment is not loaded. In that case, call `load` first. */
  findScope: (token: SdkToken, options?: QueryOptions) => Scope | undefined;
  /** Returns whether the environment has the feature and the feature has the variant. True until the environment is loaded. */
  hasFeature: (environment: string, name: string, variant?: string) => boolean;
  /** Loads an environment, once for all callers. Throws 503 if the source does not respond. */
  load: (environment: string) => Promise<void>;
  /** Returns the whole scope as one event. */
  hydration: (scope: Scope) => VersionedText;
  /** Returns the events after a revision, `{"events":[]}` if there are none, or undefined if the client must hydrate. */
  delta: (scope: Scope, fromRevision: number) => VersionedText | undefined;
  /** Returns the body at the current revision of the scope, or a promise if the body has to be compressed. */
  body: (kind: BodyKind, encoding: Encoding, scope: Scope) => Buffer | Promise<Buffer>;
  /** Returns a body with the events after a revision, or with the whole scope as one event. New clients have no revision. */
  deltaBody: (
    encoding: Encoding,
    scope: Scope,
    fromRevision: number | undefined,
    token: SdkToken,
  ) => Buffer | Promise<Buffer>;
  /** Calls the function whenever a newer state has been loaded. Returns a function that unsubscribes. */
  onChange: (listener: (environment: string, revision: number) => void) => () => void;
  /** Calls the function whenever tokens have been created, changed or ended. Returns a function that unsubscribes. */
  onTokens: (listener: () => void) => () => void;
  /** The origins whose pages may use the API for frontend SDKs. `*` allows all. */
  readonly origins: readonly string[];
  /** If the state was read from a copy because the source did not respond: when the copy was made. Undefined otherwise. */
  readonly copyTakenAt: string | undefined;
  /** Seconds since the state was last known to be current. Undefined before the first refresh. */
  readonly age: number | undefined;
  /** Reads what is newer than the state, or everything if the epoch changed. Returns whether anything was newer. */
  refresh: () => Promise<boolean>;
  /** The environments in memory, by name. */
  environments: () => Iterable<[name: string, Environment]>;
  /** Loads every environment with a token, so that its SDKs are served even if the source goes down before their first request. */
  loadAll: () => Promise<void>;
  isLost: Source['isLost'];
  readonly bodyBytes: number;
};

/** Keeps everything that SDKs can read in memory. `keepCurrent` refreshes it. */
export function makeServingState(source: Source): ServingState {
  const tokens = makeTokens(source);
  const bodies = makeBodyCache(MAX_BODY_BYTES);
  const compression = makeShares(COMPRESSION, () => {
    throw new Error('A response waited 10 minutes to be compressed');
  });
  const takeScope = makeBuckets(NEW_SCOPES);
  const takeDelta = makeBuckets(NEW_DELTAS);
  const holders = new Map<string, EnvironmentState>();
  const loading = new Map<string, Promise<void>>();
  const changeListeners = new Set<(environment: string, revision: number) => void>();
  const tokenListeners = new Set<() => void>();
  let refreshedAt: number | undefined;
  let copyTakenAt: string | undefined;
  let origins: readonly string[] = ['*'];

  const findScope = (token: SdkToken, options: QueryOptions = EVERYTHING): Scope | undefined => {
    const { key } = options;
    const cachedScope = token.derived.get(key);
    // Only this function writes to the map.
    if (cachedScope !== undefined) return cachedScope as Scope;
    const holder = holders.get(token.environment ?? '');
    if (!holder || token.environment === null) return undefined;
    const { projects, filters, inline } = options;
    const isClientChosen = isFiltered(filters) || (token.projects === undefined && projects !== undefined);
    const scope = getOrCreateScope(
      holder,
      {
        environment: token.environment,
        projects: token.projects ?? (projects && selectKnownProjects(holder, projects)),
        filters,
        inline,
      },
      isClientChosen ? `${token.id}` : SHARED,
      () => {
        if (isClientChosen) limitScopes(takeScope(`${token.id}`, 1));
      },
    );
    // Not cached, because a requested project may be created later, and then belongs to the scope.
    if (projects !== undefined && token.projects === undefined) return scope;
    token.derived.set(key, scope);
    return scope;
  };

  const load = async (environment: string): Promise<void> => {
    if (holders.has(environment)) return;
    const pendingLoad =
      loading.get(environment) ??
      source
        .changes(environment, 0)
        .then(changes => void holders.set(environment, makeEnvironmentState(loadEnvironment(changes))))
        .finally(() => loading.delete(environment));
    loading.set(environment, pendingLoad);
    await pendingLoad.catch(error => {
      const message = `The server cannot load the features of environment "${environment}" now. Retry later.`;
      throw new ApiError('ServiceUnavailableError', message, { cause: error });
    });
  };

  const loadAll = async (): Promise<void> => {
    for (const environment of new Set([...tokens.all()].map(token => token.environment)))
      if (environment !== null) await load(environment);
  };

  /** Brings one environment up to date, or reloads it if its revisions belong to a different epoch. */
  const refreshEnvironment = async (name: string, holder: EnvironmentState, epoch: string): Promise<void> => {
    const isSameHistory = holder.current.epoch === epoch;
    const changes = await source.changes(name, isSameHistory ? holder.current.revision : 0);
    if (isSameHistory && changes.epoch === epoch) applyChanges(holder.current, changes);
    else holder.current = loadEnvironment(isSameHistory ? await source.changes(name, 0) : changes);
    holder.version++;
    for (const listener of changeListeners) listener(name, holder.current.revision);
  };

  const knownRevisions = (): KnownRevisions => ({
    epoch: tokens.epoch,
    tokenRevision: tokens.revision,
    // Omits environments that have not been reloaded yet after a token lookup noticed a new epoch.
    environments: new Map(
      [...holders].flatMap(([name, { current }]) =>
        current.epoch === tokens.epoch ? [[name, current.revision]] : [],
      ),
    ),
  });

  const refresh = async (): Promise<boolean> => {
    const startedAt = performance.now();
    const sourcePositions = await source.positions(knownRevisions());
    const { epoch, tokenRevision, environments } = sourcePositions;
    tokens.setClock(Date.parse(sourcePositions.now));
    origins = sourcePositions.origins;
    const positions = new Map(environments.map(position => [position.environment, position]));
    let hasChanged = false;
    for (const [name, holder] of holders) {
      const { revision = 0, completeSince = 0 } = positions.get(name) ?? {};
      const { current } = holder;
      if (current.epoch === epoch && current.revision >= revision && current.completeSince === completeSince)
        continue;
      hasChanged = true;
      await refreshEnvironment(name, holder, epoch);
    }
    if (tokens.epoch !== epoch || tokens.revision !== tokenRevision) {
      hasChanged = true;
      await tokens.reload();
      for (const listener of tokenListeners) listener();
    }
    copyTakenAt = sourcePositions.copyTakenAt;
    refreshedAt = startedAt - (copyTakenAt === undefined ? 0 : Date.now() - Date.parse(copyTakenAt));
    return hasChanged;
  };

  const toVersionedText = (scope: Scope, text: string): VersionedText => ({
    id: formatPosition(scope.current.epoch, scope.id, scope.revision),
    revision: scope.revision,
    text,
  });

  const delta = (scope: Scope, fromRevision: number): VersionedText | undefined => {
    const events =
      fromRevision >= scope.revision ? [] : deltaEvents(scope, scope.current, fromRevision, scope.revision);
    return events && toVersionedText(scope, `{"events":[${events.join(',')}]}`);
  };

  const compress: Compress = async (caller, text) => {
    const release = await compression.acquire(caller);
    try {
      return await compressPiece(text());
    } finally {
      release();
    }
  };

  const body = (kind: BodyKind, encoding: Encoding, scope: Scope): Buffer | Promise<Buffer> =>
    bodies.get<Buffer | Promise<Buffer>>(
      `${kind} ${encoding} ${scope.id}`,
      scope.etag,
      () => (encoding === 'gzip' ? gzipBody(kind, scope, compress) : Buffer.from(plainBody(kind, scope))),
      scope.owner,
    );

  const deltaBody: ServingState['deltaBody'] = (encoding, scope, fromRevision, token) => {
    const owner = `${token.id}`;
    const key = `delta ${encoding} ${scope.id} ${fromRevision}`;
    const hydrationBody = () => body('hydration', encoding, scope);
    if (fromRevision === undefined || (!bodies.has(key, scope.etag) && takeDelta(owner, 1) > 0))
      return hydrationBody();
    return bodies.get<Buffer | Promise<Buffer>>(
      key,
      scope.etag,
      () => {
        const text = delta(scope, fromRevision)?.text;
        if (text === undefined || text.length > MAX_DELTA_CHARACTERS) return hydrationBody();
        return encoding === 'gzip' ? compressText(text) : Buffer.from(text);
      },
      owner,
    );
  };

  return {
    tokens,
    findScope,
    load,
    hydration: scope => toVersionedText(scope, plainBody('hydration', scope)),
    delta,
    body,
    deltaBody,
    onChange: listener => subscribe(changeListeners, listener),
    onTokens: listener => subscribe(tokenListeners, listener),
    get origins() {
      return origins;
    },
    get copyTakenAt() {
      return copyTakenAt;
    },
    get age() {
      return refreshedAt === undefined ? undefined : (performance.now() - refreshedAt) / 1_000;
    },
    hasFeature: (environment, name, variant) => {
      const holder = holders.get(environment);
      if (!holder) return true;
      const feature = holder.current.features.get(name);
      return feature !== undefined && (variant === undefined || hasVariant(feature, variant));
    },
    refresh,
    environments: () => [...holders].map(([name, { current }]) => [name, current]),
    loadAll,
    isLost: source.isLost,
    get bodyBytes() {
      return bodies.bytes;
    },
  };
}

/**
 * Omits unknown project names from a scope, because otherwise a client could create an unlimited number of scopes with the same flags.
 */
function selectKnownProjects({ current }: EnvironmentState, requested: readonly string[]): string[] {
  const projectNames = new Set(current.projects.map(({ name }) => name));
  return requested.filter(name => projectNames.has(name));
}

function limitScopes(seconds: number): void {
  if (seconds === 0) return;
  throw tooManyRequests(
    `Too many different filters: this server accepts ${NEW_SCOPES.perMinute} new combinations of project, namePrefix and tag per minute from one token. Retry in ${formatCount(seconds, 'second')}.`,
    seconds,
  );
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
