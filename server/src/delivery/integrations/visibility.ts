import { unknownProjects, unreadableProjects } from '../../access/visibility.ts';
import { environmentViolations } from '../../flags/environments/violations.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Violation } from '../../platform/errors.ts';
import { ALL } from './schema.ts';

type Filtered = { projects: string[] };
type Filters = { projects: string[]; environments: string[] };

/**
 * Returns a function that removes the projects that the actor cannot read. It returns undefined for an integration that is only
 * for such projects, because an empty list means all projects.
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
 * Violations of filters that name an unknown project or environment. A project that the actor cannot read counts as unknown.
 * Stored names are accepted, because a project or environment can be deleted later.
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
        message: `project "${name}" does not exist`,
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

/** With `*`, which means all, other names have no effect. */
const added = (given: string[], stored: string[]): string[] =>
  given.includes(ALL) ? [] : [...new Set(given)].filter(name => !stored.includes(name));

/** Adds the stored projects that the actor cannot read, so that saving the visible projects removes none of them. */
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
