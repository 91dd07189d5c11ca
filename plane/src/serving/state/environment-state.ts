import type { Environment } from './environment.ts';
import {
  computeRevision,
  formatPosition,
  listProjects,
  type Scope,
  type Selection,
  SHARED,
  scopeId,
  selectionKey,
} from './scope.ts';

/** The maximum number of scopes in one environment. The oldest is dropped first, although its clients can keep using it. */
const MAX_SCOPES = 2_000;
/** The maximum number of scopes that one token's clients can create with filters. */
const MAX_SCOPES_PER_OWNER = 200;

/** One environment's state, with the scopes that its clients share. */
export type EnvironmentState = {
  current: Environment;
  /** Increases with every change of the state, so that a single comparison shows whether a scope is up to date. */
  version: number;
  readonly scopes: Map<string, Scope>;
};

export const makeEnvironmentState = (current: Environment): EnvironmentState => ({
  current,
  version: 1,
  scopes: new Map(),
});

/** `onNew` is called before a scope is created, and may throw. */
export function getOrCreateScope(
  holder: EnvironmentState,
  selection: Selection,
  owner = SHARED,
  onNew = () => {},
): Scope {
  const key = selectionKey(selection);
  const existing = holder.scopes.get(key);
  if (existing) return existing;
  onNew();
  makeRoom(holder.scopes, owner);
  const scope = makeScope(holder, selection, scopeId(key), owner);
  holder.scopes.set(key, scope);
  return scope;
}

/** Drops the owner's oldest scope if the owner has used up its share, or the oldest of all scopes if there are too many. */
function makeRoom(scopes: Map<string, Scope>, owner: string): void {
  const ownScopes = owner === SHARED ? [] : [...scopes].filter(([, scope]) => scope.owner === owner);
  const candidates = ownScopes.length >= MAX_SCOPES_PER_OWNER ? ownScopes.map(([key]) => key) : scopes.keys();
  const [oldest] = candidates;
  const isFull = ownScopes.length >= MAX_SCOPES_PER_OWNER || scopes.size >= MAX_SCOPES;
  if (isFull && oldest !== undefined) scopes.delete(oldest);
}

function makeScope(holder: EnvironmentState, selection: Selection, id: string, owner: string): Scope {
  let version = 0;
  let basis = '';
  let revision = 0;
  let etag = '';
  const update = (): void => {
    if (version === holder.version) return;
    version = holder.version;
    const { current } = holder;
    // Applies the filters only if the scope's projects have changed.
    const highestRevision = listProjects(selection, current).reduce(
      (largest, project) => Math.max(largest, project.revision),
      0,
    );
    const newBasis = `${current.epoch}.${current.completeSince}.${highestRevision}`;
    if (newBasis === basis) return;
    basis = newBasis;
    revision = computeRevision(selection, current);
    etag = `"${formatPosition(current.epoch, id, revision)}"`;
  };
  return {
    ...selection,
    owner,
    id,
    get revision() {
      update();
      return revision;
    },
    get etag() {
      update();
      return etag;
    },
    get current() {
      return holder.current;
    },
  };
}
