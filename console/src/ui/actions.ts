import { useEffect, useRef, useSyncExternalStore } from 'react';

/** An action of the current page in the command palette, such as "Disable checkout-express in production…". */
export type PageAction = { label: string; run(): void };

let registered: readonly (readonly PageAction[])[] = [];
let actions: readonly PageAction[] = [];
const listeners = new Set<() => void>();

function setRegistered(next: typeof registered): void {
  registered = next;
  actions = next.flat();
  for (const listener of listeners) listener();
}

/**
 * Adds actions to the command palette while the component is mounted. Pass only actions that the user may run (`can()`). `run`
 * may change with every render.
 */
export function useRegisterActions(newActions: readonly (PageAction | false | undefined)[]): void {
  const current = useRef(newActions);
  current.current = newActions;
  const labels = newActions.map(action => (action ? action.label : '')).join('\n');
  useEffect(() => {
    const ownActions = labels.split('\n').flatMap((label, n): PageAction[] => {
      const run = () => {
        const currentAction = current.current[n];
        if (currentAction) currentAction.run();
      };
      return label ? [{ label, run }] : [];
    });
    setRegistered([...registered, ownActions]);
    return () => setRegistered(registered.filter(other => other !== ownActions));
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
