import { permissionsOfUser } from '../../access/held-permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { type AccessChange, MAX_CHANGES } from './schema.ts';
import {
  type DefinedPermission,
  type HeldRole,
  listDefinedPermissions,
  listGroupsWith,
  listRolesOfGroups,
  listRolesWith,
  type Place,
  type Role,
} from './store.ts';

const isRootRole = ({ type }: Role): boolean => type === 'root' || type === 'root-custom';

type Proposed = { roles: Role[]; changes: AccessChange[] };

/**
 * What would allow a denied request. A root role does not make its holder a member of a private project, unless it has ADMIN. If the
 * subject only lacks membership, every role in the project is enough.
 */
export async function proposeChanges(
  db: Reader,
  asker: Actor,
  userId: number,
  place: Place,
  held: HeldRole[],
  isReadable: boolean,
): Promise<Proposed> {
  const lacksMembershipOnly = !isReadable && held.some(({ granting }) => granting !== null);
  const found = await listRolesWith(db, lacksMembershipOnly ? { ...place, permission: null } : place);
  const roles = found
    .filter(role => role.isAdmin || isReadable || !isRootRole(role))
    .map(({ isAdmin: _, ...role }) => role);
  const roleIds = roles.map(({ id }) => id);
  const groups = await listGroupsWith(db, userId, roleIds, place.project, asker);
  const current = held.find(one => one.project === null && one.group === null)?.role ?? null;

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
  const changes = await withSideEffects(db, userId, place, proposals, current);
  return { roles, changes: changes.toSorted(bySize).slice(0, MAX_CHANGES) };
}

type Proposal = Pick<AccessChange, 'kind' | 'role' | 'group' | 'otherProjects'>;

const ADMIN = ({ alsoGrants }: AccessChange): boolean =>
  alsoGrants.some(({ permission }) => permission === 'ADMIN');

/**
 * ADMIN is the largest change, although it is only one permission. A root role applies everywhere, so project roles come before
 * it.
 */
const bySize = (one: AccessChange, other: AccessChange): number =>
  Number(ADMIN(one)) - Number(ADMIN(other)) ||
  Number(one.kind === 'set-root-role') - Number(other.kind === 'set-root-role') ||
  one.alsoGrants.length - other.alsoGrants.length;

async function withSideEffects(
  db: Reader,
  userId: number,
  place: Place,
  proposals: Proposal[],
  currentRootRole: Role | null,
): Promise<AccessChange[]> {
  const groupIds = proposals.flatMap(({ group }) => group?.id ?? []);
  const rolesOfGroups = await listRolesOfGroups(db, groupIds, place.project);
  const rolesOf = ({ role, group }: Proposal): number[] =>
    group === null
      ? [role.id]
      : rolesOfGroups.filter(({ groupId }) => groupId === group.id).map(({ roleId }) => roleId);
  const defined = await listDefinedPermissions(db, [
    ...new Set([...proposals.flatMap(rolesOf), ...(currentRootRole ? [currentRootRole.id] : [])]),
  ]);
  const held = await permissionsOfUser(db, userId);
  const isHeld = ({ permission, environment }: DefinedPermission): boolean =>
    held.some(
      one =>
        one.permission === permission &&
        (one.project === undefined || one.project === place.project) &&
        (one.environment === undefined || one.environment === environment),
    );

  return proposals.map(proposal => {
    const roleIds = rolesOf(proposal);
    const gained = defined.filter(
      one =>
        roleIds.includes(one.roleId) &&
        (one.project === null || one.project === place.project) &&
        one.permission !== place.permission &&
        !isHeld(one),
    );
    const replaces = proposal.kind === 'set-root-role' ? currentRootRole : null;
    return {
      ...proposal,
      alsoGrants: distinct(
        gained.map(({ permission, environment }) =>
          environment === null ? { permission } : { permission, environment },
        ),
      ),
      replaces,
      loses: replaces === null ? [] : lost(defined, replaces.id, proposal.role.id),
    };
  });
}

const distinct = (gains: AccessChange['alsoGrants']): AccessChange['alsoGrants'] => [
  ...new Map(gains.map(one => [`${one.permission} ${one.environment ?? ''}`, one])).values(),
];

/** The permissions of the role that the next role lacks. */
function lost(defined: DefinedPermission[], before: number, after: number): string[] {
  const next = new Set(defined.filter(one => one.roleId === after).map(({ permission }) => permission));
  if (next.has('ADMIN')) return [];
  const names = defined.filter(one => one.roleId === before).map(({ permission }) => permission);
  return [...new Set(names)].filter(permission => !next.has(permission));
}
