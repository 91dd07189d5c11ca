import type { Violation } from '../../../../plane/src/platform/errors.ts';
import { ALL } from '../../../../plane/src/platform/http/schema.ts';
import { hasPermission } from '../../access/guard.ts';
import type { Permission } from '../../access/permissions.ts';
import { unknownProjects, unreadableProjects } from '../../access/visibility.ts';
import { environmentViolations } from '../../flags/environments/violations.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { unknownEventType } from '../../record/events/unknown-type.ts';
import { grammarViolations, namesOf, projectsOf } from './filter.ts';
import { type IntegrationFilter, KNOWN_EVENTS } from './schema.ts';

type Filtered = { projects: string[]; filter: IntegrationFilter | null };
type Filters = Filtered & { environments: string[] };

/** Callers with these permissions can send the events of every project anywhere, so they see the whole filter. */
const MANAGES: Permission[] = ['CREATE_ADDON', 'UPDATE_ADDON'];

/**
 * Returns a function that removes what the actor must not see: projects that the actor cannot read, and the parts of a filter that
 * can name a feature of such a project. It returns undefined for an integration that is only for such projects, because an empty
 * list means all projects, or whose filter names such a project.
 */
export async function viewFor(db: Reader, actor: Actor, integrations: Filtered[]) {
  const hidden = await unreadableProjects(db, actor, [
    ...new Set(integrations.flatMap(({ projects, filter }) => [...projects, ...projectsOf(filter)])),
  ]);
  return <T extends Filtered>(integration: T): T | undefined => {
    const projects = integration.projects.filter(project => !hidden.has(project));
    const namesHidden = projectsOf(integration.filter).some(project => hidden.has(project));
    return namesHidden || (integration.projects.length > 0 && projects.length === 0)
      ? undefined
      : { ...integration, projects, filter: shownFilter(actor, integration.filter) };
  };
}

/** Nobody else sees feature names and search strings, because a name does not reveal which project it belongs to, or used to. */
function shownFilter(actor: Actor, filter: IntegrationFilter | null): IntegrationFilter | null {
  if (filter === null || hasPermission(actor, MANAGES)) return filter;
  const { feature: _, query: __, ...others } = filter;
  return others;
}

/**
 * Violations of filters that name an unknown project, event type or environment. A project that the actor cannot read counts as unknown.
 * Stored names are accepted, because a project or environment can be deleted later.
 */
export async function filterViolations(
  db: Reader,
  actor: Actor,
  { projects = [], environments = [], filter = null }: Partial<Filters>,
  stored: Filters = { projects: [], environments: [], filter: null },
): Promise<Violation[]> {
  const newProjects = added(projects, stored.projects);
  const isValid = grammarViolations(filter).length === 0;
  const newIn = (parameter: 'project' | 'type' | 'environment') =>
    isValid
      ? namesOf(filter, parameter).filter(name => !namesOf(stored.filter, parameter).includes(name))
      : [];
  const filtered = newIn('project');
  const unknown = await unknownProjects(db, actor, [...newProjects, ...filtered]);
  return [
    ...filtered
      .filter(name => unknown.has(name))
      .map(name => ({ message: `project "${name}" does not exist`, path: '/body/filter/project' })),
    ...newProjects
      .filter(name => unknown.has(name))
      .map(name => ({
        message: `project "${name}" does not exist`,
        path: `/body/projects/${projects.indexOf(name)}`,
      })),
    ...newIn('type')
      .filter(type => type === ALL || !KNOWN_EVENTS.includes(type))
      .map((type, at) => ({ message: unknownEventType(type, at), path: '/body/filter/type' })),
    ...(await environmentViolations(db, [
      ...newIn('environment').map(name => ({ name, path: '/body/filter/environment' })),
      ...added(environments, stored.environments).map(name => ({
        name,
        path: `/body/environments/${environments.indexOf(name)}`,
      })),
    ])),
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
