import { queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Evaluation = schemas['PlaygroundEvaluation'];
export type PlaygroundBody = schemas['PlaygroundRequest'];

/** The results of all flags for one context. The server saves nothing. */
export const playgroundQuery = (body: PlaygroundBody) =>
  queryOptions({
    queryKey: keys.playground(body),
    queryFn: async ({ signal }) =>
      (await unwrap(api.POST('/api/admin/playground', { body, signal, fetch: sendRead }))).features,
    enabled: body.environment !== '',
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
