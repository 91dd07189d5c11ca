import { badData, ENVIRONMENT_HINT, notFound } from '@halyard/plane/platform/errors.ts';
import {
  type Decision,
  findActor,
  previewDecision,
  requireInProject,
  requirePermission,
} from '../../access/guard.ts';
import { type Actor, isAccount } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { proposeChanges } from './changes.ts';
import type { AccessExplanation, AccessPath, ExplainAccessQuery, OtherRole, Reason } from './schema.ts';
import {
  type AccessScope,
  findProject,
  type HeldRole,
  hasEnvironment,
  listGrantors,
  listHeldRoles,
} from './store.ts';

/**
 * Explains whether a user has access, and why. The guard decides as if the subject had sent the request, and the roles are read
 * with the guard's conditions. A caller who cannot read the project gets the same 404 as for a project that does not exist.
 */
export async function explainAccess(
  db: Reader,
  caller: Actor,
  query: ExplainAccessQuery,
): Promise<AccessExplanation> {
  const { permission, environment } = query;
  const { actor: subject, isActive } = await findSubject(db, caller, query.user);
  const project = await readProject(db, caller, query);
  if (environment !== undefined && !(await hasEnvironment(db, environment)))
    throw notFound(`Environment "${environment}"`, ENVIRONMENT_HINT);

  const guardDecision = await previewDecision(db, subject, permission === undefined ? 'NONE' : [permission], {
    ...(project === null ? {} : { projectId: project.id }),
    ...(environment === undefined ? {} : { environment }),
  });
  const scope = {
    permission: permission ?? null,
    project: project?.id ?? null,
    environment: environment ?? null,
  };
  const heldRoles = isAccount(subject) ? await listHeldRoles(db, subject.userId, scope) : [];
  const grantsAccess = makeGrantsAccess(scope, project?.mode === 'private');
  const paths = heldRoles.filter(grantsAccess);
  const decision = isActive ? guardDecision : 'deactivated';
  const isAllowed = decision === 'allowed';
  const { roles, changes } =
    isAllowed || !isActive
      ? { roles: [], changes: [] }
      : await proposeChanges(
          db,
          caller,
          subject.userId,
          scope,
          heldRoles,
          decision !== 'cannot-read-project',
        );
  const viaProject = changes.some(({ kind }) => kind === 'grant-project-role');
  const explanation = {
    subject: { id: subject.userId, name: subject.name, kind: getSubjectKind(subject) },
    ...scope,
    project,
    allowed: isAllowed,
    reason: determineReason(subject, decision, paths),
    paths: paths.map(toPath),
    otherRoles: heldRoles.filter(role => !grantsAccess(role)).map(role => toOtherRole(role)),
    roles,
    changes,
    grantors: isAllowed ? [] : await listGrantors(db, viaProject ? scope.project : null),
  };
  return { ...explanation, summary: formatSummary(explanation) };
}

const MAX_ID = 2_147_483_647;

type Subject = { actor: Actor; isActive: boolean };

async function findSubject(db: Reader, caller: Actor, user: string | undefined): Promise<Subject> {
  const id = Number(user);
  if (user === undefined || id === caller.userId) return { actor: caller, isActive: true };
  requirePermission(caller, ['ADMIN']);
  const subject = id > MAX_ID ? undefined : await findActor(db, id);
  if (!subject) throw notFound(`User ${user}`);
  return subject;
}

async function readProject(
  db: Reader,
  caller: Actor,
  { project, environment }: ExplainAccessQuery,
): Promise<AccessExplanation['project']> {
  if (project === undefined) {
    if (environment === undefined) return null;
    throw badData([{ message: 'environment requires project', path: '/query/environment' }]);
  }
  await requireInProject(db, caller, project, []);
  const foundProject = await findProject(db, project);
  if (!foundProject) throw notFound(`Project "${project}"`);
  return foundProject;
}

const getSubjectKind = ({ kind }: Actor): AccessExplanation['subject']['kind'] =>
  kind === 'user' || kind === 'service-account' ? kind : 'admin-token';

/**
 * Creates a function that returns whether a role allows the request. Reading needs no permission, so in a private project, any
 * role is enough.
 */
const makeGrantsAccess =
  ({ permission }: AccessScope, isPrivate: boolean) =>
  ({ granting, project }: HeldRole): boolean =>
    granting !== null || (permission === null && isPrivate && project !== null);

const toPath = ({ environments: _e, inOtherProjects: _o, granting, ...role }: HeldRole): AccessPath => ({
  ...role,
  permission: granting,
});

function toOtherRole({ granting: _, inOtherProjects, environments, ...role }: HeldRole): OtherRole {
  if (environments.length > 0) return { ...role, environments, why: 'other-environments' };
  return { ...role, environments, why: inOtherProjects ? 'other-projects' : 'lacks-permission' };
}

function determineReason(subject: Actor, decision: Decision | 'deactivated', paths: HeldRole[]): Reason {
  if (decision !== 'allowed') return decision;
  if (!isAccount(subject)) return 'admin-token';
  if (subject.isAdmin) return 'admin';
  return paths.length > 0 ? 'role' : 'everyone';
}

type ExplanationFacts = Omit<AccessExplanation, 'summary'>;

function formatSummary({
  subject,
  permission,
  project,
  environment,
  allowed,
  reason,
  paths,
}: ExplanationFacts): string {
  const scope = formatScope(project?.id, environment);
  const quotedName = `"${subject.name}"`;
  if (reason === 'deactivated') return `${quotedName} is deactivated and cannot do anything.`;
  if (reason === 'cannot-read-project')
    return `${quotedName} cannot read project "${project?.id}", because it is private and ${quotedName} has no role in it.`;
  if (!allowed) return `${quotedName} lacks ${permission}${scope}.`;
  const ability =
    permission === null
      ? project
        ? `can read project "${project.id}"`
        : 'can use the admin API'
      : `has ${permission}${scope}`;
  return `${quotedName} ${ability}${formatSource(reason, paths[0])}.`;
}

function formatScope(project: string | undefined, environment: string | null): string {
  if (project === undefined) return ' on the instance';
  return environment === null
    ? ` in project "${project}"`
    : ` in environment "${environment}" of project "${project}"`;
}

function formatSource(reason: Reason, path: AccessPath | undefined): string {
  if (reason === 'admin-token') return ', like every admin token';
  if (!path) return ', like everyone';
  const groupSuffix = path.group === null ? '' : ` of the group "${path.group.name}"`;
  return `, through the role "${path.role.name}"${groupSuffix}`;
}
