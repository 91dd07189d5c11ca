import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { projectId, projectParams } from '../../platform/http/params.ts';
import { command, type Operation, type OperationModule, query } from '../../record/operations/definition.ts';
import { addRoles, changeAccess, replaceAll, replaceRoles, revokeRoles } from './change-access.ts';
import { buildConfigurationGrants, buildHolderGrants, buildRoleGrants } from './requested-grants.ts';
import {
  AccessConfiguration,
  AccessGrant,
  GroupAccess,
  HeldRoles,
  ProjectAccess,
  RoleHolders,
  UserAccess,
} from './schema.ts';
import { listGroupAccess, listProjectRoles, listUserAccess } from './store.ts';

const READ_PERMISSIONS = ['PROJECT_USER_ACCESS_READ', 'PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;
const WRITE_PERMISSIONS = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;
const RULES_DESCRIPTION =
  'To grant or revoke a role with permissions that you lack, you must be a project owner or an admin. The last owner cannot be removed.';

/** Includes the update events, because an update is recorded if a user or group already has a role in the project. */
const GRANT_EVENTS = [
  'project-access-added',
  'project-access-user-roles-updated',
  'project-access-group-roles-updated',
] as const;

const roleId = PathId('Role');

/** The kinds of role holders. Both have the same operations. */
const HOLDERS = [
  {
    kind: 'user',
    Kind: 'User',
    id: { ...PathId('User or service account', '3', 'User'), title: 'UserHolderId' },
    updated: 'project-access-user-roles-updated',
    deleted: 'project-access-user-roles-deleted',
  },
  {
    kind: 'group',
    Kind: 'Group',
    id: { ...PathId('Group'), title: 'GroupHolderId' },
    updated: 'project-access-group-roles-updated',
    deleted: 'project-access-group-roles-deleted',
  },
] as const;

export const PROJECT_ACCESS: OperationModule = {
  tag: 'Project access',
  schemas: [UserAccess, GroupAccess, ProjectAccess],
  operations: [
    query({
      id: 'getProjectAccess',
      route: 'GET /api/admin/projects/:projectId/access',
      summary: 'Get project access',
      description:
        'Returns the users, service accounts and groups with roles in the project, and the roles that can be granted.',
      permission: READ_PERMISSIONS,
      params: projectParams,
      output: jsonResponse('The access', ProjectAccess),
      read: async ({ db }, { params: { projectId: project } }) => ({
        version: 1,
        roles: await listProjectRoles(db),
        users: await listUserAccess(db, project),
        groups: await listGroupAccess(db, project),
      }),
    }),
    command({
      id: 'setProjectAccess',
      route: 'PUT /api/admin/projects/:projectId/access',
      summary: 'Set project access',
      description: `Replaces all roles in the project, with one event for each user or group whose roles change. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: projectParams,
      body: AccessConfiguration,
      rejects: [409],
      rejectUnknownFieldsExcept: [],
      events: [
        'project-access-added',
        'project-access-user-roles-updated',
        'project-access-user-roles-deleted',
        'project-access-group-roles-updated',
        'project-access-group-roles-deleted',
      ],
      run: (current, { params: { projectId: project }, body }) =>
        changeAccess(current, project, replaceAll, buildConfigurationGrants(body)),
    }),
    command({
      id: 'addProjectAccess',
      route: 'POST /api/admin/projects/:projectId/access',
      summary: 'Grant roles in a project',
      description: `Grants all of the roles to all of the users and groups, in addition to the roles they have. If a user or group already has a role, the event is an update. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: projectParams,
      body: AccessGrant,
      rejects: [409],
      rejectUnknownFieldsExcept: [],
      events: GRANT_EVENTS,
      run: (current, { params: { projectId: project }, body }) =>
        changeAccess(current, project, addRoles, buildRoleGrants(body)),
    }),
    command({
      id: 'addProjectRoleAccess',
      route: 'POST /api/admin/projects/:projectId/role/:roleId/access',
      summary: 'Grant one role in a project',
      description: `Grants the role to the users and groups, in addition to the roles they have. If a user or group already has a role, the event is an update. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: Type.Object({ projectId, roleId }),
      body: RoleHolders,
      rejects: [409],
      rejectUnknownFieldsExcept: [],
      events: GRANT_EVENTS,
      run: (current, { params: { projectId: project, roleId: role }, body }) =>
        changeAccess(current, project, addRoles, buildHolderGrants(Number(role), body)),
    }),
    ...HOLDERS.flatMap(buildHolderOperations),
  ],
};

function buildHolderOperations({ kind, Kind, id, updated, deleted }: (typeof HOLDERS)[number]): Operation[] {
  const holderParams = Type.Object({ projectId, holderId: id });
  const roleParams = Type.Object({ projectId, holderId: id, roleId });
  const buildGrants = (holderId: string, roles: number[], rolesPath = '/params/roleId') => [
    { kind, id: Number(holderId), roles, path: '/params/holderId', rolesPath },
  ];
  return [
    command({
      id: `setProjectRolesOf${Kind}`,
      route: `PUT /api/admin/projects/:projectId/${kind}s/:holderId/roles`,
      summary: `Set the roles of a ${kind} in a project`,
      description: `Replaces the roles of the ${kind} in the project. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: holderParams,
      body: HeldRoles,
      rejects: [409],
      rejectUnknownFieldsExcept: [],
      events: ['project-access-added', updated, deleted],
      run: (current, { params: { projectId: project, holderId }, body }) =>
        changeAccess(current, project, replaceRoles, buildGrants(holderId, body.roles, '/body/roles')),
    }),
    command({
      id: `deleteProjectRolesOf${Kind}`,
      route: `DELETE /api/admin/projects/:projectId/${kind}s/:holderId/roles`,
      summary: `Revoke all roles of a ${kind} in a project`,
      description: `Revokes the roles of the ${kind} in the project. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: holderParams,
      events: [deleted],
      run: (current, { params: { projectId: project, holderId } }) =>
        changeAccess(current, project, replaceRoles, buildGrants(holderId, [])),
    }),
    command({
      id: `addProjectRoleTo${Kind}`,
      route: `POST /api/admin/projects/:projectId/${kind}s/:holderId/roles/:roleId`,
      summary: `Grant a ${kind} a role in a project`,
      description: `Grants the role in addition to the roles of the ${kind}. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: roleParams,
      rejects: [409],
      events: ['project-access-added', updated],
      run: (current, { params: { projectId: project, holderId, roleId: role } }) =>
        changeAccess(current, project, addRoles, buildGrants(holderId, [Number(role)])),
    }),
    command({
      id: `changeProjectRoleOf${Kind}`,
      route: `PUT /api/admin/projects/:projectId/${kind}s/:holderId/roles/:roleId`,
      summary: `Replace all roles of a ${kind} in a project with one`,
      description: `Grants the role and revokes all other roles of the ${kind} in the project. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: roleParams,
      rejects: [409],
      events: ['project-access-added', updated],
      run: (current, { params: { projectId: project, holderId, roleId: role } }) =>
        changeAccess(current, project, replaceRoles, buildGrants(holderId, [Number(role)])),
    }),
    command({
      id: `deleteProjectRoleOf${Kind}`,
      route: `DELETE /api/admin/projects/:projectId/${kind}s/:holderId/roles/:roleId`,
      summary: `Revoke a role of a ${kind} in a project`,
      description: `Revokes the role and keeps the others. ${RULES_DESCRIPTION}`,
      permission: WRITE_PERMISSIONS,
      params: roleParams,
      events: [updated, deleted],
      run: (current, { params: { projectId: project, holderId, roleId: role } }) =>
        changeAccess(current, project, revokeRoles, buildGrants(holderId, [Number(role)])),
    }),
  ];
}
