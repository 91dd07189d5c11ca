import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { applicationQuery } from '../applications/queries.ts';

/** The server writes what SDKs report every 10 s. */
const WAITING_MS = 3_000;
const CONNECTED_MS = 15_000;

/** The applications that used a token, most recently seen first. */
export const useOfTokenQuery = (tokenId: number) =>
  queryOptions({
    queryKey: keys.tokenUse(tokenId),
    queryFn: async ({ signal }) => {
      const query = { token: String(tokenId) };
      const { tokens } = await unwrap(
        api.GET('/api/admin/metrics/api-tokens', { params: { query }, signal }),
      );
      return tokens[0]?.applications ?? [];
    },
    refetchInterval: ({ state }) => (state.data?.length ? CONNECTED_MS : WAITING_MS),
  });

/** When a token was last used, by an SDK or by a program without one. Null: never. */
export const seenAtQuery = (tokenId: number, project: string | undefined) =>
  queryOptions({
    queryKey: [...keys.apiTokens, 'seen', tokenId, project],
    queryFn: async ({ signal }) => {
      const { tokens } = await unwrap(
        project === undefined
          ? api.GET('/api/admin/api-tokens/{token}', { params: { path: { token: String(tokenId) } }, signal })
          : api.GET('/api/admin/projects/{projectId}/api-tokens', {
              params: { path: { projectId: project } },
              signal,
            }),
      );
      return tokens.find(({ id }) => id === tokenId)?.seenAt ?? null;
    },
    refetchInterval: ({ state }) => (state.data ? CONNECTED_MS : WAITING_MS),
    retry: false,
  });

/** A flag of the project, for a program that evaluates one. Null: the project has none. */
export const firstFlagQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.flags, 'first', project],
    queryFn: async ({ signal }) => {
      const query = { project: `IS:${project}`, limit: 1 };
      const { features } = await unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
      return features[0]?.name ?? null;
    },
    staleTime: 60_000,
  });

/** An application, read often while it has not evaluated a flag yet. */
export const connectingApplicationQuery = (appName: string) => ({
  ...applicationQuery(appName),
  refetchInterval: WAITING_MS,
});
