import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE } from '../ui/usePages.ts';

export type Application = schemas['Application'];
export type ProjectApplication = schemas['ProjectApplication'];
export type ApplicationDetails = schemas['ApplicationDetails'];
export type ApplicationOverview = schemas['ApplicationOverview'];
export type UnknownFlag = schemas['UnknownFlag'];
export type FlagUsage = schemas['ProjectFeatureUsage'];

const APPLICATION = '/api/admin/metrics/applications/{appName}';
/** A shorter interval would show little new, because SDKs report once a minute and the server writes their reports every 10 s. */
const REFRESH_MS = 30_000;

/** One page of the applications, most recently seen first. */
export const applicationsPage = (query: string, page: number) =>
  queryOptions({
    queryKey: [...keys.applications, query, page],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/metrics/applications', {
          params: {
            query: {
              ...(query && { query }),
              sortBy: 'lastSeenAt',
              sortOrder: 'desc',
              offset: page * PAGE_SIZE,
              limit: PAGE_SIZE,
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** One page of the applications that asked for the project's flags, sorted by name. */
export const projectApplicationsPage = (projectId: string, query: string, page: number) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'applications', query, page],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/projects/{projectId}/applications', {
          params: {
            path: { projectId },
            query: { ...(query && { query }), offset: page * PAGE_SIZE, limit: PAGE_SIZE },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const applicationQuery = (appName: string) =>
  queryOptions({
    queryKey: keys.application(appName),
    queryFn: ({ signal }) => unwrap(api.GET(APPLICATION, { params: { path: { appName } }, signal })),
    refetchInterval: REFRESH_MS,
  });

export const overviewQuery = (appName: string) =>
  queryOptions({
    queryKey: [...keys.application(appName), 'overview'],
    queryFn: ({ signal }) =>
      unwrap(api.GET(`${APPLICATION}/overview`, { params: { path: { appName } }, signal })),
    refetchInterval: REFRESH_MS,
  });

/** Up to 100 instances of an application in an environment, most recently seen first. */
export const instancesQuery = (appName: string, environmentName: string) =>
  queryOptions({
    queryKey: [...keys.application(appName), 'instances', environmentName],
    queryFn: async ({ signal }) => {
      const path = { appName, environmentName };
      const call = api.GET('/api/admin/metrics/instances/{appName}/environment/{environmentName}', {
        params: { path },
        signal,
      });
      return (await unwrap(call)).instances;
    },
    refetchInterval: REFRESH_MS,
  });

export const updateApplication = (appName: string, body: schemas['ApplicationFields']): Promise<void> =>
  ensureApplied(api.POST(APPLICATION, { params: { path: { appName } }, body }));

export const deleteApplication = (appName: string): Promise<void> =>
  ensureApplied(api.DELETE(APPLICATION, { params: { path: { appName } } }));

/** The flags that applications asked for in the last 7 days although they do not exist. */
export const unknownFlagsQuery = queryOptions({
  queryKey: [...keys.applications, 'unknown-flags'],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET('/api/admin/metrics/unknown-flags', { signal }))).unknownFlags,
  refetchInterval: REFRESH_MS,
});

/** One page of the project's flags that SDKs evaluated in the last `days` days, sorted by name. */
export const projectUsagePage = (projectId: string, days: string, page: number) =>
  queryOptions({
    queryKey: [...keys.project(projectId), 'usage', days, page],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/projects/{projectId}/usage', {
          params: {
            path: { projectId },
            query: { days: Number(days), offset: page * PAGE_SIZE, limit: PAGE_SIZE },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
