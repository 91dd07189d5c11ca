import { isDeepStrictEqual } from 'node:util';
import {
  ApiError,
  badData,
  exceedsLimit,
  invalidOperation,
  notFound,
  type Violation,
} from '../../../../plane/src/platform/errors.ts';
import { PROJECT_ROLES } from '../../access/roles.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { readNames } from '../grants/names.ts';
import { roleViolations } from '../roles/violations.ts';
import {
  deleteGrants,
  type Grant,
  hasOwner,
  insertGrants,
  listGrants,
  listRolesBeyond,
  lockAccess,
  lockGroupHolders,
  lockUserHolders,
  type SingleGrant,
} from './store.ts';

/** Without a limit, 10,000 users and groups with 100 roles each would be a million rows. */
const MAX_GRANTS = 10_000;

/** The requested roles of a user or group, with the paths of both in the request. */
export type RequestedGrant = Grant & { at: string; rolesAt: string };

/** Computes the new grants from the current and the requested ones. */
type Rule = (before: Grant[], requested: Grant[]) => Grant[];

/** Replaces all grants of the project. */
export const replaceAll: Rule = (_before, requested) => requested;

/** Replaces the roles of the requested users and groups. */
export const replaceRoles: Rule = (before, requested) => {
  const replaced = new Set(requested.map(holder));
  return [...before.filter(grant => !replaced.has(holder(grant))), ...requested];
};

/** Adds the roles to those that the users and groups have. */
export const addRoles: Rule = (before, requested) => [...before, ...requested];

/** Revokes the roles from the requested users and groups. */
export const revokeRoles: Rule = (before, requested) => {
  const revoked = rolesByHolder(requested);
  return before.map(grant => ({
    ...grant,
    roles: grant.roles.filter(role => !revoked.get(holder(grant))?.includes(role)),
  }));
};

/** Changes the roles that users and groups hold in a project. Such changes of one project run one at a time. */
export async function changeAccess(
  current: Change,
  project: string,
  rule: Rule,
  requested: RequestedGrant[],
): Promise<void> {
  const grants = requested.reduce((sum, { roles }) => sum + roles.length, 0);
  if (grants > MAX_GRANTS) {
    throw exceedsLimit(
      `The request grants ${grants} roles. One request can grant at most ${MAX_GRANTS}. Split the request.`,
    );
  }
  const { tx, actor } = current;
  if (!(await lockAccess(tx, project))) throw notFound(`Project "${project}"`);
  await requireExisting(tx, project, requested);
  const before = await listGrants(tx, project);
  const steps = stepsBetween(before, rule(before, requested));
  if (steps.length === 0) return;
  await requireOwnPermissions(tx, actor, project, steps);

  await keepLastOwner(tx, project, steps, async () => {
    for (const kind of ['user', 'group'] as const) {
      const ofKind = steps.filter(step => step.kind === kind);
      const removed = singles(ofKind, 'before', 'after');
      const added = singles(ofKind, 'after', 'before');
      if (removed.length > 0) await deleteGrants(tx, project, kind, removed);
      if (added.length > 0) await insertGrants(tx, project, kind, added, actor.name);
    }
  });
  await recordSteps(current, project, steps);
}

const holder = ({ kind, id }: Grant): string => `${kind} ${id}`;

/** The roles of each user and group, without duplicates and in ascending order. */
function rolesByHolder(grants: Grant[]): Map<string, number[]> {
  const roles = Map.groupBy(grants, holder);
  return new Map([...roles].map(([key, held]) => [key, inOrder(held.flatMap(grant => grant.roles))]));
}

const inOrder = (ids: number[]): number[] => [...new Set(ids)].toSorted((one, other) => one - other);

/** The change for one user or group. */
type Step = { kind: Grant['kind']; id: number; before: number[]; after: number[] };

function stepsBetween(earlier: Grant[], later: Grant[]): Step[] {
  const [before, after] = [rolesByHolder(earlier), rolesByHolder(later)];
  const holders = new Map([...earlier, ...later].map(grant => [holder(grant), grant]));
  return [...holders]
    .map(([key, { kind, id }]) => ({ kind, id, before: before.get(key) ?? [], after: after.get(key) ?? [] }))
    .filter(step => !isDeepStrictEqual(step.before, step.after));
}

function singles(steps: Step[], among: 'before' | 'after', not: 'before' | 'after'): SingleGrant[] {
  return steps.flatMap(step =>
    step[among].filter(role => !step[not].includes(role)).map(roleId => ({ id: step.id, roleId })),
  );
}

