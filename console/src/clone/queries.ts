import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { FeaturePath } from '../features/queries.ts';
import { MAX_NAME_LENGTH } from './form.ts';

export type CloneRequest = schemas['CloneRequest'];
export type ClonePlan = schemas['ClonePlan'];
export type PlannedCopy = schemas['PlannedCopy'];
export type OmittedPart = schemas['OmittedPart'];
export type Drift = schemas['Drift'];
export type DriftDifference = schemas['DriftDifference'];

const CLONE = '/api/admin/projects/{projectId}/features/{featureName}/clone';

/** Previews a clone with a dry run, which changes nothing. */
export const planQuery = (path: FeaturePath, body: CloneRequest) =>
  queryOptions({
    queryKey: keys.clonePlan(path, body),
    queryFn: async ({ signal }) => {
      const plan = await unwrap(
        api.POST(CLONE, { params: { path, query: { dryRun: 'true' } }, body, signal, fetch: sendRead }),
      );
      return plan as ClonePlan; // A dry run responds with a plan, never with a flag.
    },
    enabled: body.name !== '' && body.name.length <= MAX_NAME_LENGTH,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });

/** Executes the plan. The server rejects it with 409 if the result would differ from the plan. */
export const cloneFeature = (path: FeaturePath, body: CloneRequest): Promise<void> =>
  ensureApplied(api.POST(CLONE, { params: { path }, body }));
