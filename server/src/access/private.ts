import type { Actor } from '../platform/actor.ts';
import type { Reader, Tx } from '../platform/db/database.ts';
import { listPrivate, listReadable } from './store.ts';

/** Those of the projects that the actor may not read, or that do not exist; none for an admin. */
export async function unreadableOf(db: Reader, actor: Actor, projects: string[]): Promise<Set<string>> {
  return actor.isAdmin ? new Set() : await unknownTo(db, actor, projects);
}

/** The same for a new name, which must exist: an admin can read every project, but not one that is misspelt. */
export async function unknownTo(db: Reader, actor: Actor, projects: string[]): Promise<Set<string>> {
  if (projects.length === 0) return new Set();
  const readable = await listReadable(db, actor, projects);
  return new Set(projects.filter(project => !readable.includes(project)));
}

/**
 * Whether an event of the project may name the other one and what is in it: whoever reads the event need not be allowed to
 * read the other project.
 */
export async function mayName(
  tx: Tx,
  project: string,
  others: string[],
): Promise<(other: string) => boolean> {
  const foreign = [...new Set(others)].filter(other => other !== project);
  const hidden = foreign.length === 0 ? [] : await listPrivate(tx, foreign);
  return other => !hidden.includes(other);
}
