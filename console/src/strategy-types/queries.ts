import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type StrategyType = Schemas['StrategyType'];
export type Parameter = Schemas['NewStrategyParameter'];

const TYPE_PATH = '/api/admin/strategies/{strategyName}';
const toPathParams = (strategyName: string) => ({ params: { path: { strategyName } } });

export const strategyTypesQuery = queryOptions({
  queryKey: keys.strategyTypes,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/strategies', { signal }))).strategies,
  staleTime: 30_000,
});

/** A strategy type and its ETag, which identifies the version that the user has seen. */
export const strategyTypeQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.strategyTypes, name],
    queryFn: async ({ signal }) => {
      const call = api.GET(TYPE_PATH, { ...toPathParams(name), signal });
      const type = await unwrap(call);
      return { type, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const createStrategyType = (body: Schemas['NewStrategyType']): Promise<StrategyType> =>
  unwrap(api.POST('/api/admin/strategies', { body }));

/** Replaces the description and the parameters. The server rejects the request with 412 if somebody has changed the type in the meantime. */
export const updateStrategyType = (
  name: string,
  body: Schemas['StrategyTypeUpdate'],
  etag: string,
): Promise<void> =>
  ensureApplied(api.PUT(TYPE_PATH, { ...toPathParams(name), body, headers: { 'If-Match': etag } }));

export const setDeprecated = (name: string, deprecated: boolean): Promise<void> =>
  ensureApplied(
    deprecated
      ? api.POST(`${TYPE_PATH}/deprecate`, toPathParams(name))
      : api.POST(`${TYPE_PATH}/reactivate`, toPathParams(name)),
  );

export const deleteStrategyType = (name: string): Promise<void> =>
  ensureApplied(api.DELETE(TYPE_PATH, toPathParams(name)));

export const buildSubject = (name: string): Subject => ({
  types: ['strategy-created', 'strategy-updated', 'strategy-deprecated', 'strategy-reactivated'],
  text: name,
  isAbout: ({ data }) => data?.name === name,
});
