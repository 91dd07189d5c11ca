import { queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Evaluation = schemas['PlaygroundEvaluation'];
export type PlaygroundFeature = schemas['AdvancedPlaygroundResult']['features'][number];
export type PlaygroundBody = schemas['AdvancedPlaygroundRequest'];

/** The flags' results for each environment and context. The server saves nothing. */
export const playgroundQuery = (body: PlaygroundBody | undefined) =>
  queryOptions({
    queryKey: keys.playground(body ?? {}),
    queryFn: async ({ signal }) =>
      (
        await unwrap(
          api.POST('/api/admin/playground/advanced', {
            body: body ?? { environments: [] },
            signal,
            fetch: sendRead,
          }),
        )
      ).features,
    enabled: body !== undefined,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
