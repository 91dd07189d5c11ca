import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Confirm } from './Confirm.tsx';

type Words = { title: string; action: string; text: string };

const UNSAVED: Words = {
  title: 'Discard changes?',
  action: 'Discard changes',
  text: 'You have not saved your changes.',
};

/**
 * Asks for confirmation before input is lost: when a different page, editor or environment is opened, and when the tab is closed
 * or reloaded. `onDiscard` runs after "Discard changes". Save and Discard leave without asking, with `leave` of useFilters or
 * `ignoreBlocker` of the router.
 */
export function useUnsaved(
  isChanged: boolean,
  onDiscard: () => void,
  words = UNSAVED,
): { isAsking: boolean; question: ReactNode } {
  const { status, proceed, reset } = useBlocker({
    disabled: !isChanged,
    withResolver: true,
    shouldBlockFn: async ({ current, next }) => {
      const isLost =
        current.pathname !== next.pathname ||
        current.search.edit !== next.search.edit ||
        current.search.environment !== next.search.environment;
      // The Esc key press that closes a panel would also close the dialog if it opened immediately.
      if (isLost) await new Promise(resolve => setTimeout(resolve));
      return isLost;
    },
  });
  const isAsking = status === 'blocked';
  // A running save resolves the question, because there is nothing left to lose.
  useEffect(() => {
    if (isAsking && !isChanged) proceed?.();
  }, [isAsking, isChanged, proceed]);
  const question = (
    <Confirm
      opened={isAsking}
      title={words.title}
      action={words.action}
      danger
      onConfirm={() => {
        onDiscard();
        proceed?.();
      }}
      onClose={() => reset?.()}
    >
      <p>{words.text}</p>
    </Confirm>
  );
  return { isAsking, question };
}