async function requireExisting(tx: Tx, project: string, requested: RequestedGrant[]): Promise<void> {
  const idsOf = (kind: Grant['kind']) => requested.filter(one => one.kind === kind).map(({ id }) => id);
  const found = {
    user: new Set(await lockUserHolders(tx, project, idsOf('user'))),
    group: new Set(await lockGroupHolders(tx, project, idsOf('group'))),
  };
  const roles = new Map(requested.flatMap(({ roles, rolesAt }) => roles.map(id => [id, rolesAt])));
  const details: Violation[] = [
    ...requested
      .filter(({ kind, id }) => !found[kind].has(id))
      .map(({ kind, id, at }) => ({ message: `${kind} ${id} does not exist`, path: at })),
    ...(await roleViolations(
      tx,
      'project',
      [...roles].map(([id, path]) => ({ id, path })),
    )),
  ];
  const inPath = details.find(({ path }) => path?.startsWith('/params'));
  if (inPath) throw new ApiError('NotFoundError', `${capitalised(inPath.message)}.`);
  if (details.length > 0) throw badData(details);
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Rejects an actor who grants or revokes permissions that the actor lacks, except owners of the project and admins. */
async function requireOwnPermissions(tx: Tx, actor: Actor, project: string, steps: Step[]): Promise<void> {
  if (actor.isAdmin) return;
  const touched = [...singles(steps, 'before', 'after'), ...singles(steps, 'after', 'before')];
  const beyond = await listRolesBeyond(tx, actor, project, inOrder(touched.map(({ roleId }) => roleId)));
  if (beyond.length === 0) return;
  throw new ApiError(
    'NoAccessError',
    `You cannot grant or revoke ${beyond.join(', ')}: you lack some of the permissions of ${beyond.length === 1 ? 'this role' : 'these roles'} in project "${project}". Ask a project owner.`,
  );
}

/** Runs work that can revoke the role Owner, and rejects it if a project with an owner would have none. */
async function keepLastOwner(
  tx: Tx,
  project: string,
  steps: Step[],
  work: () => Promise<void>,
): Promise<void> {
  const revokes = singles(steps, 'before', 'after').some(({ roleId }) => roleId === PROJECT_ROLES.Owner);
  const hadOwner = revokes && (await hasOwner(tx, project));
  await work();
  if (hadOwner && !(await hasOwner(tx, project))) {
    throw invalidOperation(
      `Project "${project}" would have no owner. Grant the role Owner to another user or group first.`,
    );
  }
}

async function recordSteps({ tx, record }: Change, project: string, steps: Step[]): Promise<void> {
  const idsOf = (kind: Grant['kind']) => steps.filter(step => step.kind === kind).map(({ id }) => id);
  const namesOf = await readNames(tx, {
    users: idsOf('user'),
    groups: idsOf('group'),
    roles: steps.flatMap(({ before, after }) => [...before, ...after]),
  });
  const added = steps.filter(({ before }) => before.length === 0);
  if (added.length > 0) {
    const roles = inOrder(added.flatMap(({ after }) => after)).map(roleId => ({
      roleId,
      groupIds: holdersOf(added, 'group', roleId),
      userIds: holdersOf(added, 'user', roleId),
    }));
    const names = namesOf({
      users: roles.flatMap(({ userIds }) => userIds),
      groups: roles.flatMap(({ groupIds }) => groupIds),
      roles: roles.map(({ roleId }) => roleId),
    });
    record({ type: 'project-access-added', project, data: { roles, ...names } });
  }
  for (const { kind, id, before, after } of steps) {
    if (before.length === 0) continue;
    const holder = kind === 'user' ? { userId: id } : { groupId: id };
    const holders = kind === 'user' ? { users: [id] } : { groups: [id] };
    const preData = { roles: before, ...holder, ...namesOf({ ...holders, roles: before }) };
    if (after.length === 0) record({ type: `project-access-${kind}-roles-deleted`, project, preData });
    else {
      const data = { roles: after, ...holder, ...namesOf({ ...holders, roles: after }) };
      record({ type: `project-access-${kind}-roles-updated`, project, data, preData });
    }
  }
}

const holdersOf = (steps: Step[], kind: Grant['kind'], roleId: number): number[] =>
  steps.filter(step => step.kind === kind && step.after.includes(roleId)).map(({ id }) => id);
