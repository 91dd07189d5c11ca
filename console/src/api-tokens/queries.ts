import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type ApiToken = Schemas['ApiToken'];
export type NewApiToken = Schemas['NewApiToken'];
export type TokenUse = Schemas['ApiTokenApplication'];

const TOKEN = '/api/admin/api-tokens/{token}';
const PROJECT_TOKENS = '/api/admin/projects/{projectId}/api-tokens';
const REFRESH_MS = 30_000;

/** A project's tokens, or all tokens that the user may read. */
export const tokensQuery = (project: string | undefined) =>
  queryOptions({
    queryKey: [...keys.apiTokens, project ?? 'all'],
    queryFn: async ({ signal }) => {
      const { tokens } = await unwrap(
        project === undefined
          ? api.GET('/api/admin/api-tokens', { signal })
          : api.GET(PROJECT_TOKENS, { params: { path: { projectId: project } }, signal }),
      );
      return tokens;
    },
    refetchInterval: REFRESH_MS,
  });

/** The applications that used each token, by token id. */
export const applicationsByTokenQuery = queryOptions({
  queryKey: keys.tokenUse(),
  queryFn: async ({ signal }) => {
    const { tokens } = await unwrap(api.GET('/api/admin/metrics/api-tokens', { signal }));
    return new Map(tokens.map(({ id, applications }) => [id, applications]));
  },
  refetchInterval: REFRESH_MS,
});

/** Creates a token. Only this response contains the secret. */
export const createToken = (project: string | undefined, body: NewApiToken): Promise<ApiToken> =>
  unwrap(
    project === undefined
      ? api.POST('/api/admin/api-tokens', { body })
      : api.POST(PROJECT_TOKENS, { params: { path: { projectId: project } }, body }),
  );

/** Changes a token's expiry unless it has changed since the user saw it. Either way, resolves with the stored expiry. */
export async function updateExpiry(
  { id }: ApiToken,
  { seenExpiry, newExpiry }: { seenExpiry: string | null; newExpiry: string | null },
): Promise<string | null> {
  const params = { path: { token: String(id) } };
  const call = api.GET(TOKEN, { params });
  const { tokens } = await unwrap(call);
  const storedExpiry = tokens[0]?.expiresAt ?? null;
  if (storedExpiry !== seenExpiry) return storedExpiry;
  const etag = (await call).response.headers.get('ETag') ?? '*';
  await ensureApplied(
    api.PUT(TOKEN, { params, body: { expiresAt: newExpiry }, headers: { 'If-Match': etag } }),
  );
  return newExpiry;
}

export const deleteToken = (project: string | undefined, { id }: Pick<ApiToken, 'id'>): Promise<void> =>
  ensureApplied(
    project === undefined
      ? api.DELETE(TOKEN, { params: { path: { token: String(id) } } })
      : api.DELETE(`${PROJECT_TOKENS}/{token}`, {
          params: { path: { projectId: project, token: String(id) } },
        }),
  );
