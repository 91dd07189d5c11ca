import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { createToken } from '../api-tokens/queries.ts';

export type Edge = Schemas['Edge'];

/** How often edges report to the server. */
const REFRESH_MS = 15_000;

export const edgesQuery = queryOptions({
  queryKey: keys.edges,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/edges', { signal }))).edges,
  refetchInterval: REFRESH_MS,
});

/** Creates the token of an edge for a project, or for all with "*". Only this response has its enrolment. */
export const enrolEdge = (name: string, environment: string, project: string) =>
  createToken(undefined, { tokenName: name.trim(), type: 'edge', environment, projects: [project] });
