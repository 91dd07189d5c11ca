import type { Reader } from '../../platform/db/database.ts';
import { describeInParts } from '../../record/events/describe.ts';
import { DEPENDENCIES } from './kinds/dependencies.ts';
import { FEATURES, type FeatureState } from './kinds/features.ts';
import { computeDigest } from './kinds/kind.ts';
import {
  findMarks,
  hasMarks,
  type ImportMark,
  listDeletedFeatures,
  listDependencyKeys,
  listEventsSinceImport,
  listFeatureNames,
  listImportedStates,
} from './store.ts';
import { IMPORT_ACTOR } from './synchronize.ts';

/** A flag that has changed since it was imported. */
export type ChangedFlag = {
  name: string;
  project: string | null;
  change: 'created' | 'changed' | 'archived' | 'deleted';
};

/** The flag's current and imported states, and the parents that have changed since the import. */
export type FlagDetails = {
  state: FeatureState;
  /** The state that the last import wrote. Undefined if no import wrote the flag. */
  importedState: FeatureState | undefined;
  mark: ImportMark | undefined;
  addedParents: string[];
  removedParents: string[];
};

/** A change in Halyard, described in one line. */
export type ChangeLine = {
  id: number;
  createdAt: string;
  createdBy: string;
  type: string;
  feature: string | null;
  environment: string | null;
  text: string;
};

const FEATURES_PER_READ = 200;
const EVENTS_PER_READ = 1_000;

/** Returns whether an import has written any features. */
export const hasImportedData = (db: Reader): Promise<boolean> => hasMarks(db, FEATURES.name);

/** Yields the flags that have changed since they were imported, by name. */
export async function* readChangedFlags(db: Reader): AsyncGenerator<ChangedFlag & { details?: FlagDetails }> {
  for (let cursor = ''; ; ) {
    const names = await listFeatureNames(db, cursor, FEATURES_PER_READ);
    const lastName = names.at(-1);
    if (lastName === undefined) break;
    const states = await FEATURES.find(db, names);
    const marks = await findMarks(db, FEATURES.name, names);
    const importedStates = await listImportedStates(db, IMPORT_ACTOR.name, names);
    const parents = await listChangedParents(db, names);
    for (const [name, state] of states) {
      const mark = marks.get(name);
      const { added = [], removed = [] } = parents.get(name) ?? {};
      const isUnchanged = mark?.digest === computeDigest(state) && added.length + removed.length === 0;
      if (isUnchanged) continue;
      const change = state.archivedAt !== null ? 'archived' : mark === undefined ? 'created' : 'changed';
      const lastState = importedStates.get(name);
      // An import writes no event for a flag that already matches Unleash, so the imported state may be unknown.
      const importedState = computeDigest(lastState ?? null) === mark?.digest ? lastState : undefined;
      const details = { state, importedState, mark, addedParents: added, removedParents: removed };
      yield { name, project: state.project, change, details };
    }
    cursor = lastName;
  }
  for (const name of await listDeletedFeatures(db)) yield { name, project: null, change: 'deleted' };
}

type ChangedParents = { added: string[]; removed: string[] };

/** Returns the parents that each flag has gained or lost since the import. A parent whose conditions changed counts as added. */
async function listChangedParents(db: Reader, names: string[]): Promise<Map<string, ChangedParents>> {
  const keys = await listDependencyKeys(db, names);
  const dependencies = await DEPENDENCIES.find(db, keys);
  const marks = await findMarks(db, DEPENDENCIES.name, keys);
  const parents = new Map<string, ChangedParents>();
  for (const key of keys) {
    const dependency = dependencies.get(key);
    if (dependency !== undefined && marks.get(key)?.digest === computeDigest(dependency)) continue;
    const [child = '', parent = ''] = key.split(' → ');
    const changedParents = parents.get(child) ?? { added: [], removed: [] };
    (dependency === undefined ? changedParents.removed : changedParents.added).push(parent);
    parents.set(child, changedParents);
  }
  return parents;
}

/**
 * Yields the changes that users would have to repeat in Unleash. These are the changes that people and their tokens made to the
 * given flags or to anything that is not a flag, unless a later import replaced them.
 */
export async function* readChangesSinceImport(db: Reader, flags: ChangedFlag[]): AsyncGenerator<ChangeLine> {
  const names = flags.map(({ name }) => name);
  for (let cursor = 0; ; ) {
    const events = await listEventsSinceImport(db, IMPORT_ACTOR.name, names, cursor, EVENTS_PER_READ);
    const lastEvent = events.at(-1);
    if (lastEvent === undefined) return;
    for (const event of events) {
      const text = describeInParts(event)
        .parts.map(part => part.text)
        .join('');
      const { id, createdAt, createdBy, type, featureName, environment } = event;
      yield { id, createdAt, createdBy, type, feature: featureName, environment, text };
    }
    cursor = lastEvent.id;
  }
}
