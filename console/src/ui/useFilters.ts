import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from './search.ts';

/**
 * Returns the URL's query and functions that change it. `push` adds a history entry, which suits filters. `replace` adds none,
 * which suits the selected row. `leave` also replaces the entry, and closes the open editor without asking about unsaved changes,
 * unless a different editor has been opened since. Each function removes the parameters that are undefined in the change, and keeps
 * those that the change omits.
 */
export function useFilters(): {
  search: Search;
  push(change: Search): void;
  replace(change: Search): void;
  leave(change: Search): void;
} {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = useCallback(
    (change: Search, options: { replace?: boolean; ignoreBlocker?: boolean }) =>
      void navigate({
        to: '.',
        search: (currentSearch: Search) => ({ ...currentSearch, ...change }),
        ...options,
      }),
    [navigate],
  );
  const { edit } = search;
  return {
    search,
    push: useCallback((change: Search) => go(change, {}), [go]),
    replace: useCallback((change: Search) => go(change, { replace: true }), [go]),
    leave: useCallback(
      (change: Search) =>
        void navigate({
          to: '.',
          search: (currentSearch: Search) =>
            currentSearch.edit === edit ? { ...currentSearch, ...change } : currentSearch,
          replace: true,
          ignoreBlocker: true,
        }),
      [navigate, edit],
    ),
  };
}
