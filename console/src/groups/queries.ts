import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
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

const toPathParams = (id: number) => ({ params: { path: { groupId: String(id) } } });

/** A group and its ETag, which identifies the version that the user has seen. */
export const groupQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.groups, id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/groups/{groupId}', { ...toPathParams(id), signal });
      const group = await unwrap(call);
      return { group, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const groupProjectsQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.groups, id, 'projects'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/api/admin/groups/{groupId}/projects', { ...toPathParams(id), signal })))
        .projects,
    staleTime: 5_000,
  });

/** Searches for users to add, starting with the first typed character. */
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
  ensureApplied(
    api.PUT('/api/admin/groups/{groupId}', { ...toPathParams(id), body, headers: { 'If-Match': etag } }),
  );

export const deleteGroup = (id: number): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/groups/{groupId}', toPathParams(id)));

/** Describes the events that change a group. */
export const buildSubject = (id: number): Subject => ({
  types: ['group-created', 'group-updated', 'group-user-added', 'group-user-removed'],
  isAbout: ({ data, preData }) =>
    [data?.id, preData?.id, data?.groupId, preData?.groupId].some(value => value === id),
});
