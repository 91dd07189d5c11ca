import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { removeOtherUsersDrafts } from '../ui/drafts.ts';
import { type Me, missingPermissions, type OperationId, type Scope } from './can.ts';
import { api, sendOnce, unwrap } from './client.ts';
import { keys } from './keys.ts';
import { checkPageUser, setConnection } from './session.ts';

/** The user and their permissions. The shell loads both before any page. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async ({ signal }) => {
    const me = await unwrap(api.GET('/api/admin/user', { signal, fetch: sendOnce }));
    // Opens the login dialog, because the input on the page belongs to a different user.
    if (!checkPageUser(me)) setConnection({ sessionEnded: true });
    else removeOtherUsersDrafts(me.user.id);
    return me;
  },
  staleTime: 60_000,
});

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** Lists the permissions that would each allow the operation. The list is empty if the user already has one of them. */
export const useMissingPermissions = (operation: OperationId, scope?: Scope): readonly string[] =>
  missingPermissions(useMe(), operation, scope);
