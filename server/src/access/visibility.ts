import type { Actor } from '../platform/actor.ts';
import type { Reader, Tx } from '../platform/db/database.ts';
import { listPrivateProjects, listReadableProjects, listReadableProjectsByUser } from './store.ts';

/** Returns the projects that the actor cannot read. For an admin, this is always empty, even if a project does not exist. */
export async function findUnreadableProjects(
  db: Reader,
  actor: Actor,
  projects: string[],
): Promise<Set<string>> {
  return actor.isAdmin ? new Set() : await findUnknownProjects(db, actor, projects);
}

/** Returns the projects that do not exist or that the actor cannot read. */
export async function findUnknownProjects(
  db: Reader,
  actor: Actor,
  projects: string[],
): Promise<Set<string>> {
  if (projects.length === 0) return new Set();
  const readable = await listReadableProjects(db, actor, projects);
  return new Set(projects.filter(project => !readable.includes(project)));
}

/** Creates a function that returns whether an account can read a project. */
export async function buildProjectReadCheck(
  db: Reader,
  userIds: number[],
  projects: string[],
): Promise<(userId: number, project: string) => boolean> {
  if (userIds.length === 0 || projects.length === 0) return () => false;
  const rows = await listReadableProjectsByUser(db, userIds, projects);
  const readable = new Set(rows.map(({ userId, project }) => `${userId} ${project}`));
  return (userId, project) => readable.has(`${userId} ${project}`);
}

/**
 * Creates a function that returns whether an event in the project may name another project and include its content. It must not if
 * the other project is private, because readers of the event may lack access to it.
 */
export async function buildProjectNameCheck(
  tx: Tx,
  project: string,
  others: string[],
): Promise<(other: string) => boolean> {
  const otherProjects = [...new Set(others)].filter(other => other !== project);
  const hiddenProjects = otherProjects.length === 0 ? [] : await listPrivateProjects(tx, otherProjects);
  return other => !hiddenProjects.includes(other);
}
