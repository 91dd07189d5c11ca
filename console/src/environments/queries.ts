import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type Environment = Schemas['Environment'];
type Update = Schemas['EnvironmentUpdate'];

const ENVIRONMENT = '/api/admin/environments/{environment}';
const pathOf = (environment: string) => ({ params: { path: { environment } } });

/** An environment, and the ETag that proves which state the user has seen. */
export const environmentQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.environments, name],
    queryFn: async ({ signal }) => {
      const call = api.GET(ENVIRONMENT, { ...pathOf(name), signal });
      const environment = await unwrap(call);
      return { environment, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const createEnvironment = (body: Schemas['NewEnvironment']): Promise<Environment> =>
  unwrap(api.POST('/api/admin/environments', { body }));

/** Changes the type. The server rejects it with 412 if somebody changed the environment meanwhile. */
export const updateEnvironment = (name: string, body: Update, etag: string): Promise<void> =>
  done(
    api.PUT('/api/admin/environments/update/{environment}', {
      ...pathOf(name),
      body,
      headers: { 'If-Match': etag },
    }),
  );

/** Whether new projects get the environment. */
export const setEnabled = (name: string, enabled: boolean): Promise<void> =>
  done(enabled ? api.POST(`${ENVIRONMENT}/on`, pathOf(name)) : api.POST(`${ENVIRONMENT}/off`, pathOf(name)));

/** Sorts the environments everywhere: on flag pages, in lists and in selects. */
export const sortEnvironments = (names: readonly string[]): Promise<void> =>
  done(
    api.PUT('/api/admin/environments/sort-order', {
      body: Object.fromEntries(names.map((name, place) => [name, (place + 1) * STEP])),
    }),
  );

const STEP = 100;

export const deleteEnvironment = (name: string): Promise<void> => done(api.DELETE(ENVIRONMENT, pathOf(name)));

export const subjectOf = (name: string): Subject => ({
  types: ['environment-created', 'environment-updated'],
  text: name,
  isAbout: ({ environment }) => environment === name,
});
