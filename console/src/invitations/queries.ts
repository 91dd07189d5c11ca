import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Invitation = Schemas['SignupToken'];

export const invitationsQuery = queryOptions({
  queryKey: keys.invitations,
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/invite-link/tokens', { signal }))).tokens,
  staleTime: 5_000,
});

export const createInvitation = (body: Schemas['NewSignupToken']) =>
  unwrap(api.POST('/api/admin/invite-link/tokens', { body }));

export const updateInvitation = (id: number, body: Schemas['SignupTokenUpdate']): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/invite-link/tokens/{token}', { params: { path: { token: String(id) } }, body }),
  );
