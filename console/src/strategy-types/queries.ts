import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type StrategyType = Schemas['StrategyType'];
export type Parameter = Schemas['NewStrategyParameter'];

const TYPE = '/api/admin/strategies/{strategyName}';
const pathOf = (strategyName: string) => ({ params: { path: { strategyName } } });

export const strategyTypesQuery = queryOptions({
  queryKey: keys.strategyTypes,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/strategies', { signal }))).strategies,
  staleTime: 30_000,
});

/** A strategy type, and the ETag that proves which state the user has seen. */
export const strategyTypeQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.strategyTypes, name],
    queryFn: async ({ signal }) => {
      const call = api.GET(TYPE, { ...pathOf(name), signal });
      const type = await unwrap(call);
      return { type, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const createStrategyType = (body: Schemas['NewStrategyType']): Promise<StrategyType> =>
  unwrap(api.POST('/api/admin/strategies', { body }));

/** Replaces description and parameters. The server rejects it with 412 if somebody changed the type meanwhile. */
export const updateStrategyType = (
  name: string,
  body: Schemas['StrategyTypeUpdate'],
  etag: string,
): Promise<void> => done(api.PUT(TYPE, { ...pathOf(name), body, headers: { 'If-Match': etag } }));

export const setDeprecated = (name: string, deprecated: boolean): Promise<void> =>
  done(
    deprecated ? api.POST(`${TYPE}/deprecate`, pathOf(name)) : api.POST(`${TYPE}/reactivate`, pathOf(name)),
  );

export const deleteStrategyType = (name: string): Promise<void> => done(api.DELETE(TYPE, pathOf(name)));

export const subjectOf = (name: string): Subject => ({
  types: ['strategy-created', 'strategy-updated', 'strategy-deprecated', 'strategy-reactivated'],
  text: name,
  isAbout: ({ data }) => data?.name === name,
});
