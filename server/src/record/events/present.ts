import { ALL } from '../../../../plane/src/platform/http/schema.ts';
import { unreadableProjects } from '../../access/visibility.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { describe, describeInParts } from './describe.ts';
import { idThereOf, isImported } from './imported.ts';
import type { Event } from './schema.ts';
import type { EventRow } from './store.ts';

/** Options for the fields that only some responses contain. */
type Added = { parts?: boolean | undefined };

/** An event for responses, without the IP address and without fields that the event does not have. */
export function presentEvent(row: EventRow, { parts }: Added = {}): Event {
  const { ip: _, createdByKind, createdByToken, createdByClient, comment, ...event } = row;
  return {
    ...event,
    ...(createdByKind === null ? {} : { createdByKind }),
    ...(createdByToken === null ? {} : { createdByToken }),
    ...(createdByClient === null ? {} : { createdByClient }),
    ...(comment === null ? {} : { comment }),
    ...(isImported(row.id) ? { importedFrom: { product: 'unleash', id: idThereOf(row.id) } } : {}),
    ...(parts ? describeInParts(row) : describe(row)),
  };
}

type CanRead = (project: string) => boolean;

/**
 * An event for a response to the actor. IP addresses are for root admins only, and projects that the actor cannot read are
 * removed.
 */
export const presentEventTo = (
  actor: Pick<Actor, 'isAdmin'>,
  event: EventRow,
  canRead: CanRead,
  added: Added = {},
): Event =>
  actor.isAdmin
    ? { ...presentEvent(event, added), ip: event.ip }
    : presentEvent(
        listedProjects(event).every(canRead)
          ? event
          : {
              ...event,
              data: withoutHidden(event.data, canRead),
              preData: withoutHidden(event.preData, canRead),
            },
        added,
      );

/** Returns the `canRead` argument of `presentEventTo` for these events. */
export async function readableIn(db: Reader, actor: Actor, events: EventRow[]): Promise<CanRead> {
  const hidden = await unreadableProjects(db, actor, [...new Set(events.flatMap(listedProjects))]);
  return project => !hidden.has(project);
}

/**
 * The projects that an event without a project lists: those of an integration or API token, and those in an integration's filter.
 * The caller who caused the event sees it, but may lack access to some of these projects.
 */
export const listedProjects = ({ project, data, preData }: EventRow): string[] =>
  project === null
    ? [data, preData].flatMap(part => [...listOf(part), ...filteredOf(part)]).filter(listed => listed !== ALL)
    : [];

const listOf = (part: object | null): string[] => {
  const { projects } = (part ?? {}) as { projects?: unknown };
  return Array.isArray(projects) ? projects.filter(project => typeof project === 'string') : [];
};

/** The projects of a filter such as `IS_ANY_OF:default,payments`. */
const filteredOf = (part: object | null): string[] => {
  const { filter } = (part ?? {}) as { filter?: { project?: unknown } | null };
  const project = filter?.project;
  if (typeof project !== 'string') return [];
  return project
    .slice(project.indexOf(':') + 1)
    .split(',')
    .map(name => name.trim());
};

function withoutHidden(part: object | null, canRead: CanRead): object | null {
  return part && withReadableList(withReadableFilter(part, canRead), canRead);
}

/** Removes the whole filter, because its other parameters may name things in the hidden project. */
function withReadableFilter(part: object, canRead: CanRead): object {
  if (filteredOf(part).every(canRead)) return part;
  const { filter: _, ...others } = part as { filter: unknown };
  return others;
}

/** An empty list means all projects, so a list that would become empty is omitted. */
function withReadableList(part: object, canRead: CanRead): object {
  const listed = listOf(part);
  if (listed.length === 0) return part;
  const { projects: _, ...others } = part as { projects: unknown };
  const readable = listed.filter(project => project === ALL || canRead(project));
  return readable.length === 0 ? others : { ...part, projects: readable };
}
