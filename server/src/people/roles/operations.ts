import { badData, nameExists, notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { createRole } from './create.ts';
import { describePermissions, findPermissionViolations, listAllPermissions } from './permissions.ts';
import { removeRole } from './remove.ts';
import {
  HoldersOfRole,
  NamedRole,
  Permission,
  Permissions,
  Role,
  RoleInput,
  RoleList,
  RoleWithPermissions,
  WrittenRole,
} from './schema.ts';
import {
  type FullRole,
  findRole,
  isNameTaken,
  listEnvironmentNames,
  listRoleHolders,
  listRoles,
} from './store.ts';
import { changeRole } from './update.ts';
import { VERSIONED_ROLE } from './version.ts';

const params = Type.Object({ roleId: PathId('Role') });

const present = (role: FullRole) => ({ ...role, permissions: describePermissions(role.permissions) });

export const ROLES: OperationModule = {
  tag: 'Roles',
  schemas: [
    NamedRole,
    Permission,
    Permissions,
    Role,
    RoleList,
    RoleWithPermissions,
    HoldersOfRole,
    WrittenRole,
  ],
  operations: [
    query({
      id: 'getPermissions',
      route: 'GET /api/admin/permissions',
      summary: 'List permissions',
      description:
        'Returns all permissions that a role can have: on the instance, in a project, and for an environment. Every authenticated caller may call it.',
      permission: 'NONE',
      output: jsonResponse('The permissions', Permissions),
      read: async ({ db }) => ({
        version: 1,
        permissions: listAllPermissions(await listEnvironmentNames(db)),
      }),
    }),
    query({
      id: 'getRoles',
      route: 'GET /api/admin/roles',
      summary: 'List roles',
      description: 'Returns the built-in and custom roles, sorted by id.',
      permission: ['READ_ROLE'],
      output: jsonResponse('The roles', RoleList),
      read: async ({ db }) => ({ version: 1, roles: await listRoles(db) }),
    }),
    query({
      id: 'getRole',
      route: 'GET /api/admin/roles/:roleId',
      summary: 'Get a role',
      description: 'Returns one role with its permissions.',
      permission: ['READ_ROLE'],
      params,
      output: jsonResponse('The role', RoleWithPermissions),
      versioned: VERSIONED_ROLE,
      read: async ({ db }, { params: { roleId } }) => {
        const role = await findRole(db, Number(roleId));
        if (!role) throw notFound(`Role ${roleId}`);
        return role;
      },
      present,
    }),
    query({
      id: 'getRoleHolders',
      route: 'GET /api/admin/roles/:roleId/holders',
      summary: 'List the holders of a role',
      description:
        'Returns the users, service accounts and groups with the role, each with the project in which it is granted.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The holders', HoldersOfRole),
      read: async ({ db }, { params: { roleId } }) => {
        if (!(await findRole(db, Number(roleId)))) throw notFound(`Role ${roleId}`);
        return await listRoleHolders(db, Number(roleId));
      },
    }),
    command({
      id: 'createRole',
      route: 'POST /api/admin/roles',
      summary: 'Create a role',
      description:
        'Creates a custom role for the instance (root-custom) or for projects (custom). A role for the instance can also have project permissions, which apply in every project that the holder can read.',
      permission: ['ADMIN'],
      body: RoleInput,
      output: jsonResponse('The new role', WrittenRole),
      // 200, not 201: Unleash clients treat any other code as a failure.
      status: 200,
      rejects: [409],
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.role,
      checks: [({ body, invalid }, db) => (invalid.has('type') ? [] : findPermissionViolations(db, body))],
      events: ['role-created'],
      run: (current, { body }) => createRole(current, body),
      respond: async (_tx, _actor, role) => ({ version: 1, roles: present(role) }),
    }),
    query({
      id: 'validateRole',
      route: 'POST /api/admin/roles/validate',
      summary: 'Validate a role',
      description: 'Checks that the name is free and that a role can have the permissions. Changes nothing.',
      permission: ['ADMIN'],
      body: RoleInput,
      rejects: [409],
      checks: [({ body, invalid }, db) => (invalid.has('type') ? [] : findPermissionViolations(db, body))],
      read: async ({ db }, { body }) => {
        const violations = await findPermissionViolations(db, body);
        if (violations.length > 0) throw badData(violations);
        const name = body.name.trim();
        if (await isNameTaken(db, name)) throw nameExists(`Role "${name}"`);
      },
    }),
    command({
      id: 'updateRole',
      route: 'PUT /api/admin/roles/:roleId',
      summary: 'Update a role',
      description:
        'Replaces the name and the given fields of a custom role. The new permissions apply to all holders immediately. Built-in roles cannot be changed.',
      permission: ['ADMIN'],
      params,
      body: RoleInput,
      output: jsonResponse('The role', WrittenRole),
      rejects: [409],
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.role,
      events: ['role-updated'],
      precondition: ({ params: { roleId } }) => requireUnchanged(VERSIONED_ROLE, Number(roleId)),
      run: (current, { params: { roleId }, body }) => changeRole(current, Number(roleId), body),
      respond: async (_tx, _actor, role) => ({ version: 1, roles: present(role) }),
    }),
    command({
      id: 'deleteRole',
      route: 'DELETE /api/admin/roles/:roleId',
      summary: 'Delete a role',
      description:
        'Deletes a custom role. While anyone has the role, the request is rejected with 409, and the response names the holders.',
      permission: ['ADMIN'],
      params,
      rejects: [409],
      events: ['role-deleted'],
      precondition: ({ params: { roleId } }) => requireUnchanged(VERSIONED_ROLE, Number(roleId)),
      run: (current, { params: { roleId } }) => removeRole(current, Number(roleId)),
    }),
  ],
};
