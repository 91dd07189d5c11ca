import { listUserPermissions } from '../../access/held-permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { type AccessChange, MAX_CHANGES } from './schema.ts';
import {
  type AccessScope,
  type DefinedPermission,
  type HeldRole,
  listDefinedPermissions,
  listGroupRoles,
  listGroupsWith,
  listRolesWith,
  type Role,
} from './store.ts';

const isRootRole = ({ type }: Role): boolean => type === 'root' || type === 'root-custom';

type ProposedAccess = { roles: Role[]; changes: AccessChange[] };

/**
 * Finds what would allow a denied request. A root role does not make its holder a member of a private project, unless the role
 * has ADMIN. If the subject lacks only membership, any role in the project is enough.
 */
export async function proposeChanges(
  db: Reader,
  caller: Actor,
  userId: number,
  scope: AccessScope,
  heldRoles: HeldRole[],
  isReadable: boolean,
): Promise<ProposedAccess> {
  const lacksMembershipOnly = !isReadable && heldRoles.some(({ granting }) => granting !== null);
  const grantingRoles = await listRolesWith(db, lacksMembershipOnly ? { ...scope, permission: null } : scope);
  const roles = grantingRoles
    .filter(role => role.isAdmin || isReadable || !isRootRole(role))
    .map(({ isAdmin: _, ...role }) => role);
  const roleIds = roles.map(({ id }) => id);
  const groups = await listGroupsWith(db, userId, roleIds, scope.project, caller);
  const currentRootRole =
    heldRoles.find(({ project, group }) => project === null && group === null)?.role ?? null;

  const proposals: Proposal[] = [
    ...groups.map(({ id, name, role, otherProjects }) => ({
      kind: 'join-group' as const,
      role,
      group: { id, name },
      otherProjects,
    })),
    ...roles.slice(0, MAX_CHANGES).map(role => ({
      kind: isRootRole(role) ? ('set-root-role' as const) : ('grant-project-role' as const),
      role,
      group: null,
      otherProjects: 0,
    })),
  ];
  const changes = await withSideEffects(db, userId, scope, proposals, currentRootRole);
  return { roles, changes: changes.toSorted(byAddedAccess).slice(0, MAX_CHANGES) };
}

type Proposal = Pick<AccessChange, 'kind' | 'role' | 'group' | 'otherProjects'>;

const grantsAdmin = ({ alsoGrants }: AccessChange): boolean =>
  alsoGrants.some(({ permission }) => permission === 'ADMIN');

/**
 * Compares changes by how much access they add. ADMIN adds the most, although it is only one permission. A root role applies
 * everywhere, so project roles come before it.
 */
const byAddedAccess = (a: AccessChange, b: AccessChange): number =>
  Number(grantsAdmin(a)) - Number(grantsAdmin(b)) ||
  Number(a.kind === 'set-root-role') - Number(b.kind === 'set-root-role') ||
  a.alsoGrants.length - b.alsoGrants.length;

async function withSideEffects(
  db: Reader,
  userId: number,
  scope: AccessScope,
  proposals: Proposal[],
  currentRootRole: Role | null,
): Promise<AccessChange[]> {
  const groupIds = proposals.flatMap(({ group }) => group?.id ?? []);
  const groupRoles = await listGroupRoles(db, groupIds, scope.project);
  const listRoleIds = ({ role, group }: Proposal): number[] =>
    group === null
      ? [role.id]
      : groupRoles.filter(({ groupId }) => groupId === group.id).map(({ roleId }) => roleId);
  const definedPermissions = await listDefinedPermissions(db, [
    ...new Set([...proposals.flatMap(listRoleIds), ...(currentRootRole ? [currentRootRole.id] : [])]),
  ]);
  const permissions = await listUserPermissions(db, userId);
  const isHeld = ({ permission, environment }: DefinedPermission): boolean =>
    permissions.some(
      heldPermission =>
        heldPermission.permission === permission &&
        (heldPermission.project === undefined || heldPermission.project === scope.project) &&
        (heldPermission.environment === undefined || heldPermission.environment === environment),
    );

  return proposals.map(proposal => {
    const roleIds = listRoleIds(proposal);
    const newPermissions = definedPermissions.filter(
      candidate =>
        roleIds.includes(candidate.roleId) &&
        (candidate.project === null || candidate.project === scope.project) &&
        candidate.permission !== scope.permission &&
        !isHeld(candidate),
    );
    const replacedRole = proposal.kind === 'set-root-role' ? currentRootRole : null;
    return {
      ...proposal,
      alsoGrants: removeDuplicates(
        newPermissions.map(({ permission, environment }) =>
          environment === null ? { permission } : { permission, environment },
        ),
      ),
      replaces: replacedRole,
      loses:
        replacedRole === null
          ? []
          : listLostPermissions(definedPermissions, replacedRole.id, proposal.role.id),
    };
  });
}

const removeDuplicates = (gains: AccessChange['alsoGrants']): AccessChange['alsoGrants'] => [
  ...new Map(gains.map(gain => [`${gain.permission} ${gain.environment ?? ''}`, gain])).values(),
];

/** Lists the permissions of the current role that the new role lacks. */
function listLostPermissions(
  defined: DefinedPermission[],
  currentRoleId: number,
  newRoleId: number,
): string[] {
  const newPermissions = new Set(
    defined.filter(({ roleId }) => roleId === newRoleId).map(({ permission }) => permission),
  );
  if (newPermissions.has('ADMIN')) return [];
  const currentPermissions = defined
    .filter(({ roleId }) => roleId === currentRoleId)
    .map(({ permission }) => permission);
  return [...new Set(currentPermissions)].filter(permission => !newPermissions.has(permission));
}
