import { findValidCredentials } from '../../access/still-valid.ts';
import { buildProjectReadCheck } from '../../access/visibility.ts';
import type { Credential } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { getListedProjects } from '../events/present.ts';
import { canSeeOwnEvents, type EventRow } from '../events/store.ts';
import type { Listener } from './listener.ts';

/**
 * What each listener can see now. Access is read after the events, so that revoked access hides every event written after the
 * revocation.
 */
export type Access = {
  /** Whether the caller is a root admin, or undefined without a valid session or token. */
  isAdmin: (listener: Listener) => boolean | undefined;
  /** Decides whether the caller can see an event, like the SQL condition `isVisible`. */
  canSee: (listener: Listener, event: EventRow) => boolean;
  /** Whether the caller can read a project of the events, or a project listed in them. */
  canRead: (listener: Listener, project: string) => boolean;
};

/** Reads the access of all listeners to all events with two queries. */
export async function readAccess(db: Reader, listeners: Listener[], events: EventRow[]): Promise<Access> {
  const admins = new Map<string, boolean>();
  const credentials = new Map(listeners.map(({ credential }) => [toKey(credential), credential]));
  for (const { isAdmin, ...credential } of await findValidCredentials(db, [...credentials.values()])) {
    admins.set(toKey(credential), isAdmin);
  }
  const isAdmin = ({ credential }: Listener) => admins.get(toKey(credential));
  const userIds = new Set(
    listeners.filter(listener => isAdmin(listener) === false).map(({ actor }) => actor.userId),
  );
  const projects = new Set(events.flatMap(event => event.project ?? getListedProjects(event)));
  const isReadable = await buildProjectReadCheck(db, [...userIds], [...projects]);
  const canRead = ({ actor: { userId, scope } }: Listener, project: string) =>
    (scope?.projects?.includes(project) ?? true) && isReadable(userId, project);
  return {
    isAdmin,
    canSee: (listener, event) => {
      if (isAdmin(listener)) return true;
      if (event.project !== null) return canRead(listener, event.project);
      if (!canSeeOwnEvents(listener.actor) || event.createdByUserId !== listener.actor.userId) return false;
      return !listener.search.query || getListedProjects(event).every(project => canRead(listener, project));
    },
    canRead,
  };
}

const toKey = ({ table, id }: Credential): string => `${table} ${id}`;
