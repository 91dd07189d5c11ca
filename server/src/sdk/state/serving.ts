import { gzipSync } from 'node:zlib';
import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { readChanges, readPositions } from '../documents/store.ts';
import { makeTokens, type SdkToken, type Tokens } from '../tokens/tokens.ts';
import { type BodyKind, gzipBody, plainBody } from './bodies.ts';
import { makeBodyCache } from './body-cache.ts';
import { deltaEvents } from './delta.ts';
import { applyChanges, loadEnvironment } from './environment.ts';
import { type Holder, makeHolder, scopeIn } from './holder.ts';
import { NO_FILTERS, positionOf, type Scope, type Selection } from './scope.ts';

const MOST_BODY_BYTES = 128 * 1_024 * 1_024;
/** Filters are chosen by the client, so the scopes of one token are few. */
const MOST_SCOPES_PER_TOKEN = 8;
/** Compressing a larger delta takes longer than assembling the whole scope from chunks that are compressed already. */
const MOST_DELTA_CHARACTERS = 1_000_000;

/** The wishes of a client: filters, and segments apart or inline. `projects` narrows a token for all projects. */
export type Asked = Pick<Selection, 'filters' | 'inline'> & {
  projects?: readonly string[];
  /** Equal for equal wishes. */
  key: string;
};

export const EVERYTHING: Asked = { filters: NO_FILTERS, inline: false, key: '' };

export type Encoding = 'gzip' | 'identity';

/** A text for clients, and its position in the history of the scope: the ETag without quotes. */
export type Positioned = { id: string; revision: number; text: string };

export type ServingState = {
  readonly tokens: Tokens;
  /** The scope of a valid token, or undefined if its environment is not loaded: call `load` first. */
  scopeOf: (token: SdkToken, asked?: Asked) => Scope | undefined;
  /** Loads an environment, once for all callers. Throws 503 without the database. */
  load: (environment: string) => Promise<void>;
  /** The whole scope as one event. */
  hydration: (scope: Scope) => Positioned;
  /** The events after a revision, `{"events":[]}` if there is none, or undefined if the client must hydrate. */
  delta: (scope: Scope, from: number) => Positioned | undefined;
  /** A prebuilt body as of the current revision of the scope. */
  body: (kind: BodyKind, encoding: Encoding, scope: Scope) => Buffer;
  /** The events after a revision as a body, or the whole scope as one event. `from` undefined: the client has nothing. */
  deltaBody: (encoding: Encoding, scope: Scope, from: number | undefined) => Buffer;
  /** Calls back after a newer state was swapped in. Returns a function that ends this. */
  onChange: (listener: (environment: string, revision: number) => void) => () => void;
  /** Calls back after tokens were created, changed or ended. Returns a function that ends this. */
  onTokens: (listener: () => void) => () => void;
  /** The origins whose pages may use the API for frontend SDKs. `*`: all. */
  readonly origins: readonly string[];
  /** Seconds since the state was last known to be current. Undefined before the first refresh. */
  readonly age: number | undefined;
  /** Reads what is newer than the state. Returns whether anything was. */
  refresh: () => Promise<boolean>;
  readonly bodyBytes: number;
};

