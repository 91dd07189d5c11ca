import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type ApiToken = Schemas['ApiToken'];
export type NewApiToken = Schemas['NewApiToken'];
export type TokenUse = Schemas['ApiTokenApplication'];

const TOKEN = '/api/admin/api-tokens/{token}';
const OF_PROJECT = '/api/admin/projects/{projectId}/api-tokens';
const REFRESH_MS = 30_000;

/** The tokens of a project, or all that the user may read. */
export const tokensQuery = (project: string | undefined) =>
  queryOptions({
    queryKey: [...keys.apiTokens, project ?? 'all'],
    queryFn: async ({ signal }) => {
      const { tokens } = await unwrap(
        project === undefined
          ? api.GET('/api/admin/api-tokens', { signal })
          : api.GET(OF_PROJECT, { params: { path: { projectId: project } }, signal }),
      );
      return tokens;
    },
    refetchInterval: REFRESH_MS,
  });

/** The applications that used each token, by the id of the token. */
export const usesQuery = queryOptions({
  queryKey: keys.tokenUse(),
  queryFn: async ({ signal }) => {
    const { tokens } = await unwrap(api.GET('/api/admin/metrics/api-tokens', { signal }));
    return new Map(tokens.map(({ id, applications }) => [id, applications]));
  },
  refetchInterval: REFRESH_MS,
});

/** Creates a token. Only this response has its secret. */
export const createToken = (project: string | undefined, body: NewApiToken): Promise<ApiToken> =>
  unwrap(
    project === undefined
      ? api.POST('/api/admin/api-tokens', { body })
      : api.POST(OF_PROJECT, { params: { path: { projectId: project } }, body }),
  );

/** Changes the expiry of a token. The server rejects it with 412 if somebody changed the token meanwhile. */
export async function updateExpiry({ id }: ApiToken, expiresAt: string | null): Promise<void> {
  const params = { path: { token: String(id) } };
  const call = api.GET(TOKEN, { params });
  await unwrap(call);
  const etag = (await call).response.headers.get('ETag') ?? '*';
  await done(api.PUT(TOKEN, { params, body: { expiresAt }, headers: { 'If-Match': etag } }));
}

export const deleteToken = (project: string | undefined, { id }: Pick<ApiToken, 'id'>): Promise<void> =>
  done(
    project === undefined
      ? api.DELETE(TOKEN, { params: { path: { token: String(id) } } })
      : api.DELETE(`${OF_PROJECT}/{token}`, {
          params: { path: { projectId: project, token: String(id) } },
        }),
  );
