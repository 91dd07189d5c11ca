import { unreadableOf } from '../access/private.ts';
import type { Actor } from '../actor.ts';
import type { Reader } from '../db/database.ts';
import { badData } from '../errors.ts';

type Filtered = { projects: string[] };

/**
 * How the actor sees integrations: without the ids of projects they may not read. An integration for such projects alone is
 * not seen at all, since an empty list of projects means all of them.
 */
export async function viewFor(db: Reader, actor: Actor, integrations: Filtered[]) {
  const hidden = await unreadableOf(db, actor, [
    ...new Set(integrations.flatMap(({ projects }) => projects)),
  ]);
  return <T extends Filtered>(integration: T): T | undefined => {
    const projects = integration.projects.filter(project => !hidden.has(project));
    return integration.projects.length > 0 && projects.length === 0
      ? undefined
      : { ...integration, projects };
  };
}

/**
 * The projects to store: those given, and those stored that the actor may not read, so that saving what one sees drops nothing.
 * A project that the actor may not read cannot be added; it is rejected like one that does not exist.
 */
export async function mergeProjects(
  db: Reader,
  actor: Actor,
  given: string[],
  stored: string[],
): Promise<string[]> {
  const hidden = await unreadableOf(db, actor, [...given, ...stored]);
  const unknown = given.filter(project => hidden.has(project) && !stored.includes(project));
  if (unknown.length > 0) {
    throw badData(
      unknown.map(project => ({
        message: `project ${project} does not exist`,
        path: `/body/projects/${given.indexOf(project)}`,
      })),
    );
  }
  if (given.length === 0) return [];
  return [...new Set([...given, ...stored.filter(project => hidden.has(project))])];
}
