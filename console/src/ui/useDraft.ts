import { useEffect, useState } from 'react';
import { computeChanges } from './diff.ts';
import { readDraft, removeDraft, writeDraft } from './drafts.ts';
import { toast } from './toasts.ts';

/** Says that input was restored. `omitted` names a secret that the user entered, which is never stored. */
export const toastRestored = (omitted?: string): void =>
  toast({
    about: 'draft',
    message: omitted
      ? `Your unsaved input was restored, except ${omitted}.`
      : 'Your unsaved input was restored.',
  });

/**
 * Keeps a form's input across reloads. `draftKey` names what is edited, such as "new-flag". Call `discard` after a save or Cancel
 * to empty the form again. For something that others can edit too, see useEditor.
 */
export function useDraft<T extends object>(
  draftKey: string,
  emptyDraft: T,
  /** Returns the part that may be stored. */
  withoutSecrets: (draft: T) => T = draft => draft,
): {
  draft: T;
  isChanged: boolean;
  change(part: Partial<T>): void;
  discard(): void;
  /** Removes only the stored input, for useUnsaved. The form keeps its input until the user leaves the page. */
  forget(): void;
} {
  const [draft, setDraft] = useState<T>(() => ({ ...emptyDraft, ...readDraft<T>(draftKey) }));
  const [initialDraft] = useState(emptyDraft);
  const isChanged = computeChanges(initialDraft, draft).length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once, for input restored when the form appeared
  useEffect(() => {
    if (isChanged) toastRestored();
  }, []);
  return {
    draft,
    isChanged,
    change: part => {
      const next = { ...draft, ...part };
      setDraft(next);
      writeDraft(draftKey, withoutSecrets(next));
    },
    forget: () => removeDraft(draftKey),
    discard: () => {
      setDraft(initialDraft);
      removeDraft(draftKey);
    },
  };
}
