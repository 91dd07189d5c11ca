import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { badData, nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { createRole } from './create.ts';
import { describePermissions, listAllPermissions, permissionViolations } from './permissions.ts';
import { removeRole } from './remove.ts';
import {
  Permission,
  Permissions,
  Role,
  RoleInput,
  RoleList,
  RoleWithPermissions,
  WrittenRole,
} from './schema.ts';
import { findRole, isNameTaken, listEnvironmentNames, listRoles, type WholeRole } from './store.ts';
import { changeRole } from './update.ts';
import { VERSIONED_ROLE } from './version.ts';

const tags = ['Roles'];
const params = Type.Object({ roleId: PathId('Role') });

const present = (role: WholeRole) => ({ ...role, permissions: describePermissions(role.permissions) });

export function roleRoutes(app: App, db: Db): void {
  for (const schema of [Permission, Permissions, Role, RoleList, RoleWithPermissions, WrittenRole]) {
    app.addSchema(schema);
  }

  app.get(
    '/api/admin/permissions',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getPermissions',
        tags,
        summary: 'List permissions',
        description:
          'Returns all permissions that a role can have: on the instance, in a project, and for an environment. Every authenticated caller can do this.',
        response: { 200: jsonResponse('The permissions', Permissions), ...errorResponses(401, 403) },
      },
    },
    async () => ({ version: 1, permissions: listAllPermissions(await listEnvironmentNames(db)) }),
  );

  app.get(
    '/api/admin/roles',
    {
      config: { permission: ['READ_ROLE'] },
      schema: {
        operationId: 'getRoles',
        tags,
        summary: 'List roles',
        description: 'Returns the built-in and custom roles, by id. Requires READ_ROLE.',
        response: { 200: jsonResponse('The roles', RoleList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ version: 1, roles: await listRoles(db) }),
  );

  app.get(
    '/api/admin/roles/:roleId',
    {
      config: { etag: true, permission: ['READ_ROLE'] },
      schema: {
        operationId: 'getRole',
        tags,
        summary: 'Get a role',
        description: 'Returns one role with its permissions. Requires READ_ROLE.',
        params,
        response: {
          200: jsonResponse('The role', RoleWithPermissions),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request, reply) => {
      const role = await findRole(db, Number(request.params.roleId));
      if (!role) throw notFound(`Role ${request.params.roleId}`);
      return sendVersion(request, reply, VERSIONED_ROLE, role, present(role));
    },
  );

  // 200, not 201: Unleash clients treat any other code as a failure.
  app.post(
    '/api/admin/roles',
    {
      config: {
        permission: ['ADMIN'],
        rejectUnknownFields: ACCEPTED_FIELDS.role,
        checks: [({ body, invalid }) => (invalid.has('type') ? [] : permissionViolations(db, body))],
      },
      schema: {
        operationId: 'createRole',
        tags,
        summary: 'Create a role',
        description:
          'Creates a custom role for the instance (root-custom) or for projects (custom). A role of the instance can also have project permissions. They apply in every project that the holder can read. Requires ADMIN. Events: role-created.',
        body: RoleInput,
        response: {
          200: jsonResponse('The new role', WrittenRole),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async request => {
      const role = await change(db, request.actor, current => createRole(current, request.body));
      return { version: 1, roles: present(role) };
    },
  );

  app.post(
    '/api/admin/roles/validate',
    {
      config: {
        permission: ['ADMIN'],
        checks: [({ body, invalid }) => (invalid.has('type') ? [] : permissionViolations(db, body))],
      },
      schema: {
        operationId: 'validateRole',
        tags,
        summary: 'Validate a role',
        description:
          'Checks that the name is free and that a role can have the permissions. Changes nothing. Requires ADMIN.',
        body: RoleInput,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      const violations = await permissionViolations(db, request.body);
      if (violations.length > 0) throw badData(violations);
      if (await isNameTaken(db, name.trim())) throw nameExists(`Role "${name.trim()}"`);
      return reply.code(200).send();
    },
  );

  app.put(
    '/api/admin/roles/:roleId',
    {
      config: { ifMatch: true, permission: ['ADMIN'], rejectUnknownFields: ACCEPTED_FIELDS.role },
      schema: {
        operationId: 'updateRole',
        tags,
        summary: 'Update a role',
        description:
          'Replaces the name and the given fields of a custom role. The new permissions apply to all holders immediately. Built-in roles cannot be changed. Requires ADMIN. Events: role-updated.',
        params,
        body: RoleInput,
        response: {
          200: jsonResponse('The role', WrittenRole),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async request => {
      const id = Number(request.params.roleId);
      const role = await changeVersion(db, request, VERSIONED_ROLE, id, current =>
        changeRole(current, id, request.body),
      );
      return { version: 1, roles: present(role) };
    },
  );

  app.delete(
    '/api/admin/roles/:roleId',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'deleteRole',
        tags,
        summary: 'Delete a role',
        description:
          'Deletes a custom role. Rejected with 409 and the names of the holders while anyone has the role. Requires ADMIN. Events: role-deleted.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.roleId);
      await changeVersion(db, request, VERSIONED_ROLE, id, current => removeRole(current, id));
      return reply.code(200).send();
    },
  );
}
