import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { reasonHeader } from '../api/reason.ts';
import type { FilterOption } from '../ui/filters.ts';
import { getCandidateLabel } from './owner-labels.ts';
import type { FeaturePath } from './queries.ts';

/** `login` is the email address or username of a user, for people who know only the login and not the name. */
export type Candidate = Pick<Schemas['Owner'], 'type' | 'id' | 'name'> & {
  login?: string | null | undefined;
};
export type Owners = { owners: Schemas['Owner'][]; etag: string };

/** Reads a flag's owners, and the ETag that proves which list was read. */
export async function readOwners(path: FeaturePath, signal?: AbortSignal): Promise<Owners> {
  const call = api.GET('/api/admin/projects/{projectId}/features/{featureName}/owners', {
    params: { path },
    ...(signal && { signal }),
  });
  const { owners } = await unwrap(call);
  return { owners, etag: (await call).response.headers.get('ETag') ?? '*' };
}

export const ownersQuery = (path: FeaturePath) =>
  queryOptions({
    queryKey: [...keys.feature(path), 'owners'],
    queryFn: ({ signal }) => readOwners(path, signal),
    staleTime: 30_000,
  });

type User = Pick<Schemas['User'], 'id'> & {
  name?: string | null | undefined;
  username?: string | null | undefined;
  email?: string | null | undefined;
};

export const toCandidate = ({ id, name, username, email }: User): Candidate => ({
  type: 'user',
  id,
  name: name || username || email || `User ${id}`,
  login: (name && (email || username)) || undefined,
});

/** Everyone who can own a flag. */
export const candidatesQuery = queryOptions({
  queryKey: [...keys.users, 'candidates'],
  queryFn: async ({ signal }): Promise<Candidate[]> => {
    const { users, groups } = await unwrap(api.GET('/api/admin/user-admin/access', { signal }));
    return [
      ...users.map(toCandidate),
      ...groups.map(({ id, name }) => ({ type: 'group' as const, id, name })),
    ];
  },
  staleTime: 30_000,
});

export const getCandidateKey = ({ type, id }: Pick<Candidate, 'type' | 'id'>): string => `${type}:${id}`;

/** Returns a candidate's value and label in the `owner` filter. */
export const toOption = (candidate: Candidate): FilterOption => ({
  value: getCandidateKey(candidate),
  label: getCandidateLabel(candidate),
});

/** Finds at most 100 people by name, username or email address, as values of the `owner` filter. */
export async function findOwners(text: string, signal: AbortSignal): Promise<FilterOption[]> {
  const query = { q: text };
  const users = await unwrap(api.GET('/api/admin/user-admin/search', { params: { query }, signal }));
  return users.map(user => toOption(toCandidate(user)));
}

export const setOwners = (
  path: FeaturePath,
  owners: readonly Candidate[],
  etag: string,
  reason?: string,
): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/projects/{projectId}/features/{featureName}/owners', {
      params: { path },
      body: { owners: owners.map(({ type, id }) => ({ type, id })) },
      headers: { 'If-Match': etag, ...reasonHeader(reason) },
    }),
  );

/** Makes a person or group an owner of a flag, in addition to the other owners or instead of one of them. */
export async function addOwner(
  path: FeaturePath,
  newOwner: Candidate,
  { replacing, reason }: { replacing?: Pick<Candidate, 'type' | 'id'>; reason?: string } = {},
): Promise<void> {
  const { owners, etag } = await readOwners(path);
  const remainingOwners = owners.filter(
    owner =>
      getCandidateKey(owner) !== getCandidateKey(newOwner) &&
      (!replacing || getCandidateKey(owner) !== getCandidateKey(replacing)),
  );
  await setOwners(path, [...remainingOwners, newOwner], etag, reason);
}
