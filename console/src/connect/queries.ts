import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { applicationQuery } from '../applications/queries.ts';

/** Short, because the user is waiting, although the server writes SDK reports only every 10 s. */
const WAITING_MS = 3_000;
const CONNECTED_MS = 15_000;

/** The applications that used a token, most recently seen first. */
export const tokenUsageQuery = (tokenId: number) =>
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

/** When a token was last used, with or without an SDK, or null if it was never used. */
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

/** The name of a flag that sample programs can evaluate, or null if the project has no flags. */
export const firstFlagQuery = (project: string) =>
  queryOptions({
    queryKey: [...keys.flags, 'first', project],
    queryFn: ({ signal }) => {
      const query = { project: `IS:${project}`, limit: 1 };
      return unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
    },
    select: ({ features }) => features[0]?.name ?? null,
    staleTime: 60_000,
  });

/** An application, refetched often while the user waits for its first flag evaluation. */
export const connectingApplicationQuery = (appName: string) => ({
  ...applicationQuery(appName),
  refetchInterval: WAITING_MS,
});
