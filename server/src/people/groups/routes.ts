import { Type } from 'typebox';
import type { Db, Reader } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing, PathId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { createGroup } from './create.ts';
import { requireExisting } from './members.ts';
import { removeGroup } from './remove.ts';
import { Group, GroupInput, GroupList, GroupMember, Member } from './schema.ts';
import { findGroup, listGroups } from './store.ts';
import { changeGroup } from './update.ts';
import { VERSIONED_GROUP } from './version.ts';

const tags = ['Groups'];
const params = Type.Object({ groupId: PathId('Group') });

export function groupRoutes(app: App, db: Db): void {
  for (const schema of [Member, GroupMember, Group, GroupList]) app.addSchema(schema);

  app.get(
    '/api/admin/groups',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'getGroups',
        tags,
        summary: 'List groups',
        description: 'Returns all groups with their members and projects, by name. Requires ADMIN.',
        response: { 200: jsonResponse('The groups', GroupList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ groups: await listGroups(db) }),
  );

  app.get(
    '/api/admin/groups/:groupId',
    {
      config: { etag: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'getGroup',
        tags,
        summary: 'Get a group',
        description: 'Returns one group with its members and projects. Requires ADMIN.',
        params,
        response: { 200: jsonResponse('The group', Group), ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const group = await readGroup(db, Number(request.params.groupId));
      return sendVersion(request, reply, VERSIONED_GROUP, group);
    },
  );

  app.post(
    '/api/admin/groups',
    {
      config: {
        permission: ['ADMIN'],
        checks: [({ body }) => db.transaction().execute(tx => requireExisting(tx, body))],
      },
      schema: {
        operationId: 'createGroup',
        tags,
        summary: 'Create a group',
        description:
          'Creates a group of users, with an optional root role for all members. Requires ADMIN. Events: group-created.',
        body: GroupInput,
        response: {
          201: jsonResponse('The new group', Group),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      return reply.code(201).send(await change(db, actor, current => createGroup(current, body), readGroup));
    },
  );

  app.put(
    '/api/admin/groups/:groupId',
    {
      config: {
        ifMatch: true,
        permission: ['ADMIN'],
        checks: [({ body }) => db.transaction().execute(tx => requireExisting(tx, body))],
      },
      schema: {
        operationId: 'updateGroup',
        tags,
        summary: 'Update a group',
        description:
          'Updates the given fields. `users` replaces all members. Rejected if no user with the role Admin would remain. Requires ADMIN. Events: group-updated, group-user-added, group-user-removed.',
        params,
        body: GroupInput,
        response: {
          200: jsonResponse('The group', Group),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async request => {
      const id = Number(request.params.groupId);
      return await changeVersion(
        db,
        request,
        VERSIONED_GROUP,
        id,
        current => changeGroup(current, id, request.body),
        tx => readGroup(tx, id),
      );
    },
  );

  app.delete(
    '/api/admin/groups/:groupId',
    {
      config: { ifMatch: true, permission: ['ADMIN'] },
      schema: {
        operationId: 'deleteGroup',
        tags,
        summary: 'Delete a group',
        description:
          'Deletes a group and revokes its roles in projects. Rejected if no user with the role Admin would remain. Requires ADMIN. Events: group-deleted, and project-access-group-roles-deleted for each project.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.groupId);
      await changeVersion(db, request, VERSIONED_GROUP, id, current => removeGroup(current, id));
      return reply.code(200).send();
    },
  );
}

async function readGroup(db: Reader, id: number): Promise<Group> {
  const group = await findGroup(db, id);
  if (!group) throw notFound(`Group ${id}`);
  return group;
}
