import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { RequestError } from '../api/errors.ts';
import { keys } from '../api/keys.ts';

export type PersonalToken = Schemas['PersonalToken'];

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/user/sessions', { signal }))).sessions,
});

export const endSession = (id: number) =>
  ensureApplied(api.DELETE('/api/admin/user/sessions/{id}', { params: { path: { id: String(id) } } }));

/** Ends several sessions. A session that has already ended is not a failure. */
export async function endSessions(ids: readonly number[]): Promise<void> {
  for (const id of ids)
    await endSession(id).catch((error: unknown) => {
      if (!(error instanceof RequestError) || error.status !== 404) throw error;
    });
}

export const changePassword = (body: Schemas['OwnNewPassword']) =>
  ensureApplied(api.POST('/api/admin/user/change-password', { body }));

export const tokensQuery = queryOptions({
  queryKey: keys.personalTokens,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/user/tokens', { signal }))).pats,
});

export const createToken = (body: Schemas['NewPersonalToken']): Promise<PersonalToken> =>
  unwrap(api.POST('/api/admin/user/tokens', { body }));

export const deleteToken = (id: number) =>
  ensureApplied(api.DELETE('/api/admin/user/tokens/{id}', { params: { path: { id: String(id) } } }));
