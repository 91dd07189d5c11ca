import { isDeepStrictEqual } from 'node:util';
import {
  ApiError,
  badData,
  exceedsLimit,
  invalidOperation,
  notFound,
  type Violation,
} from '@halyard/plane/platform/errors.ts';
import { PROJECT_ROLES } from '../../access/roles.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { readNames } from '../grants/names.ts';
import { findRoleViolations } from '../roles/violations.ts';
import {
  deleteGrants,
  type Grant,
  hasOwner,
  insertGrants,
  listGrants,
  listUngrantableRoles,
  lockAccess,
  lockGroupHolders,
  lockUserHolders,
  type SingleGrant,
} from './store.ts';

/** Without a limit, 10,000 users and groups with 100 roles each would be a million rows. */
const MAX_GRANTS = 10_000;

/** The requested roles of a user or group, with the paths of the holder and of the roles in the request. */
export type RequestedGrant = Grant & { path: string; rolesPath: string };

/** Computes the new grants from the current grants and the requested grants. */
type Rule = (currentGrants: Grant[], requested: Grant[]) => Grant[];

/** Replaces all grants of the project. */
export const replaceAll: Rule = (_currentGrants, requested) => requested;

/** Replaces the roles of the requested users and groups. */
export const replaceRoles: Rule = (currentGrants, requested) => {
  const replacedHolders = new Set(requested.map(holderKey));
  return [...currentGrants.filter(grant => !replacedHolders.has(holderKey(grant))), ...requested];
};

/** Adds the roles to those that the users and groups already have. */
export const addRoles: Rule = (currentGrants, requested) => [...currentGrants, ...requested];

/** Revokes the requested roles from the given users and groups. */
export const revokeRoles: Rule = (currentGrants, requested) => {
  const revokedRoles = rolesByHolder(requested);
  return currentGrants.map(grant => ({
    ...grant,
    roles: grant.roles.filter(role => !revokedRoles.get(holderKey(grant))?.includes(role)),
  }));
};

/** Changes the roles that users and groups hold in a project. Such changes run one at a time within a project. */
export async function changeAccess(
  current: Change,
  project: string,
  rule: Rule,
  requested: RequestedGrant[],
): Promise<void> {
  const grantCount = requested.reduce((sum, { roles }) => sum + roles.length, 0);
  if (grantCount > MAX_GRANTS) {
    throw exceedsLimit(
      `The request grants ${grantCount} roles. One request can grant at most ${MAX_GRANTS}. Split the request.`,
    );
  }
  const { tx, actor } = current;
  if (!(await lockAccess(tx, project))) throw notFound(`Project "${project}"`);
  await requireExistingReferences(tx, project, requested);
  const currentGrants = await listGrants(tx, project);
  const changes = listChanges(currentGrants, rule(currentGrants, requested));
  if (changes.length === 0) return;
  await requireOwnPermissions(tx, actor, project, changes);

  await keepLastOwner(tx, project, changes, async () => {
    for (const kind of ['user', 'group'] as const) {
      const kindChanges = changes.filter(change => change.kind === kind);
      const removedGrants = listGrantsOnlyIn(kindChanges, 'before', 'after');
      const addedGrants = listGrantsOnlyIn(kindChanges, 'after', 'before');
      if (removedGrants.length > 0) await deleteGrants(tx, project, kind, removedGrants);
      if (addedGrants.length > 0) await insertGrants(tx, project, kind, addedGrants, actor.name);
    }
  });
  await recordChanges(current, project, changes);
}

const holderKey = ({ kind, id }: Grant): string => `${kind} ${id}`;

/** Groups the roles by user and group, without duplicates and in ascending order. */
function rolesByHolder(grants: Grant[]): Map<string, number[]> {
  const grantsByHolder = Map.groupBy(grants, holderKey);
  return new Map(
    [...grantsByHolder].map(([key, holderGrants]) => [
      key,
      sortUnique(holderGrants.flatMap(grant => grant.roles)),
    ]),
  );
}

const sortUnique = (ids: number[]): number[] => [...new Set(ids)].toSorted((a, b) => a - b);

/** The change for one user or group. */
type HolderChange = { kind: Grant['kind']; id: number; before: number[]; after: number[] };

function listChanges(earlierGrants: Grant[], laterGrants: Grant[]): HolderChange[] {
  const [rolesBefore, rolesAfter] = [rolesByHolder(earlierGrants), rolesByHolder(laterGrants)];
  const holders = new Map([...earlierGrants, ...laterGrants].map(grant => [holderKey(grant), grant]));
  return [...holders]
    .map(([key, { kind, id }]) => ({
      kind,
      id,
      before: rolesBefore.get(key) ?? [],
      after: rolesAfter.get(key) ?? [],
    }))
    .filter(change => !isDeepStrictEqual(change.before, change.after));
}

