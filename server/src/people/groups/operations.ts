import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { Reader } from '../../platform/db/database.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { createGroup } from './create.ts';
import { requireExistingReferences } from './members.ts';
import { removeGroup } from './remove.ts';
import { Group, GroupInput, GroupList, GroupMember, GroupProjects, Member } from './schema.ts';
import { findGroup, listGroupProjects, listGroups } from './store.ts';
import { changeGroup } from './update.ts';
import { VERSIONED_GROUP } from './version.ts';

const params = Type.Object({ groupId: PathId('Group') });

async function readGroup(db: Reader, id: number): Promise<Group> {
  const group = await findGroup(db, id);
  if (!group) throw notFound(`Group ${id}`);
  return group;
}

export const GROUPS: OperationModule = {
  tag: 'Groups',
  schemas: [Member, GroupMember, Group, GroupList, GroupProjects],
  operations: [
    query({
      id: 'getGroups',
      route: 'GET /api/admin/groups',
      summary: 'List groups',
      description: 'Returns all groups with their members and projects, sorted by name.',
      permission: ['ADMIN'],
      output: jsonResponse('The groups', GroupList),
      read: async ({ db }) => ({ groups: await listGroups(db) }),
    }),
    query({
      id: 'getGroup',
      route: 'GET /api/admin/groups/:groupId',
      summary: 'Get a group',
      description: 'Returns one group with its members and projects.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The group', Group),
      versioned: VERSIONED_GROUP,
      read: ({ db }, { params: { groupId } }) => readGroup(db, Number(groupId)),
    }),
    query({
      id: 'getGroupProjects',
      route: 'GET /api/admin/groups/:groupId/projects',
      summary: "List a group's projects",
      description: 'Returns the projects where the group has roles, with the roles.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The projects', GroupProjects),
      read: async ({ db }, { params: { groupId } }) => {
        await readGroup(db, Number(groupId));
        return { projects: await listGroupProjects(db, Number(groupId)) };
      },
    }),
    command({
      id: 'createGroup',
      route: 'POST /api/admin/groups',
      summary: 'Create a group',
      description: 'Creates a group of users, with an optional root role for all members.',
      permission: ['ADMIN'],
      body: GroupInput,
      output: jsonResponse('The new group', Group),
      status: 201,
      rejects: [409],
      checks: [({ body }, db) => db.transaction().execute(tx => requireExistingReferences(tx, body))],
      events: ['group-created'],
      run: (current, { body }) => createGroup(current, body),
      respond: (tx, _, id) => readGroup(tx, id),
    }),
    command({
      id: 'updateGroup',
      route: 'PUT /api/admin/groups/:groupId',
      summary: 'Update a group',
      description:
        'Updates the given fields. `users` replaces all members. The request is rejected if no user with the Admin role would remain.',
      permission: ['ADMIN'],
      params,
      body: GroupInput,
      output: jsonResponse('The group', Group),
      rejects: [409],
      checks: [({ body }, db) => db.transaction().execute(tx => requireExistingReferences(tx, body))],
      events: ['group-updated', 'group-user-added', 'group-user-removed'],
      precondition: ({ params: { groupId } }) => requireUnchanged(VERSIONED_GROUP, Number(groupId)),
      run: (current, { params: { groupId }, body }) => changeGroup(current, Number(groupId), body),
      respond: (tx, _actor, _result, { params: { groupId } }) => readGroup(tx, Number(groupId)),
    }),
    command({
      id: 'deleteGroup',
      route: 'DELETE /api/admin/groups/:groupId',
      summary: 'Delete a group',
      description:
        'Deletes a group and revokes its roles in projects, with one event for each project. Rejected if no user with the Admin role would remain.',
      permission: ['ADMIN'],
      params,
      events: ['group-deleted', 'project-access-group-roles-deleted'],
      precondition: ({ params: { groupId } }) => requireUnchanged(VERSIONED_GROUP, Number(groupId)),
      run: (current, { params: { groupId } }) => removeGroup(current, Number(groupId)),
    }),
  ],
};
