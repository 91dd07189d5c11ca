import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { badData, nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, PathId, refusals } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { createRole } from './create.ts';
import { described, listAllPermissions, permissionViolations } from './permissions.ts';
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

const tags = ['Roles'];
const params = Type.Object({ roleId: PathId('Role') });

const present = (role: WholeRole) => ({ ...role, permissions: described(role.permissions) });

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
          'Everything that a role can hold: on the instance, in a project, and for an environment.',
        response: { 200: answer('The permissions', Permissions), ...refusals(401, 403) },
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
        description: 'The roles that are built in and those made by administrators, by id.',
        response: { 200: answer('The roles', RoleList), ...refusals(401, 403) },
      },
    },
    async () => ({ version: 1, roles: await listRoles(db) }),
  );

  app.get(
    '/api/admin/roles/:roleId',
    {
      config: { permission: ['READ_ROLE'] },
      schema: {
        operationId: 'getRole',
        tags,
        summary: 'Get a role',
        description: 'One role with all that it holds.',
        params,
        response: { 200: answer('The role', RoleWithPermissions), ...refusals(400, 401, 403, 404) },
      },
    },
    async request => {
      const role = await findRole(db, Number(request.params.roleId));
      if (!role) throw notFound(`Role ${request.params.roleId}`);
      return present(role);
    },
  );

  // 200, not 201: existing clients take any other code for a failure.
  app.post(
    '/api/admin/roles',
    {
      config: {
        permission: ['ADMIN'],
        checks: [({ body, invalid }) => (invalid.has('type') ? [] : permissionViolations(db, body))],
      },
      schema: {
        operationId: 'createRole',
        tags,
        summary: 'Create a role',
        description:
          'Creates a role to be held on the instance (root-custom) or in projects (custom). A role of the instance may hold project permissions too: they count in every project its holder may read. Events: role-created.',
        body: RoleInput,
        response: { 200: answer('The new role', WrittenRole), ...refusals(400, 401, 403, 409, 413, 415) },
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
        summary: 'Check a role before it is created',
        description: 'Says whether the name is free and the permissions may be held. Changes nothing.',
        body: RoleInput,
        response: { 200: Nothing, ...refusals(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      const violations = await permissionViolations(db, request.body);
      if (violations.length > 0) throw badData(violations);
      if (await isNameTaken(db, name.trim())) throw nameExists('A role with this name');
      return reply.code(200).send();
    },
  );

  app.put(
    '/api/admin/roles/:roleId',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'updateRole',
        tags,
        summary: 'Update a role',
        description:
          'Replaces name, description and permissions; what is left out stays. It counts for all who hold the role from now on. Built-in roles stay as they are. Events: role-updated.',
        params,
        body: RoleInput,
        response: { 200: answer('The role', WrittenRole), ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async request => {
      const id = Number(request.params.roleId);
      const role = await change(db, request.actor, current => changeRole(current, id, request.body));
      return { version: 1, roles: present(role) };
    },
  );

  app.delete(
    '/api/admin/roles/:roleId',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'deleteRole',
        tags,
        summary: 'Delete a role',
        description:
          'Deletes a role that nobody holds; while somebody does, the refusal says who. Built-in roles stay. Events: role-deleted.',
        params,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.roleId);
      await change(db, request.actor, current => removeRole(current, id));
      return reply.code(200).send();
    },
  );
}
