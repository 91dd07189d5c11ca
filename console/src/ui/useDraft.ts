import { useEffect, useState } from 'react';
import { changesOf } from './diff.ts';
import { readDraft, removeDraft, writeDraft } from './drafts.ts';
import { toast } from './toasts.ts';

export const toastRestored = (): void =>
  toast({ about: 'draft', message: 'Your unsaved input is restored.' });

/**
 * The input of a form, which survives a reload. `thing` names what is edited, such as "new-flag". `discard` follows a save
 * and Cancel; the input is then empty again. For editors of something that others edit too, see useEditor.
 */
export function useDraft<T extends object>(
  thing: string,
  empty: T,
  /** What may be stored. */
  withoutSecrets: (draft: T) => T = draft => draft,
): {
  draft: T;
  isChanged: boolean;
  change(part: Partial<T>): void;
  discard(): void;
  /** Removes the stored input only: the page keeps it until the next page is loaded. For useUnsaved. */
  forget(): void;
} {
  const [draft, setDraft] = useState<T>(() => ({ ...empty, ...readDraft<T>(thing) }));
  const [initial] = useState(empty);
  const isChanged = changesOf(initial, draft).length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was restored when the form appeared
  useEffect(() => {
    if (isChanged) toastRestored();
  }, []);
  return {
    draft,
    isChanged,
    change: part => {
      const next = { ...draft, ...part };
      setDraft(next);
      writeDraft(thing, withoutSecrets(next));
    },
    forget: () => removeDraft(thing),
    discard: () => {
      setDraft(initial);
      removeDraft(thing);
    },
  };
}
