import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE } from '../ui/usePages.ts';

export type Application = schemas['Application'];
export type ProjectApplication = schemas['ProjectApplication'];
export type ApplicationDetails = schemas['ApplicationDetails'];
export type ApplicationOverview = schemas['ApplicationOverview'];

const APPLICATION = '/api/admin/metrics/applications/{appName}';
/** SDKs report once a minute, and the server writes every 10 s. */
const REFRESH_MS = 30_000;

/** One page of the applications, those that were seen last first. */
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

/** One page of the applications that asked for flags of the project, by name. */
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
