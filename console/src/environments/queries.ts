import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type Environment = Schemas['Environment'];
type Update = Schemas['EnvironmentUpdate'];

const ENVIRONMENT = '/api/admin/environments/{environment}';
const toPathParams = (environment: string) => ({ params: { path: { environment } } });

/** An environment and its ETag, which identifies the version that the user has seen. */
export const environmentQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.environments, name],
    queryFn: async ({ signal }) => {
      const call = api.GET(ENVIRONMENT, { ...toPathParams(name), signal });
      const environment = await unwrap(call);
      return { environment, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const createEnvironment = (body: Schemas['NewEnvironment']): Promise<Environment> =>
  unwrap(api.POST('/api/admin/environments', { body }));

/** Changes the type. The server rejects the request with 412 if somebody else has changed the environment in the meantime. */
export const updateEnvironment = (name: string, body: Update, etag: string): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/environments/update/{environment}', {
      ...toPathParams(name),
      body,
      headers: { 'If-Match': etag },
    }),
  );

/** Sets whether new projects include the environment. */
export const setEnabled = (name: string, enabled: boolean): Promise<void> =>
  ensureApplied(
    enabled
      ? api.POST(`${ENVIRONMENT}/on`, toPathParams(name))
      : api.POST(`${ENVIRONMENT}/off`, toPathParams(name)),
  );

/** Sets the order of environments on flag pages, in lists and in selects. */
export const sortEnvironments = (names: readonly string[]): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/environments/sort-order', {
      body: Object.fromEntries(names.map((name, index) => [name, (index + 1) * SORT_ORDER_STEP])),
    }),
  );

const SORT_ORDER_STEP = 100;

export const deleteEnvironment = (name: string): Promise<void> =>
  ensureApplied(api.DELETE(ENVIRONMENT, toPathParams(name)));

export const buildSubject = (name: string): Subject => ({
  types: ['environment-created', 'environment-updated'],
  text: name,
  isAbout: ({ environment }) => environment === name,
});

/** Counts the projects with the environment. Unlike the environment's `projectCount`, it omits archived projects. */
export const countProjects = (projects: readonly Schemas['ListedProject'][], environment: string): number =>
  projects.filter(({ environments }) => environments.includes(environment)).length;
