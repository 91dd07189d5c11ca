import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../../api/api.gen.ts';
import { api, ensureApplied, sendRead, unwrap } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { reasonHeader } from '../../api/reason.ts';
import { type ProjectDetails, projectQuery } from '../queries.ts';

export type Access = schemas['ProjectAccess'];
export type Role = schemas['Role'];
export type UserAccess = schemas['UserAccess'];
export type GroupAccess = schemas['GroupAccess'];
export type EnvironmentOfProject = schemas['EnvironmentOfProject'];
export type EnvironmentInProject = schemas['EnvironmentInProject'];
export type DefaultStrategy = schemas['DefaultStrategy'];
export type NamingCheck = schemas['NamingCheck'];

const PROJECT = '/api/admin/projects/{projectId}';
const ENVIRONMENT = `${PROJECT}/environments/{environment}` as const;

/** Reads the newest state of the project from the server. */
export const readProject = async (
  client: QueryClient,
  projectId: string,
): Promise<{ project: ProjectDetails; etag: string }> =>
  await client.fetchQuery({ ...projectQuery(projectId), staleTime: 0 });

/** Changes only the given fields. The server rejects the request with 412 if somebody has changed the project in the meantime. */
export const updateProject = (
  projectId: string,
  body: schemas['ProjectUpdate'],
  etag: string,
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.PUT(PROJECT, {
      params: { path: { projectId } },
      body,
      headers: { 'If-Match': etag, ...reasonHeader(reason) },
    }),
  );

/** Changes only the given settings. The server rejects the request with 412 if somebody has changed the project in the meantime. */
export const updateSettings = (
  projectId: string,
  body: schemas['ProjectSettings'],
  etag: string,
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.PUT(`${PROJECT}/settings`, {
      params: { path: { projectId } },
      body,
      headers: { 'If-Match': etag, ...reasonHeader(reason) },
    }),
  );

/** The flags of the project whose names the rule would not allow. */
export const namingQuery = (projectId: string, featureNaming: schemas['FeatureNamingInput']) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'naming', featureNaming],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST(`${PROJECT}/settings/naming/validate`, {
          params: { path: { projectId } },
          body: { featureNaming },
          signal,
          fetch: sendRead,
        }),
      ),
    staleTime: 10_000,
    retry: false,
  });

/** The environments of the project, in order. */
export const projectEnvironmentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'environments'],
    queryFn: async ({ signal }) =>
      (
        await unwrap(
          api.GET('/api/admin/environments/project/{projectId}', { params: { path: { projectId } }, signal }),
        )
      ).environments,
    staleTime: 5_000,
  });

export type EnvironmentPath = { projectId: string; environment: string };

/** What the project has in an environment, and the ETag of its default strategy. */
export const environmentQuery = (path: EnvironmentPath) =>
  queryOptions({
    queryKey: [...keys.project(path.projectId), 'environments', path.environment],
    queryFn: async ({ signal }) => {
      const call = api.GET(ENVIRONMENT, { params: { path }, signal });
      const environment = await unwrap(call);
      return { environment, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
    staleTime: 5_000,
  });

export const addEnvironment = (projectId: string, environment: string): Promise<void> =>
  ensureApplied(
    api.POST(`${PROJECT}/environments`, { params: { path: { projectId } }, body: { environment } }),
  );

export const removeEnvironment = (path: EnvironmentPath): Promise<void> =>
  ensureApplied(api.DELETE(ENVIRONMENT, { params: { path } }));

/** Replaces the default strategy. The server rejects the request with 412 if somebody has changed the strategy in the meantime. */
export const saveDefaultStrategy = (
  path: EnvironmentPath,
  body: schemas['NewStrategy'],
  etag: string,
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.POST(`${ENVIRONMENT}/default-strategy`, {
      params: { path },
      body,
      headers: { 'If-Match': etag, ...reasonHeader(reason) },
    }),
  );

/** The users and groups with a role in the project, and the roles that can be granted. */
export const accessQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'access'],
    queryFn: ({ signal }) =>
      unwrap(api.GET(`${PROJECT}/access`, { params: { path: { projectId } }, signal })),
    staleTime: 5_000,
  });

/** Everybody who can be granted a role in a project. */
export const candidatesQuery = queryOptions({
  queryKey: [...keys.users, 'access-candidates'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user-admin/access', { signal })),
  staleTime: 30_000,
});

/** A user or a group with roles in a project. */
export type Member = { kind: 'user' | 'group'; id: number };

/** Replaces the roles of a user or group in the project. */
export const setRoles = (projectId: string, { kind, id }: Member, roles: number[]): Promise<void> => {
  const path = { projectId, holderId: String(id) };
  return ensureApplied(
    kind === 'user'
      ? api.PUT(`${PROJECT}/users/{holderId}/roles`, { params: { path }, body: { roles } })
      : api.PUT(`${PROJECT}/groups/{holderId}/roles`, { params: { path }, body: { roles } }),
  );
};

export const revokeRoles = (projectId: string, { kind, id }: Member): Promise<void> => {
  const path = { projectId, holderId: String(id) };
  return ensureApplied(
    kind === 'user'
      ? api.DELETE(`${PROJECT}/users/{holderId}/roles`, { params: { path } })
      : api.DELETE(`${PROJECT}/groups/{holderId}/roles`, { params: { path } }),
  );
};

/** Grants the role to all of these users and groups, in addition to their existing roles. */
export const grantRole = (projectId: string, body: schemas['AccessGrant']): Promise<void> =>
  ensureApplied(api.POST(`${PROJECT}/access`, { params: { path: { projectId } }, body }));

/** Counts what is deleted with the project, as far as the user can read it. */
export const deletionEffectsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'losses'],
    queryFn: async ({ signal }) => {
      const path = { projectId };
      const [archivedFlags, status, fields] = await Promise.all([
        unwrap(
          api.GET('/api/admin/search/features', {
            params: { query: { project: `IS:${projectId}`, archived: 'IS:true', limit: 1 } },
            signal,
          }),
        ),
        unwrap(api.GET(`${PROJECT}/status`, { params: { path }, signal })),
        unwrap(api.GET(`${PROJECT}/context`, { params: { path }, signal })),
      ]);
      return {
        archivedFlags: archivedFlags.total,
        segments: status.resources.segments,
        contextFields: fields.filter(field => field.project === projectId).length,
        apiTokens: status.resources.apiTokens,
        members: status.resources.members,
      };
    },
    staleTime: 5_000,
  });

export const deleteProject = (projectId: string): Promise<void> =>
  ensureApplied(api.DELETE(PROJECT, { params: { path: { projectId } } }));
