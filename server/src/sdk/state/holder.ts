import type { Environment } from './environment.ts';
import {
  positionOf,
  projectsOf,
  revisionOf,
  type Scope,
  type Selection,
  scopeId,
  selectionKey,
} from './scope.ts';

/** The most scopes of one environment that are shared. The oldest is dropped first; its clients keep theirs. */
const MOST_SCOPES = 2_000;

/** The state of one environment, and the scopes that clients use of it. */
export type Holder = {
  current: Environment;
  /** Rises with every change of the state, so that a scope knows in one comparison whether it is up to date. */
  version: number;
  readonly scopes: Map<string, Scope>;
};

export const makeHolder = (current: Environment): Holder => ({ current, version: 1, scopes: new Map() });

export function scopeIn(holder: Holder, selection: Selection): Scope {
  const key = selectionKey(selection);
  const known = holder.scopes.get(key);
  if (known) return known;
  const [oldest] = holder.scopes.keys();
  if (holder.scopes.size >= MOST_SCOPES && oldest !== undefined) holder.scopes.delete(oldest);
  const scope = makeScope(holder, selection, scopeId(key));
  holder.scopes.set(key, scope);
  return scope;
}

function makeScope(holder: Holder, selection: Selection, id: string): Scope {
  let version = 0;
  let basis = '';
  let revision = 0;
  let etag = '';
  const update = (): void => {
    if (version === holder.version) return;
    version = holder.version;
    const { current } = holder;
    // Filters are applied only after a change in the projects of the scope.
    const highest = projectsOf(selection, current).reduce((most, one) => Math.max(most, one.revision), 0);
    const newBasis = `${current.epoch}.${current.completeSince}.${highest}`;
    if (newBasis === basis) return;
    basis = newBasis;
    revision = revisionOf(selection, current);
    etag = `"${positionOf(current.epoch, id, revision)}"`;
  };
  return {
    ...selection,
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
