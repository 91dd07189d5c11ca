import { useEffect, useRef, useSyncExternalStore } from 'react';

/** An action of the current page in the command palette, such as "Disable checkout-express in production…". */
export type PageAction = { label: string; run(): void };

let offers: readonly (readonly PageAction[])[] = [];
let actions: readonly PageAction[] = [];
const listeners = new Set<() => void>();

function setOffers(next: typeof offers): void {
  offers = next;
  actions = next.flat();
  for (const listener of listeners) listener();
}

/**
 * Offers actions in the command palette while the component is mounted, except those that the user may not run (`can()`).
 * `run` may change with every render.
 */
export function useOfferActions(offeredActions: readonly (PageAction | false | undefined)[]): void {
  const current = useRef(offeredActions);
  current.current = offeredActions;
  const labels = offeredActions.map(action => (action ? action.label : '')).join('\n');
  useEffect(() => {
    const ownActions = labels.split('\n').flatMap((label, n): PageAction[] => {
      const run = () => {
        const currentAction = current.current[n];
        if (currentAction) currentAction.run();
      };
      return label ? [{ label, run }] : [];
    });
    setOffers([...offers, ownActions]);
    return () => setOffers(offers.filter(offer => offer !== ownActions));
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
