import { useMutation } from '@tanstack/react-query';
import { useDraft } from './useDraft.ts';
import { useUnsaved } from './useUnsaved.tsx';

/**
 * Handles a form that sends its input once, to create something or to replace something that only one person edits. The input
 * survives a reload. Spread `unsaved` into `PanelForm`, or show its `confirmation`. For something that others can edit too, see
 * useEditor.
 */
export function useCreation<T extends object, R>({
  draftKey,
  empty,
  send,
  onSent,
}: {
  /** The name under which the input is stored in the tab, such as "new-user". */
  draftKey: string;
  empty: T;
  send(draft: NoInfer<T>): Promise<R>;
  onSent?(result: R): unknown;
}) {
  const { draft, change, isChanged, forget } = useDraft(draftKey, empty);
  const mutation = useMutation({
    mutationFn: () => send(draft),
    onSuccess: async result => {
      forget();
      await onSent?.(result);
    },
  });
  const unsaved = useUnsaved(isChanged && !mutation.isSuccess, forget);
  return {
    draft,
    isChanged,
    edit: (part: Partial<T>): void => {
      change(part);
      if (mutation.isError) mutation.reset();
    },
    submit: (): void => mutation.mutate(),
    /** The server's response. */
    result: mutation.data,
    error: mutation.error,
    isPending: mutation.isPending,
    unsaved,
  };
}
