import type { Violation } from '@halyard/plane/platform/errors.ts';
import { ALL } from '@halyard/plane/platform/http/schema.ts';
import { hasPermission } from '../../access/guard.ts';
import type { Permission } from '../../access/permissions.ts';
import { findUnknownProjects, findUnreadableProjects } from '../../access/visibility.ts';
import { findEnvironmentViolations } from '../../flags/environments/violations.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { describeUnknownType } from '../../record/events/unknown-type.ts';
import { findGrammarViolations, listFilterNames, listFilterProjects } from './filter.ts';
import { type IntegrationFilter, KNOWN_EVENTS } from './schema.ts';

type FilteredIntegration = { projects: string[]; filter: IntegrationFilter | null };
type Filters = FilteredIntegration & { environments: string[] };

/** Callers with these permissions can send any project's events anywhere, so they see the whole filter. */
const MANAGE_PERMISSIONS: Permission[] = ['CREATE_ADDON', 'UPDATE_ADDON'];

/**
 * Returns a function that removes what the actor cannot see: projects that the actor cannot read (hidden projects), and the parts of
 * a filter that can name a feature of a hidden project. It returns undefined for an integration whose filter names a hidden project,
 * or that is only for hidden projects, because an empty list would mean all projects.
 */
export async function viewFor(db: Reader, actor: Actor, integrations: FilteredIntegration[]) {
  const hiddenProjects = await findUnreadableProjects(db, actor, [
    ...new Set(integrations.flatMap(({ projects, filter }) => [...projects, ...listFilterProjects(filter)])),
  ]);
  return <T extends FilteredIntegration>(integration: T): T | undefined => {
    const projects = integration.projects.filter(project => !hiddenProjects.has(project));
    const namesHiddenProject = listFilterProjects(integration.filter).some(project =>
      hiddenProjects.has(project),
    );
    return namesHiddenProject || (integration.projects.length > 0 && projects.length === 0)
      ? undefined
      : { ...integration, projects, filter: filterFor(actor, integration.filter) };
  };
}

/**
 * Only callers with MANAGE_PERMISSIONS see feature names and search strings, because a name does not reveal which project it
 * belongs to, or used to.
 */
function filterFor(actor: Actor, filter: IntegrationFilter | null): IntegrationFilter | null {
  if (filter === null || hasPermission(actor, MANAGE_PERMISSIONS)) return filter;
  const { feature: _, query: __, ...visibleFields } = filter;
  return visibleFields;
}

/**
 * Returns violations of filters that name an unknown project, event type or environment. A project that the actor cannot read
 * counts as unknown. Stored names are accepted, because a project or environment can be deleted later.
 */
export async function findFilterViolations(
  db: Reader,
  actor: Actor,
  { projects = [], environments = [], filter = null }: Partial<Filters>,
  stored: Filters = { projects: [], environments: [], filter: null },
): Promise<Violation[]> {
  const newProjects = findNewNames(projects, stored.projects);
  const isValid = findGrammarViolations(filter).length === 0;
  const newNamesIn = (parameter: 'project' | 'type' | 'environment') =>
    isValid
      ? listFilterNames(filter, parameter).filter(
          name => !listFilterNames(stored.filter, parameter).includes(name),
        )
      : [];
  const newFilterProjects = newNamesIn('project');
  const unknownNames = await findUnknownProjects(db, actor, [...newProjects, ...newFilterProjects]);
  return [
    ...newFilterProjects
      .filter(name => unknownNames.has(name))
      .map(name => ({ message: `project "${name}" does not exist`, path: '/body/filter/project' })),
    ...newProjects
      .filter(name => unknownNames.has(name))
      .map(name => ({
        message: `project "${name}" does not exist`,
        path: `/body/projects/${projects.indexOf(name)}`,
      })),
    ...newNamesIn('type')
      .filter(type => type === ALL || !KNOWN_EVENTS.includes(type))
      .map((type, index) => ({ message: describeUnknownType(type, index), path: '/body/filter/type' })),
    ...(await findEnvironmentViolations(db, [
      ...newNamesIn('environment').map(name => ({ name, path: '/body/filter/environment' })),
      ...findNewNames(environments, stored.environments).map(name => ({
        name,
        path: `/body/environments/${environments.indexOf(name)}`,
      })),
    ])),
  ];
}

/** Returns no names if the list contains `*`, because other names then have no effect. */
const findNewNames = (names: string[], storedNames: string[]): string[] =>
  names.includes(ALL) ? [] : [...new Set(names)].filter(name => !storedNames.includes(name));

/** Adds the stored projects that the actor cannot read, so that saving the visible projects does not remove the others. */
export async function mergeProjects(
  db: Reader,
  actor: Actor,
  projects: string[],
  storedProjects: string[],
): Promise<string[]> {
  if (projects.length === 0) return [];
  const hiddenProjects = await findUnreadableProjects(db, actor, storedProjects);
  return [...new Set([...projects, ...storedProjects.filter(project => hiddenProjects.has(project))])];
}
