import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { removeDraftsExceptOf } from '../ui/drafts.ts';
import { type Me, missingPermissions, type OperationId, type Place } from './can.ts';
import { api, sendOnce, unwrap } from './client.ts';
import { keys } from './keys.ts';
import { isOwner, setConnection } from './session.ts';

/** The caller and its permissions. The shell loads it before any page. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async ({ signal }) => {
    const me = await unwrap(api.GET('/api/admin/user', { signal, fetch: sendOnce }));
    // The login dialog says whose input is on the page.
    if (!isOwner(me)) setConnection({ sessionEnded: true });
    else removeDraftsExceptOf(me.user.id);
    return me;
  },
  staleTime: 60_000,
});

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

/** The user needs one of these permissions for an operation; empty if the user may call it. */
export const useMissingPermissions = (operation: OperationId, place?: Place): readonly string[] =>
  missingPermissions(useMe(), operation, place);
