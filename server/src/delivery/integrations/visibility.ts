import { unknownProjects, unreadableProjects } from '../../access/visibility.ts';
import { environmentViolations } from '../../flags/environments/violations.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { ALL } from './schema.ts';

type Filtered = { projects: string[] };
type Filters = { projects: string[]; environments: string[] };

/**
 * How the actor sees integrations: without the ids of projects they may not read. An integration for such projects alone is
 * not seen at all, since an empty list of projects means all of them.
 */
export async function viewFor(db: Reader, actor: Actor, integrations: Filtered[]) {
  const hidden = await unreadableProjects(db, actor, [
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
 * A filter by a name that nothing has would never let an event through. A project that the actor may not read is
 * rejected like one that does not exist. Stored names may stay, since a project or environment can be deleted later.
 */
export async function filterViolations(
  db: Reader,
  actor: Actor,
  { projects = [], environments = [] }: Partial<Filters>,
  stored: Filters = { projects: [], environments: [] },
): Promise<Violation[]> {
  const newProjects = added(projects, stored.projects);
  const unknown = await unknownProjects(db, actor, newProjects);
  return [
    ...newProjects
      .filter(name => unknown.has(name))
      .map(name => ({
        message: `project ${name} does not exist`,
        path: `/body/projects/${projects.indexOf(name)}`,
      })),
    ...(await environmentViolations(
      db,
      added(environments, stored.environments).map(name => ({
        name,
        path: `/body/environments/${environments.indexOf(name)}`,
      })),
    )),
  ];
}

/** Beside `*`, which means all, other names have no effect. */
const added = (given: string[], stored: string[]): string[] =>
  given.includes(ALL) ? [] : [...new Set(given)].filter(name => !stored.includes(name));

/** The projects to store: those given, and those stored that the actor may not read, so that saving what one sees drops nothing. */
export async function mergeProjects(
  db: Reader,
  actor: Actor,
  given: string[],
  stored: string[],
): Promise<string[]> {
  if (given.length === 0) return [];
  const hidden = await unreadableProjects(db, actor, stored);
  return [...new Set([...given, ...stored.filter(project => hidden.has(project))])];
}