function listGrantsOnlyIn(
  changes: HolderChange[],
  side: 'before' | 'after',
  otherSide: 'before' | 'after',
): SingleGrant[] {
  return changes.flatMap(change =>
    change[side].filter(role => !change[otherSide].includes(role)).map(roleId => ({ id: change.id, roleId })),
  );
}

async function requireExistingReferences(
  tx: Tx,
  project: string,
  requested: RequestedGrant[],
): Promise<void> {
  const listIds = (kind: Grant['kind']) => requested.filter(grant => grant.kind === kind).map(({ id }) => id);
  const existingIds = {
    user: new Set(await lockUserHolders(tx, project, listIds('user'))),
    group: new Set(await lockGroupHolders(tx, project, listIds('group'))),
  };
  const roles = new Map(requested.flatMap(({ roles, rolesPath }) => roles.map(id => [id, rolesPath])));
  const details: Violation[] = [
    ...requested
      .filter(({ kind, id }) => !existingIds[kind].has(id))
      .map(({ kind, id, path }) => ({ message: `${kind} ${id} does not exist`, path })),
    ...(await findRoleViolations(
      tx,
      'project',
      [...roles].map(([id, path]) => ({ id, path })),
    )),
  ];
  const pathViolation = details.find(({ path }) => path?.startsWith('/params'));
  if (pathViolation) throw new ApiError('NotFoundError', `${capitalize(pathViolation.message)}.`);
  if (details.length > 0) throw badData(details);
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Rejects an actor who grants or revokes permissions that the actor lacks. Owners of the project and admins are exempt. */
async function requireOwnPermissions(
  tx: Tx,
  actor: Actor,
  project: string,
  changes: HolderChange[],
): Promise<void> {
  if (actor.isAdmin) return;
  const changedGrants = [
    ...listGrantsOnlyIn(changes, 'before', 'after'),
    ...listGrantsOnlyIn(changes, 'after', 'before'),
  ];
  const ungrantableRoles = await listUngrantableRoles(
    tx,
    actor,
    project,
    sortUnique(changedGrants.map(({ roleId }) => roleId)),
  );
  if (ungrantableRoles.length === 0) return;
  throw new ApiError(
    'NoAccessError',
    `You cannot grant or revoke ${ungrantableRoles.join(', ')}: you lack some of the permissions of ${ungrantableRoles.length === 1 ? 'this role' : 'these roles'} in project "${project}". Ask a project owner.`,
  );
}

/** Runs work that can revoke the Owner role, and rejects the change if a project would lose its last owner. */
async function keepLastOwner(
  tx: Tx,
  project: string,
  changes: HolderChange[],
  work: () => Promise<void>,
): Promise<void> {
  const revokesOwner = listGrantsOnlyIn(changes, 'before', 'after').some(
    ({ roleId }) => roleId === PROJECT_ROLES.Owner,
  );
  const hadOwner = revokesOwner && (await hasOwner(tx, project));
  await work();
  if (hadOwner && !(await hasOwner(tx, project))) {
    throw invalidOperation(
      `Project "${project}" would have no owner. Grant the Owner role to another user or group first.`,
    );
  }
}

async function recordChanges(
  { tx, record }: Change,
  project: string,
  changes: HolderChange[],
): Promise<void> {
  const listIds = (kind: Grant['kind']) => changes.filter(change => change.kind === kind).map(({ id }) => id);
  const pickNames = await readNames(tx, {
    users: listIds('user'),
    groups: listIds('group'),
    roles: changes.flatMap(({ before, after }) => [...before, ...after]),
  });
  const newHolders = changes.filter(({ before }) => before.length === 0);
  if (newHolders.length > 0) {
    const roles = sortUnique(newHolders.flatMap(({ after }) => after)).map(roleId => ({
      roleId,
      groupIds: listHolderIds(newHolders, 'group', roleId),
      userIds: listHolderIds(newHolders, 'user', roleId),
    }));
    const names = pickNames({
      users: roles.flatMap(({ userIds }) => userIds),
      groups: roles.flatMap(({ groupIds }) => groupIds),
      roles: roles.map(({ roleId }) => roleId),
    });
    record({ type: 'project-access-added', project, data: { roles, ...names } });
  }
  for (const { kind, id, before, after } of changes) {
    if (before.length === 0) continue;
    const holderField = kind === 'user' ? { userId: id } : { groupId: id };
    const holders = kind === 'user' ? { users: [id] } : { groups: [id] };
    const preData = { roles: before, ...holderField, ...pickNames({ ...holders, roles: before }) };
    if (after.length === 0) record({ type: `project-access-${kind}-roles-deleted`, project, preData });
    else {
      const data = { roles: after, ...holderField, ...pickNames({ ...holders, roles: after }) };
      record({ type: `project-access-${kind}-roles-updated`, project, data, preData });
    }
  }
}

const listHolderIds = (changes: HolderChange[], kind: Grant['kind'], roleId: number): number[] =>
  changes.filter(change => change.kind === kind && change.after.includes(roleId)).map(({ id }) => id);