/** Everything that SDKs can get, in memory. `keepCurrent` refreshes it. */
export function makeServingState(db: Db): ServingState {
  const tokens = makeTokens(db);
  const bodies = makeBodyCache(MOST_BODY_BYTES);
  const holders = new Map<string, Holder>();
  const loading = new Map<string, Promise<void>>();
  const changeListeners = new Set<(environment: string, revision: number) => void>();
  const tokenListeners = new Set<() => void>();
  let refreshedAt: number | undefined;
  let origins: readonly string[] = ['*'];

  const scopeOf = (token: SdkToken, asked: Asked = EVERYTHING): Scope | undefined => {
    const { key } = asked;
    const known = token.derived.get(key);
    // Only this function writes to the map.
    if (known !== undefined) return known as Scope;
    const holder = holders.get(token.environment ?? '');
    if (!holder || token.environment === null) return undefined;
    const scope = scopeIn(holder, {
      environment: token.environment,
      projects: token.projects ?? asked.projects,
      filters: asked.filters,
      inline: asked.inline,
    });
    const [oldest] = token.derived.keys();
    if (token.derived.size >= MOST_SCOPES_PER_TOKEN && oldest !== undefined) token.derived.delete(oldest);
    token.derived.set(key, scope);
    return scope;
  };

  const load = async (environment: string): Promise<void> => {
    if (holders.has(environment)) return;
    const started =
      loading.get(environment) ??
      readChanges(db, environment, 0)
        .then(changes => void holders.set(environment, makeHolder(loadEnvironment(changes))))
        .finally(() => loading.delete(environment));
    loading.set(environment, started);
    await started.catch(error => {
      const message = `The server cannot load the features of environment "${environment}" now. Retry later.`;
      throw new ApiError('ServiceUnavailableError', message, { cause: error });
    });
  };

  /** Brings one environment up to date, or reads it again if its numbers belong to another history. */
  const refreshEnvironment = async (name: string, holder: Holder, epoch: string): Promise<void> => {
    const isSameHistory = holder.current.epoch === epoch;
    const changes = await readChanges(db, name, isSameHistory ? holder.current.revision : 0);
    if (isSameHistory && changes.epoch === epoch) applyChanges(holder.current, changes);
    else holder.current = loadEnvironment(isSameHistory ? await readChanges(db, name, 0) : changes);
    holder.version++;
    for (const listener of changeListeners) listener(name, holder.current.revision);
  };

  const refresh = async (): Promise<boolean> => {
    const startedAt = performance.now();
    const read = await readPositions(db);
    const { epoch, tokenRevision, environments } = read;
    tokens.setClock(Date.parse(read.now));
    origins = read.origins;
    const positions = new Map(environments.map(position => [position.environment, position]));
    let found = false;
    for (const [name, holder] of holders) {
      const { revision = 0, completeSince = 0 } = positions.get(name) ?? {};
      const { current } = holder;
      if (current.epoch === epoch && current.revision >= revision && current.completeSince === completeSince)
        continue;
      found = true;
      await refreshEnvironment(name, holder, epoch);
    }
    if (tokens.revision !== tokenRevision) {
      found = true;
      await tokens.reload();
      for (const listener of tokenListeners) listener();
    }
    refreshedAt = startedAt;
    return found;
  };

  const positioned = (scope: Scope, text: string): Positioned => ({
    id: positionOf(scope.current.epoch, scope.id, scope.revision),
    revision: scope.revision,
    text,
  });

  const delta = (scope: Scope, from: number): Positioned | undefined => {
    const events = from >= scope.revision ? [] : deltaEvents(scope, scope.current, from, scope.revision);
    return events && positioned(scope, `{"events":[${events.join(',')}]}`);
  };

  const body = (kind: BodyKind, encoding: Encoding, scope: Scope): Buffer =>
    bodies.get(`${kind} ${encoding} ${scope.id}`, scope.etag, () =>
      encoding === 'gzip' ? gzipBody(kind, scope) : Buffer.from(plainBody(kind, scope)),
    );

  const deltaBody = (encoding: Encoding, scope: Scope, from: number | undefined): Buffer => {
    if (from === undefined) return body('hydration', encoding, scope);
    return bodies.get(`delta ${encoding} ${scope.id} ${from}`, scope.etag, () => {
      const text = delta(scope, from)?.text;
      if (text === undefined || text.length > MOST_DELTA_CHARACTERS)
        return body('hydration', encoding, scope);
      return encoding === 'gzip' ? gzipSync(text) : Buffer.from(text);
    });
  };

  return {
    tokens,
    scopeOf,
    load,
    hydration: scope => positioned(scope, plainBody('hydration', scope)),
    delta,
    body,
    deltaBody,
    onChange: listener => subscribe(changeListeners, listener),
    onTokens: listener => subscribe(tokenListeners, listener),
    get origins() {
      return origins;
    },
    get age() {
      return refreshedAt === undefined ? undefined : (performance.now() - refreshedAt) / 1_000;
    },
    refresh,
    get bodyBytes() {
      return bodies.bytes;
    },
  };
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
