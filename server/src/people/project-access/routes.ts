import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
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

const tags = ['Project access'];
const READ = ['PROJECT_USER_ACCESS_READ', 'PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;
const WRITE = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;
const RULES =
  'Requires PROJECT_USER_ACCESS_WRITE or UPDATE_PROJECT. Only owners of the project and admins can grant or revoke a role with permissions that they lack. The last owner cannot be removed.';

const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const roleId = PathId('Role');
const inProject = Type.Object({ projectId });

const PROJECT = '/api/admin/projects/:projectId';

/** Users and groups have the same operations. */
const HOLDERS = [
  { kind: 'user', Kind: 'User', id: { ...PathId('User or service account'), title: 'UserHolderId' } },
  { kind: 'group', Kind: 'Group', id: { ...PathId('Group'), title: 'GroupHolderId' } },
] as const;

export function projectAccessRoutes(app: App, db: Db): void {
  for (const schema of [UserAccess, GroupAccess, ProjectAccess]) app.addSchema(schema);

  app.get(
    `${PROJECT}/access`,
    {
      config: { permission: READ },
      schema: {
        operationId: 'getProjectAccess',
        tags,
        summary: 'Get the access to a project',
        description:
          'Returns the users, service accounts and groups with roles in the project, and the roles that can be granted. Requires PROJECT_USER_ACCESS_READ, PROJECT_USER_ACCESS_WRITE or UPDATE_PROJECT.',
        params: inProject,
        response: { 200: jsonResponse('The access', ProjectAccess), ...errorResponses(401, 403, 404) },
      },
    },
    async request => {
      const { projectId: project } = request.params;
      return {
        version: 1,
        roles: await listProjectRoles(db),
        users: await listUserAccess(db, project),
        groups: await listGroupAccess(db, project),
      };
    },
  );

  app.put(
    `${PROJECT}/access`,
    {
      config: { permission: WRITE, rejectUnknownFields: [] },
      schema: {
        operationId: 'setProjectAccess',
        tags,
        summary: 'Set the access to a project',
        description: `Replaces all roles in the project. ${RULES} Events: project-access-added, and project-access-user-roles-updated, -deleted, project-access-group-roles-updated, -deleted for each user or group whose roles change.`,
        params: inProject,
        body: AccessConfiguration,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current =>
        changeAccess(current, project, replaceAll, grantsOfConfiguration(request.body)),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    `${PROJECT}/access`,
    {
      config: { permission: WRITE, rejectUnknownFields: [] },
      schema: {
        operationId: 'addProjectAccess',
        tags,
        summary: 'Grant roles in a project',
        description: `Grants all of the roles to all of the users and groups, in addition to their roles. ${RULES} Events: project-access-added, and project-access-user-roles-updated, project-access-group-roles-updated for those with a role before.`,
        params: inProject,
        body: AccessGrant,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current =>
        changeAccess(current, project, addRoles, grantsOfRoles(request.body)),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    `${PROJECT}/role/:roleId/access`,
    {
      config: { permission: WRITE, rejectUnknownFields: [] },
      schema: {
        operationId: 'addProjectRoleAccess',
        tags,
        summary: 'Grant one role in a project',
        description: `Grants the role to the users and groups, in addition to their roles. ${RULES} Events: project-access-added, and project-access-user-roles-updated, project-access-group-roles-updated for those with a role before.`,
        params: Type.Object({ projectId, roleId }),
        body: RoleHolders,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project, roleId: role } = request.params;
      await change(db, request.actor, current =>
        changeAccess(current, project, addRoles, grantsOfHolders(Number(role), request.body)),
      );
      return reply.code(200).send();
    },
  );

  for (const { kind, Kind, id } of HOLDERS) {
    const ofHolder = Type.Object({ projectId, holderId: id });
    const ofRole = Type.Object({ projectId, holderId: id, roleId });
    const events = `Events: project-access-added, project-access-${kind}-roles-updated or project-access-${kind}-roles-deleted.`;
    const grantsOf = (params: { holderId: string }, roles: number[], rolesAt = '/params/roleId') => [
      { kind, id: Number(params.holderId), roles, at: '/params/holderId', rolesAt },
    ];

    app.put(
      `${PROJECT}/${kind}s/:holderId/roles`,
      {
        config: { permission: WRITE, rejectUnknownFields: [] },
        schema: {
          operationId: `setProjectRolesOf${Kind}`,
          tags,
          summary: `Set the roles of a ${kind} in a project`,
          description: `Replaces the roles of the ${kind} in the project. ${RULES} ${events}`,
          params: ofHolder,
          body: HeldRoles,
          response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
        },
      },
      async (request, reply) => {
        const { projectId: project } = request.params;
        const grants = grantsOf(request.params, request.body.roles, '/body/roles');
        await change(db, request.actor, current => changeAccess(current, project, replaceRoles, grants));
        return reply.code(200).send();
      },
    );

    app.delete(
      `${PROJECT}/${kind}s/:holderId/roles`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `deleteProjectRolesOf${Kind}`,
          tags,
          summary: `Revoke all roles of a ${kind} in a project`,
          description: `Revokes the roles of the ${kind} in the project. ${RULES} Events: project-access-${kind}-roles-deleted.`,
          params: ofHolder,
          response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
        },
      },
      async (request, reply) => {
        const { projectId: project } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, replaceRoles, grantsOf(request.params, [])),
        );
        return reply.code(200).send();
      },
    );

    app.post(
      `${PROJECT}/${kind}s/:holderId/roles/:roleId`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `addProjectRoleTo${Kind}`,
          tags,
          summary: `Grant a ${kind} a role in a project`,
          description: `Grants the role in addition to the roles of the ${kind}. ${RULES} ${events}`,
          params: ofRole,
          response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409) },
        },
      },
      async (request, reply) => {
        const { projectId: project, roleId: role } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, addRoles, grantsOf(request.params, [Number(role)])),
        );
        return reply.code(200).send();
      },
    );

    app.put(
      `${PROJECT}/${kind}s/:holderId/roles/:roleId`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `changeProjectRoleOf${Kind}`,
          tags,
          summary: `Replace the roles of a ${kind} in a project by one`,
          description: `Grants the role and revokes all other roles of the ${kind} in the project. ${RULES} ${events}`,
          params: ofRole,
          response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409) },
        },
      },
      async (request, reply) => {
        const { projectId: project, roleId: role } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, replaceRoles, grantsOf(request.params, [Number(role)])),
        );
        return reply.code(200).send();
      },
    );

    app.delete(
      `${PROJECT}/${kind}s/:holderId/roles/:roleId`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `deleteProjectRoleOf${Kind}`,
          tags,
          summary: `Revoke a role of a ${kind} in a project`,
          description: `Revokes the role. Other roles stay. ${RULES} Events: project-access-${kind}-roles-updated or project-access-${kind}-roles-deleted.`,
          params: ofRole,
          response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
        },
      },
      async (request, reply) => {
        const { projectId: project, roleId: role } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, revokeRoles, grantsOf(request.params, [Number(role)])),
        );
        return reply.code(200).send();
      },
    );
  }
}
