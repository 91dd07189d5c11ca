import { useEffect, useSyncExternalStore } from 'react';

/** An action of the current page in the command palette: "Disable checkout-express in production…". */
export type PageAction = { label: string; run(): void };

let actions: readonly PageAction[] = [];
const listeners = new Set<() => void>();

function set(next: readonly PageAction[]): void {
  actions = next;
  for (const listener of listeners) listener();
}

/**
 * Offers actions in the command palette while the page is shown. Pass a memoized list, without actions that the user may
 * not run (`can()`).
 */
export function useOfferActions(offered: readonly PageAction[]): void {
  useEffect(() => {
    set(offered);
    return () => set([]);
  }, [offered]);
}

export const usePageActions = (): readonly PageAction[] =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => actions,
  );
