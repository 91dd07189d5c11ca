import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { removeOtherUsersDrafts } from '../ui/drafts.ts';

export const profileQuery = queryOptions({
  queryKey: keys.profile,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user/profile', { signal })),
  staleTime: 60_000,
});

/** The projects that the user may read. */
export const projectsQuery = queryOptions({
  queryKey: keys.projects,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/projects', { signal })),
  // Caches the whole response, because projects/queries.ts uses and updates it too.
  select: ({ projects }) => projects,
  staleTime: 30_000,
});

/** All environments. */
export const environmentsQuery = queryOptions({
  queryKey: keys.environments,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/environments', { signal })),
  staleTime: 60_000,
});

/** The user's saved views. */
export const viewsQuery = queryOptions({
  queryKey: keys.views,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/user/views', { signal })),
  select: ({ views }) => views,
  staleTime: 60_000,
});

const MAX_FAVORITES = 8;

/** The user's first favorite flags. */
export const favoritesQuery = queryOptions({
  queryKey: keys.favorites,
  queryFn: async ({ signal }) => {
    const query = { favoritesFirst: 'true', sortBy: 'name', limit: MAX_FAVORITES } as const;
    const { features } = await unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
    return features.filter(feature => feature.favorite);
  },
  staleTime: 30_000,
});

/** The integrations, to count those whose last attempts failed. They fail and recover without an event. */
export const integrationsQuery = queryOptions({
  queryKey: [...keys.integrations, 'list'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/addons', { signal })),
  // Caches the whole response, because integrations/queries.ts uses it too.
  select: ({ addons }) => addons,
  staleTime: 30_000,
  refetchInterval: 30_000,
});

const MAX_FLAGS = 8;

/** Flags for the command palette, once at least two characters are typed. */
export const flagsQuery = (query: string) =>
  queryOptions({
    queryKey: keys.palette(query),
    enabled: query.length >= 2,
    queryFn: async ({ signal }) => {
      const params = { query: { query, limit: MAX_FLAGS } };
      return (await unwrap(api.GET('/api/admin/search/features', { params, signal }))).features;
    },
    staleTime: 10_000,
  });

/**
 * Ends the session in Halyard and, if the provider supports it, at the provider. Loads a new page, so that no data stays in memory.
 */
export async function logOut(): Promise<void> {
  await unwrap(api.POST('/logout'));
  removeOtherUsersDrafts();
  const { methods } = await unwrap(api.GET('/auth/methods'));
  location.assign(methods.some(({ type }) => type === 'oidc') ? '/auth/oidc/logout' : '/login');
}
