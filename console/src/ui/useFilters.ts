import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Search } from './search.ts';

/**
 * The query of the URL, and how to change it. `push` adds a history entry: for filters. `replace` does not: for the selected row.
 * `leave` replaces too, and closes the open editor without asking about unsaved changes; if another one was opened meanwhile,
 * that one stays. All of them keep the parameters that they do not name; undefined removes one.
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
      void navigate({ to: '.', search: (before: Search) => ({ ...before, ...change }), ...options }),
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
          search: (before: Search) => (before.edit === edit ? { ...before, ...change } : before),
          replace: true,
          ignoreBlocker: true,
        }),
      [navigate, edit],
    ),
  };
}
