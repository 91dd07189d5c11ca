import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type FeatureType = Schemas['FeatureType'];

const toPathParams = (id: string) => ({ params: { path: { id } } });

export const featureTypesQuery = queryOptions({
  queryKey: [...keys.featureTypes, 'list'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/feature-types', { signal }))).types,
  staleTime: 30_000,
});

/** A feature type and its ETag, which identifies the version that the user has seen. */
export const featureTypeQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.featureTypes, 'one', id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/feature-types/{id}', { ...toPathParams(id), signal });
      const type = await unwrap(call);
      return { type, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

/** Sets the number of days after which flags of this type are potentially stale. */
export const updateLifetime = (id: string, lifetimeDays: number | null, etag: string): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/feature-types/{id}/lifetime', {
      ...toPathParams(id),
      body: { lifetimeDays },
      headers: { 'If-Match': etag },
    }),
  );

export const buildSubject = (id: string): Subject => ({
  types: ['feature-type-updated'],
  isAbout: ({ data }) => data?.id === id,
});
