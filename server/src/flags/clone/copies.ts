import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { readFeature } from '../features/read.ts';
import { listReadableStates } from '../features/state/store.ts';
import { compare } from './drift.ts';
import type { CopyList } from './schema.ts';
import { listCopies, listOrigins } from './store.ts';

/** The maximum number of copies in a response. Two statements read all that the comparison needs, however many copies there are. */
export const MAX_COPIES = 50;

/** Returns the copies of a feature that the actor may read, newest first, and whether each differs from the feature. */
export async function readCopies(db: Reader, actor: Actor, project: string, name: string): Promise<CopyList> {
  const source = await readFeature(db, actor, project, name);
  const { names, total } = await listCopies(db, actor, name, MAX_COPIES);
  const states = new Map(
    (await listReadableStates(db, actor, names)).map(state => [state.name, state] as const),
  );
  const parents = [...states.values()].flatMap(state => state.dependencies.map(({ feature }) => feature));
  const origins = await listOrigins(db, parents);
  const copies = names.flatMap(copy => {
    const state = states.get(copy);
    if (!state) return [];
    const differences = [...compare(source, state, origins)].length;
    return {
      feature: state.name,
      project: state.project,
      archived: state.archived,
      createdAt: state.createdAt,
      inSync: differences === 0,
      differences,
    };
  });
  return { copies, total };
}
