import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Confirm } from './Confirm.tsx';

/**
 * Asks before input is lost: when another page, editor or environment is opened, and when the tab is closed or reloaded.
 * `onDiscard` follows the answer "Discard changes". Save and Discard leave without the question, with `leave` of useFilters or `ignoreBlocker` of the router.
 */
export function useUnsaved(
  isChanged: boolean,
  onDiscard: () => void,
): { isAsking: boolean; question: ReactNode } {
  const { status, proceed, reset } = useBlocker({
    disabled: !isChanged,
    withResolver: true,
    shouldBlockFn: async ({ current, next }) => {
      const isLost =
        current.pathname !== next.pathname ||
        current.search.edit !== next.search.edit ||
        current.search.environment !== next.search.environment;
      // The press of Esc that closes a panel would also close the question if it opened at once.
      if (isLost) await new Promise(resolve => setTimeout(resolve));
      return isLost;
    },
  });
  const isAsking = status === 'blocked';
  const question = (
    <Confirm
      opened={isAsking}
      title="Discard changes?"
      action="Discard changes"
      danger
      onConfirm={() => {
        onDiscard();
        proceed?.();
      }}
      onClose={() => reset?.()}
    >
      <p>You have not saved your changes.</p>
    </Confirm>
  );
  return { isAsking, question };
}
