import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, PathId, refusals } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { adding, changeAccess, exactly, replacing, taking } from './change-access.ts';
import { byConfiguration, byGrant, byHolders } from './named.ts';
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
  'Only owners of the project and admins give and take roles that may do more there than they themselves. The last owner stays.';

const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const roleId = PathId('Role');
const inProject = Type.Object({ projectId });

const HERE = '/api/admin/projects/:projectId';

/** Users and groups are given roles in the same ways. */
const HOLDERS = [
  { kind: 'user', Kind: 'User', id: { ...PathId('User or service account'), title: 'UserHolderId' } },
  { kind: 'group', Kind: 'Group', id: { ...PathId('Group'), title: 'GroupHolderId' } },
] as const;

export function projectAccessRoutes(app: App, db: Db): void {
  for (const schema of [UserAccess, GroupAccess, ProjectAccess]) app.addSchema(schema);

  app.get(
    `${HERE}/access`,
    {
      config: { permission: READ },
      schema: {
        operationId: 'getProjectAccess',
        tags,
        summary: 'Who has access to a project',
        description:
          'Users, service accounts and groups with the roles they were given in the project, and the roles there are to give.',
        params: inProject,
        response: { 200: answer('The access', ProjectAccess), ...refusals(401, 403, 404) },
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
    `${HERE}/access`,
    {
      config: { permission: WRITE },
      schema: {
        operationId: 'setProjectAccess',
        tags,
        summary: 'Set the access to a project',
        description: `Replaces all roles held in the project by those given. ${RULES} Events: project-access-added, and project-access-user-roles-updated, -deleted, project-access-group-roles-updated, -deleted for each whose roles change.`,
        params: inProject,
        body: AccessConfiguration,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current =>
        changeAccess(current, project, exactly, byConfiguration(request.body)),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    `${HERE}/access`,
    {
      config: { permission: WRITE },
      schema: {
        operationId: 'addProjectAccess',
        tags,
        summary: 'Give roles in a project',
        description: `Gives every one of the roles to every one of the users and groups, beside those they have. ${RULES} Events: project-access-added, and project-access-user-roles-updated, project-access-group-roles-updated for those who had a role before.`,
        params: inProject,
        body: AccessGrant,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      await change(db, request.actor, current =>
        changeAccess(current, project, adding, byGrant(request.body)),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    `${HERE}/role/:roleId/access`,
    {
      config: { permission: WRITE },
      schema: {
        operationId: 'addProjectRoleAccess',
        tags,
        summary: 'Give one role in a project',
        description: `Gives the role to the users and groups, beside those they have. ${RULES} Events: as for giving several.`,
        params: Type.Object({ projectId, roleId }),
        body: RoleHolders,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project, roleId: role } = request.params;
      await change(db, request.actor, current =>
        changeAccess(current, project, adding, byHolders(Number(role), request.body)),
      );
      return reply.code(200).send();
    },
  );

  for (const { kind, Kind, id } of HOLDERS) {
    const ofHolder = Type.Object({ projectId, holderId: id });
    const ofRole = Type.Object({ projectId, holderId: id, roleId });
    const events = `Events: project-access-added, project-access-${kind}-roles-updated or project-access-${kind}-roles-deleted.`;
    const named = (params: { holderId: string }, roles: number[], rolesAt = '/params/roleId') => [
      { kind, id: Number(params.holderId), roles, at: '/params/holderId', rolesAt },
    ];

    app.put(
      `${HERE}/${kind}s/:holderId/roles`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `setProjectRolesOf${Kind}`,
          tags,
          summary: `Set the roles of a ${kind} in a project`,
          description: `Replaces the roles the ${kind} was given in the project. ${RULES} ${events}`,
          params: ofHolder,
          body: HeldRoles,
          response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
        },
      },
      async (request, reply) => {
        const { projectId: project } = request.params;
        const grants = named(request.params, request.body.roles, '/body/roles');
        await change(db, request.actor, current => changeAccess(current, project, replacing, grants));
        return reply.code(200).send();
      },
    );

    app.delete(
      `${HERE}/${kind}s/:holderId/roles`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `deleteProjectRolesOf${Kind}`,
          tags,
          summary: `Take all roles in a project from a ${kind}`,
          description: `Takes the roles the ${kind} was given in the project. ${RULES} Events: project-access-${kind}-roles-deleted.`,
          params: ofHolder,
          response: { 200: Nothing, ...refusals(400, 401, 403, 404) },
        },
      },
      async (request, reply) => {
        const { projectId: project } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, replacing, named(request.params, [])),
        );
        return reply.code(200).send();
      },
    );

    app.post(
      `${HERE}/${kind}s/:holderId/roles/:roleId`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `addProjectRoleTo${Kind}`,
          tags,
          summary: `Give a ${kind} a role in a project`,
          description: `Gives the role beside those the ${kind} has. ${RULES} ${events}`,
          params: ofRole,
          response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409) },
        },
      },
      async (request, reply) => {
        const { projectId: project, roleId: role } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, adding, named(request.params, [Number(role)])),
        );
        return reply.code(200).send();
      },
    );

    app.put(
      `${HERE}/${kind}s/:holderId/roles/:roleId`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `changeProjectRoleOf${Kind}`,
          tags,
          summary: `Make a role the only one of a ${kind} in a project`,
          description: `Puts the role in place of all that the ${kind} was given in the project. ${RULES} ${events}`,
          params: ofRole,
          response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409) },
        },
      },
      async (request, reply) => {
        const { projectId: project, roleId: role } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, replacing, named(request.params, [Number(role)])),
        );
        return reply.code(200).send();
      },
    );

    app.delete(
      `${HERE}/${kind}s/:holderId/roles/:roleId`,
      {
        config: { permission: WRITE },
        schema: {
          operationId: `deleteProjectRoleOf${Kind}`,
          tags,
          summary: `Take a role in a project from a ${kind}`,
          description: `Takes the role; the others stay. ${RULES} Events: project-access-${kind}-roles-updated or project-access-${kind}-roles-deleted.`,
          params: ofRole,
          response: { 200: Nothing, ...refusals(400, 401, 403, 404) },
        },
      },
      async (request, reply) => {
        const { projectId: project, roleId: role } = request.params;
        await change(db, request.actor, current =>
          changeAccess(current, project, taking, named(request.params, [Number(role)])),
        );
        return reply.code(200).send();
      },
    );
  }
}
