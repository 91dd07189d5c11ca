import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { Reader } from '../../platform/db/database.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { findUser, isRootAdmin, listPersonalTokens } from '../users/store.ts';
import { findDecidingRoles } from './deciding-roles.ts';
import { AccessOfUser, NamedGroup } from './schema.ts';
import {
  listProjectsForUser,
  listRolePermissions,
  listRootGrants,
  listUserGroups,
  listUserSessions,
} from './store.ts';

async function readAccess(db: Reader, id: number): Promise<AccessOfUser> {
  if (!(await findUser(db, id))) throw notFound(`User ${id}`);
  const rootRoles = await listRootGrants(db, id);
  const projects = await listProjectsForUser(db, { userId: id, isAdmin: await isRootAdmin(db, id) });
  const roles = [...rootRoles, ...projects.flatMap(({ grants }) => grants)].map(({ role }) => role.id);
  const permissions = await listRolePermissions(db, roles);
  const tokens = await listPersonalTokens(db, id);
  return {
    rootRoles,
    groups: await listUserGroups(db, id),
    projects: projects.map(project => ({
      ...project,
      ...(project.readable
        ? findDecidingRoles(project.id, project.grants, rootRoles, permissions)
        : { roles: [], rootRoles: [] }),
    })),
    sessions: await listUserSessions(db, id),
    tokens: tokens.map(({ id, description, expiresAt, seenAt }) => ({ id, description, expiresAt, seenAt })),
  };
}

export const USER_ACCESS: OperationModule = {
  tag: 'Users',
  schemas: [NamedGroup, AccessOfUser],
  operations: [
    query({
      id: 'getAccessOfUser',
      route: 'GET /api/admin/user-admin/:id/access',
      summary: "Get a user's access",
      description:
        'Returns the roles of the user on the instance and in every active project, each with the group that grants it, and their groups, open sessions and personal tokens.',
      permission: ['ADMIN'],
      params: Type.Object({ id: PathId('User', '7') }),
      output: jsonResponse('The access', AccessOfUser),
      read: ({ db }, { params: { id } }) => readAccess(db, Number(id)),
    }),
  ],
};
