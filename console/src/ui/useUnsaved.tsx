import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Confirm } from './Confirm.tsx';

type Labels = { title: string; action: string; text: string };

const UNSAVED: Labels = {
  title: 'Discard changes?',
  action: 'Discard changes',
  text: 'You have not saved your changes.',
};

/**
 * Asks for confirmation before the user loses input by opening a different page, editor or environment, or by closing or reloading
 * the tab. `onDiscard` runs after "Discard changes". Save and Discard leave without asking, using useFilters' `leave` or
 * the router's `ignoreBlocker`.
 */
export function useUnsaved(
  isChanged: boolean,
  onDiscard: () => void,
  labels = UNSAVED,
): { isConfirming: boolean; confirmation: ReactNode } {
  const { status, proceed, reset } = useBlocker({
    disabled: !isChanged,
    withResolver: true,
    shouldBlockFn: async ({ current, next }) => {
      const isLost =
        current.pathname !== next.pathname ||
        current.search.edit !== next.search.edit ||
        current.search.environment !== next.search.environment;
      // Otherwise, the Esc key press that closes a panel would also close the dialog.
      if (isLost) await new Promise(resolve => setTimeout(resolve));
      return isLost;
    },
  });
  const isConfirming = status === 'blocked';
  // A save that finishes while the dialog is open closes the dialog, because there is nothing left to lose.
  useEffect(() => {
    if (isConfirming && !isChanged) proceed?.();
  }, [isConfirming, isChanged, proceed]);
  const confirmation = (
    <Confirm
      opened={isConfirming}
      title={labels.title}
      action={labels.action}
      danger
      onConfirm={() => {
        onDiscard();
        proceed?.();
      }}
      onClose={() => reset?.()}
    >
      <p>{labels.text}</p>
    </Confirm>
  );
  return { isConfirming, confirmation };
}
