import { useEffect, useRef, useSyncExternalStore } from 'react';

/** An action of the current page in the command palette: "Disable checkout-express in production…". */
export type PageAction = { label: string; run(): void };

let offers: readonly (readonly PageAction[])[] = [];
let actions: readonly PageAction[] = [];
const listeners = new Set<() => void>();

function set(next: typeof offers): void {
  offers = next;
  actions = next.flat();
  for (const listener of listeners) listener();
}

/**
 * Offers actions in the command palette while the component is mounted, without those that the user may not run (`can()`).
 * `run` may change with every render.
 */
export function useOfferActions(offered: readonly (PageAction | false | undefined)[]): void {
  const current = useRef(offered);
  current.current = offered;
  const labels = offered.map(one => (one ? one.label : '')).join('\n');
  useEffect(() => {
    const own = labels.split('\n').flatMap((label, n): PageAction[] => {
      const run = () => {
        const now = current.current[n];
        if (now) now.run();
      };
      return label ? [{ label, run }] : [];
    });
    set([...offers, own]);
    return () => set(offers.filter(one => one !== own));
  }, [labels]);
}

export const usePageActions = (): readonly PageAction[] =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => actions,
  );
