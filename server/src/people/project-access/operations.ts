import { Type } from 'typebox';
import { jsonResponse, Nothing, PathId } from '../../../../plane/src/platform/http/schema.ts';
import { inProject, projectId } from '../../platform/http/params.ts';
import { command, type Operation, type OperationModule, query } from '../../record/operations/definition.ts';
import { addRoles, changeAccess, replaceAll, replaceRoles, revokeRoles } from './change-access.ts';
import { grantsOfConfiguration, grantsOfHolders, grantsOfRoles } from './requested-grants.ts';
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

const READ = ['PROJECT_USER_ACCESS_READ', 'PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;
const WRITE = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;
const RULES =
  'Only owners of the project and admins can grant or revoke a role with permissions that they lack. The last owner cannot be removed.';

/** For those who already had a role, the event is an update. */
const GRANTED = [
  'project-access-added',
  'project-access-user-roles-updated',
  'project-access-group-roles-updated',
] as const;

const roleId = PathId('Role');

/** Users and groups have the same operations. */
const HOLDERS = [
  {
    kind: 'user',
    Kind: 'User',
    id: { ...PathId('User or service account'), title: 'UserHolderId' },
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
      summary: 'Get the access to a project',
      description:
        'Returns the users, service accounts and groups with roles in the project, and the roles that can be granted.',
      permission: READ,
      params: inProject,
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
      summary: 'Set the access to a project',
      description: `Replaces all roles in the project, with one event for each user or group whose roles change. ${RULES}`,
      permission: WRITE,
      params: inProject,
      body: AccessConfiguration,
      output: Nothing,
      rejects: [409],
      rejectUnknownFields: [],
      events: [
        'project-access-added',
        'project-access-user-roles-updated',
        'project-access-user-roles-deleted',
        'project-access-group-roles-updated',
        'project-access-group-roles-deleted',
      ],
      run: (current, { params: { projectId: project }, body }) =>
        changeAccess(current, project, replaceAll, grantsOfConfiguration(body)),
    }),
    command({
      id: 'addProjectAccess',
      route: 'POST /api/admin/projects/:projectId/access',
      summary: 'Grant roles in a project',
      description: `Grants all of the roles to all of the users and groups, in addition to their roles. For those who already had a role, the event is an update. ${RULES}`,
      permission: WRITE,
      params: inProject,
      body: AccessGrant,
      output: Nothing,
      rejects: [409],
      rejectUnknownFields: [],
      events: GRANTED,
      run: (current, { params: { projectId: project }, body }) =>
        changeAccess(current, project, addRoles, grantsOfRoles(body)),
    }),
    command({
      id: 'addProjectRoleAccess',
      route: 'POST /api/admin/projects/:projectId/role/:roleId/access',
      summary: 'Grant one role in a project',
      description: `Grants the role to the users and groups, in addition to their roles. For those who already had a role, the event is an update. ${RULES}`,
      permission: WRITE,
      params: Type.Object({ projectId, roleId }),
      body: RoleHolders,
      output: Nothing,
      rejects: [409],
      rejectUnknownFields: [],
      events: GRANTED,
      run: (current, { params: { projectId: project, roleId: role }, body }) =>
        changeAccess(current, project, addRoles, grantsOfHolders(Number(role), body)),
    }),
    ...HOLDERS.flatMap(operationsOfHolder),
  ],
};

function operationsOfHolder({ kind, Kind, id, updated, deleted }: (typeof HOLDERS)[number]): Operation[] {
  const ofHolder = Type.Object({ projectId, holderId: id });
  const ofRole = Type.Object({ projectId, holderId: id, roleId });
  const grantsOf = (holderId: string, roles: number[], rolesAt = '/params/roleId') => [
    { kind, id: Number(holderId), roles, at: '/params/holderId', rolesAt },
  ];
  return [
    command({
      id: `setProjectRolesOf${Kind}`,
      route: `PUT /api/admin/projects/:projectId/${kind}s/:holderId/roles`,
      summary: `Set the roles of a ${kind} in a project`,
      description: `Replaces the roles of the ${kind} in the project. ${RULES}`,
      permission: WRITE,
      params: ofHolder,
      body: HeldRoles,
      output: Nothing,
      rejects: [409],
      rejectUnknownFields: [],
      events: ['project-access-added', updated, deleted],
      run: (current, { params: { projectId: project, holderId }, body }) =>
        changeAccess(current, project, replaceRoles, grantsOf(holderId, body.roles, '/body/roles')),
    }),
    command({
      id: `deleteProjectRolesOf${Kind}`,
      route: `DELETE /api/admin/projects/:projectId/${kind}s/:holderId/roles`,
      summary: `Revoke all roles of a ${kind} in a project`,
      description: `Revokes the roles of the ${kind} in the project. ${RULES}`,
      permission: WRITE,
      params: ofHolder,
      output: Nothing,
      events: [deleted],
      run: (current, { params: { projectId: project, holderId } }) =>
        changeAccess(current, project, replaceRoles, grantsOf(holderId, [])),
    }),
    command({
      id: `addProjectRoleTo${Kind}`,
      route: `POST /api/admin/projects/:projectId/${kind}s/:holderId/roles/:roleId`,
      summary: `Grant a ${kind} a role in a project`,
      description: `Grants the role in addition to the roles of the ${kind}. ${RULES}`,
      permission: WRITE,
      params: ofRole,
      output: Nothing,
      rejects: [409],
      events: ['project-access-added', updated],
      run: (current, { params: { projectId: project, holderId, roleId: role } }) =>
        changeAccess(current, project, addRoles, grantsOf(holderId, [Number(role)])),
    }),
    command({
      id: `changeProjectRoleOf${Kind}`,
      route: `PUT /api/admin/projects/:projectId/${kind}s/:holderId/roles/:roleId`,
      summary: `Replace the roles of a ${kind} in a project with one`,
      description: `Grants the role and revokes all other roles of the ${kind} in the project. ${RULES}`,
      permission: WRITE,
      params: ofRole,
      output: Nothing,
      rejects: [409],
      events: ['project-access-added', updated],
      run: (current, { params: { projectId: project, holderId, roleId: role } }) =>
        changeAccess(current, project, replaceRoles, grantsOf(holderId, [Number(role)])),
    }),
    command({
      id: `deleteProjectRoleOf${Kind}`,
      route: `DELETE /api/admin/projects/:projectId/${kind}s/:holderId/roles/:roleId`,
      summary: `Revoke a role of a ${kind} in a project`,
      description: `Revokes the role. Other roles stay. ${RULES}`,
      permission: WRITE,
      params: ofRole,
      output: Nothing,
      events: [updated, deleted],
      run: (current, { params: { projectId: project, holderId, roleId: role } }) =>
        changeAccess(current, project, revokeRoles, grantsOf(holderId, [Number(role)])),
    }),
  ];
}
