import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import { type Decision, decide, findActor, requireInProject, requirePermission } from '../../access/guard.ts';
import { type Actor, isAccount } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { proposeChanges } from './changes.ts';
import type { AccessExplanation, AccessPath, AccessQuestion, OtherRole, Reason } from './schema.ts';
import {
  findProject,
  type HeldRole,
  hasEnvironment,
  listGrantors,
  listHeldRoles,
  type Place,
} from './store.ts';

/**
 * Explains whether somebody may do something. The guard decides, as it would for their own request, and the roles are read with
 * the guard's conditions. A caller who cannot read the project gets the same 404 as for one that does not exist.
 */
export async function explainAccess(
  db: Reader,
  asker: Actor,
  question: AccessQuestion,
): Promise<AccessExplanation> {
  const { permission, environment } = question;
  const { actor: subject, isActive } = await subjectOf(db, asker, question.user);
  const project = await readProject(db, asker, question);
  if (environment !== undefined && !(await hasEnvironment(db, environment)))
    throw notFound(`Environment "${environment}"`);

  const decided = await decide(db, subject, permission === undefined ? 'NONE' : [permission], {
    ...(project === null ? {} : { projectId: project.id }),
    ...(environment === undefined ? {} : { environment }),
  });
  const place = {
    permission: permission ?? null,
    project: project?.id ?? null,
    environment: environment ?? null,
  };
  const held = isAccount(subject) ? await listHeldRoles(db, subject.userId, place) : [];
  const isPath = makeIsPath(place, project?.mode === 'private');
  const paths = held.filter(isPath);
  const decision = isActive ? decided : 'deactivated';
  const isAllowed = decision === 'allowed';
  const { roles, changes } =
    isAllowed || !isActive
      ? { roles: [], changes: [] }
      : await proposeChanges(db, asker, subject.userId, place, held, decision !== 'cannot-read-project');
  const viaProject = changes.some(({ kind }) => kind === 'grant-project-role');
  const explained = {
    subject: { id: subject.userId, name: subject.name, kind: kindOf(subject) },
    ...place,
    project,
    allowed: isAllowed,
    reason: reasonOf(subject, decision, paths),
    paths: paths.map(asPath),
    otherRoles: held.filter(one => !isPath(one)).map(one => asOtherRole(one)),
    roles,
    changes,
    grantors: isAllowed ? [] : await listGrantors(db, viaProject ? place.project : null),
  };
  return { ...explained, summary: summaryOf(explained) };
}

const LARGEST_ID = 2_147_483_647;

type Subject = { actor: Actor; isActive: boolean };

async function subjectOf(db: Reader, asker: Actor, user: string | undefined): Promise<Subject> {
  const id = Number(user);
  if (user === undefined || id === asker.userId) return { actor: asker, isActive: true };
  requirePermission(asker, ['ADMIN']);
  const subject = id > LARGEST_ID ? undefined : await findActor(db, id);
  if (!subject) throw notFound(`User ${user}`);
  return subject;
}

async function readProject(
  db: Reader,
  asker: Actor,
  { project, environment }: AccessQuestion,
): Promise<AccessExplanation['project']> {
  if (project === undefined) {
    if (environment === undefined) return null;
    throw badData([{ message: 'environment requires project', path: '/query/environment' }]);
  }
  await requireInProject(db, asker, project, []);
  const found = await findProject(db, project);
  if (!found) throw notFound(`Project "${project}"`);
  return found;
}

const kindOf = ({ kind }: Actor): AccessExplanation['subject']['kind'] =>
  kind === 'user' || kind === 'service-account' ? kind : 'admin-token';

/** Reading needs no permission. In a private project, every role in it is enough. */
const makeIsPath =
  ({ permission }: Place, isPrivate: boolean) =>
  ({ granting, project }: HeldRole): boolean =>
    granting !== null || (permission === null && isPrivate && project !== null);

const asPath = ({ environments: _e, inOtherProjects: _o, granting, ...held }: HeldRole): AccessPath => ({
  ...held,
  permission: granting,
});

function asOtherRole({ granting: _, inOtherProjects, environments, ...held }: HeldRole): OtherRole {
  if (environments.length > 0) return { ...held, environments, why: 'other-environments' };
  return { ...held, environments, why: inOtherProjects ? 'other-projects' : 'lacks-permission' };
}

function reasonOf(subject: Actor, decision: Decision | 'deactivated', paths: HeldRole[]): Reason {
  if (decision !== 'allowed') return decision;
  if (!isAccount(subject)) return 'admin-token';
  if (subject.isAdmin) return 'admin';
  return paths.length > 0 ? 'role' : 'everyone';
}

type Explained = Omit<AccessExplanation, 'summary'>;

function summaryOf({ subject, permission, project, environment, allowed, reason, paths }: Explained): string {
  const where = placeInWords(project?.id, environment);
  const who = `"${subject.name}"`;
  if (reason === 'deactivated') return `${who} is deactivated and cannot do anything.`;
  if (reason === 'cannot-read-project')
    return `${who} cannot read project "${project?.id}", because it is private and ${who} has no role in it.`;
  if (!allowed) return `${who} lacks ${permission}${where}.`;
  const does =
    permission === null
      ? project
        ? `can read project "${project.id}"`
        : 'can use the admin API'
      : `has ${permission}${where}`;
  return `${who} ${does}${sourceInWords(reason, paths[0])}.`;
}

function placeInWords(project: string | undefined, environment: string | null): string {
  if (project === undefined) return ' on the instance';
  return environment === null
    ? ` in project "${project}"`
    : ` in environment "${environment}" of project "${project}"`;
}

function sourceInWords(reason: Reason, path: AccessPath | undefined): string {
  if (reason === 'admin-token') return ', like every admin token';
  if (!path) return ', like everyone';
  const of = path.group === null ? '' : ` of the group "${path.group.name}"`;
  return `, through the role "${path.role.name}"${of}`;
}
