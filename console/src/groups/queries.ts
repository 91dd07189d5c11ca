import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type Group = Schemas['Group'];
export type GroupInput = Schemas['GroupInput'];
export type GroupProject = Schemas['ProjectOfGroup'];
export type Person = Schemas['Person'];

export const groupsQuery = queryOptions({
  queryKey: keys.groups,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/groups', { signal }))).groups,
  staleTime: 5_000,
});

const pathOf = (id: number) => ({ params: { path: { groupId: String(id) } } });

/** A group, and the ETag that proves which state the page has seen. */
export const groupQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.groups, id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/groups/{groupId}', { ...pathOf(id), signal });
      const group = await unwrap(call);
      return { group, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const groupProjectsQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.groups, id, 'projects'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/admin/groups/{groupId}/projects', { ...pathOf(id), signal }))).projects,
    staleTime: 5_000,
  });

/** Users to add, from one character. */
export const peopleQuery = (text: string) =>
  queryOptions({
    queryKey: [...keys.users, 'found', text],
    enabled: text !== '',
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/admin/user-admin/search', { params: { query: { q: text } }, signal })),
    staleTime: 10_000,
  });

export const createGroup = (body: GroupInput) => unwrap(api.POST('/api/admin/groups', { body }));

export const updateGroup = (id: number, body: GroupInput, etag: string): Promise<void> =>
  done(api.PUT('/api/admin/groups/{groupId}', { ...pathOf(id), body, headers: { 'If-Match': etag } }));

export const deleteGroup = (id: number): Promise<void> =>
  done(api.DELETE('/api/admin/groups/{groupId}', pathOf(id)));

/** Replaces the roles of the group in a project. Without roles, they are revoked. */
export const setProjectRoles = (id: number, projectId: string, roles: number[]): Promise<void> => {
  const params = { path: { projectId, holderId: String(id) } };
  const path = '/api/admin/projects/{projectId}/groups/{holderId}/roles';
  return done(roles.length === 0 ? api.DELETE(path, { params }) : api.PUT(path, { params, body: { roles } }));
};

/** The events that change a group. */
export const subjectOf = (id: number): Subject => ({
  types: ['group-created', 'group-updated', 'group-user-added', 'group-user-removed'],
  isAbout: ({ data, preData }) =>
    [data?.id, preData?.id, data?.groupId, preData?.groupId].some(one => one === id),
});
