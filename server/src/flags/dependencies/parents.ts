import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { readFeature } from '../features/load.ts';
import { listPossibleParents } from './store.ts';

/** Features that this one could depend on: none, if it is a parent itself or archived. */
export async function possibleParents(
  db: Reader,
  actor: Actor,
  project: string,
  name: string,
): Promise<string[]> {
  const { children, archived } = await readFeature(db, actor, project, name);
  return archived || children.length > 0 ? [] : await listPossibleParents(db, project, name);
}

/** Names of all variants the feature can give, in any environment. */
export async function variantsOf(db: Reader, actor: Actor, project: string, name: string): Promise<string[]> {
  const { environments } = await readFeature(db, actor, project, name);
  const all = environments.flatMap(({ variants, strategies }) => [
    ...variants,
    ...strategies.flatMap(strategy => strategy.variants),
  ]);
  return [...new Set(all.map(variant => variant.name))].toSorted();
}
