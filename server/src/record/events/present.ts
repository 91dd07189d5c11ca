import { ALL } from '@halyard/plane/platform/http/schema.ts';
import { findUnreadableProjects } from '../../access/visibility.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { describe, describeInParts } from './describe.ts';
import { isImported, toUnleashId } from './imported.ts';
import type { Event } from './schema.ts';
import type { EventRow } from './store.ts';

/** Which optional fields a response contains. */
type PresentOptions = { parts?: boolean | undefined };

/** Returns an event for responses, without the IP address and without fields that the event does not have. */
export function presentEvent(row: EventRow, { parts }: PresentOptions = {}): Event {
  const { ip: _, createdByKind, createdByToken, createdByClient, comment, ...event } = row;
  return {
    ...event,
    ...(createdByKind === null ? {} : { createdByKind }),
    ...(createdByToken === null ? {} : { createdByToken }),
    ...(createdByClient === null ? {} : { createdByClient }),
    ...(comment === null ? {} : { comment }),
    ...(isImported(row.id) ? { importedFrom: { product: 'unleash', id: toUnleashId(row.id) } } : {}),
    ...(parts ? describeInParts(row) : describe(row)),
  };
}

type CanRead = (project: string) => boolean;

/**
 * Presents an event in a response to the actor. Only root admins see IP addresses, and projects that the actor cannot read are
 * removed.
 */
export const presentEventTo = (
  actor: Pick<Actor, 'isAdmin'>,
  event: EventRow,
  canRead: CanRead,
  options: PresentOptions = {},
): Event =>
  actor.isAdmin
    ? { ...presentEvent(event, options), ip: event.ip }
    : presentEvent(
        getListedProjects(event).every(canRead)
          ? event
          : {
              ...event,
              data: removeHidden(event.data, canRead),
              preData: removeHidden(event.preData, canRead),
            },
        options,
      );

/** Returns the `canRead` argument of `presentEventTo` for these events. */
export async function makeCanRead(db: Reader, actor: Actor, events: EventRow[]): Promise<CanRead> {
  const hiddenProjects = await findUnreadableProjects(db, actor, [
    ...new Set(events.flatMap(getListedProjects)),
  ]);
  return project => !hiddenProjects.has(project);
}

/**
 * Returns the projects that are listed in an event without a project: those of an integration or API token, and those in an
 * integration's filter. The user who caused the event sees it, but may lack access to some of these projects.
 */
export const getListedProjects = ({ project, data, preData }: EventRow): string[] =>
  project === null
    ? [data, preData]
        .flatMap(part => [...readProjects(part), ...readFilterProjects(part)])
        .filter(name => name !== ALL)
    : [];

const readProjects = (part: object | null): string[] => {
  const { projects } = (part ?? {}) as { projects?: unknown };
  return Array.isArray(projects) ? projects.filter(project => typeof project === 'string') : [];
};

/** Returns the projects of a filter such as `IS_ANY_OF:default,payments`. */
const readFilterProjects = (part: object | null): string[] => {
  const { filter } = (part ?? {}) as { filter?: { project?: unknown } | null };
  const project = filter?.project;
  if (typeof project !== 'string') return [];
  return project
    .slice(project.indexOf(':') + 1)
    .split(',')
    .map(name => name.trim());
};

function removeHidden(part: object | null, canRead: CanRead): object | null {
  return part && keepReadableProjects(removeHiddenFilter(part, canRead), canRead);
}

/** Removes the whole filter, because its other parameters may name things in the hidden project. */
function removeHiddenFilter(part: object, canRead: CanRead): object {
  if (readFilterProjects(part).every(canRead)) return part;
  const { filter: _, ...rest } = part as { filter: unknown };
  return rest;
}

/** Keeps only the projects that can be read. An empty list means all projects, so a list that would become empty is omitted. */
function keepReadableProjects(part: object, canRead: CanRead): object {
  const projects = readProjects(part);
  if (projects.length === 0) return part;
  const { projects: _, ...rest } = part as { projects: unknown };
  const readable = projects.filter(project => project === ALL || canRead(project));
  return readable.length === 0 ? rest : { ...part, projects: readable };
}
