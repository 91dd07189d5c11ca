import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { RequestError } from '../api/errors.ts';
import { useMe } from '../api/me.ts';
import { type Change, computeChanges } from './diff.ts';
import { readDraft, removeDraft, writeDraft } from './drafts.ts';
import { toastRestored } from './useDraft.ts';
import { useUnsaved } from './useUnsaved.tsx';
import {
  baseAfterSave,
  type EditedDraft,
  rebase,
  rebaseOnNormalized,
  restore,
  type Version,
} from './versions.ts';

type ChangeAuthor = { createdBy: string; createdByUserId?: number | null; createdAt: string };

export type Editor<D> = {
  draft: D;
  /** The state that the user started from. */
  base: D;
  changes: Change[];
  change(part: Partial<D>): void;
  save(): void;
  /** The user's reason for the change, for `SaveBar`. */
  reason: { text: string; onChange(text: string): void };
  isPending: boolean;
  error: unknown;
  discard(): void;
  /** The props of `<Conflict>`, if somebody else changed the same fields. */
  conflict: { by?: ChangeAuthor; base: D; mine: D; theirs: D; onKeep(): void; onTake(): void } | undefined;
  /** Asks for confirmation before the input is lost. */
  confirmation: ReactNode;
  /** Whether the confirmation is open, for `SidePanel`. */
  isConfirming: boolean;
};

/** The maximum number of times that a save is retried because somebody else changed fields that the user has not edited. */
const MAX_REBASES = 3;

/**
 * Edits something that others can change too. The tab keeps the input until it is saved or discarded, so it survives outages,
 * reloads and the end of the session. A save names the version that it is based on. If that version is no longer current, the
 * user resolves the conflict, unless the newer version is the user's own earlier save or differs only in other fields.
 */
export function useEditor<D extends object>({
  draftKey,
  current,
  read,
  save,
  findChange,
  onSaved,
  withoutSecrets = draft => draft,
  secretName = 'secrets',
}: {
  /** The name under which the input is stored in the tab. */
  draftKey: string;
  /** The newest state that the page has loaded, which the editor shows until the user changes something. */
  current: Version<D>;
  read(): Promise<Version<D>>;
  save(draft: D, etag: string, reason: string): Promise<unknown>;
  findChange(): Promise<ChangeAuthor | undefined>;
  /** Called after a save. Resolves with the new version if the editor stays open. */
  onSaved(draft: D): Promise<Version<D> | undefined>;
  /** Returns the part that may be stored in the tab. */
  withoutSecrets?(draft: D): D;
  /** Names what `withoutSecrets` removes, such as "the client secret". */
  secretName?: string;
}): Editor<D> {
  const [storedDraft] = useState(() => readDraft<StoredDraft<D>>(draftKey));
  const [restoredInput] = useState(() => restore(storedDraft, current));
  const [editedDraft, setState] = useState<EditedDraft<D> | undefined>(restoredInput.edited);
  const [theirs, setTheirs] = useState<(Version<D> & { by?: ChangeAuthor | undefined }) | undefined>(
    restoredInput.theirs,
  );
  const latest = useRef(editedDraft);
  const setEdited = (next: EditedDraft<D> | undefined): void => {
    latest.current = next;
    setState(next);
    if (next) writeDraft(draftKey, stripSecrets(next, withoutSecrets));
    else removeDraft(draftKey);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once, for input restored when the editor appeared
  useEffect(() => {
    if (restoredInput.edited) toastRestored(storedDraft?.lacksSecret ? secretName : undefined);
    else removeDraft(draftKey);
    const { theirs: other } = restoredInput;
    if (other) void findChange().then(by => setTheirs(shownVersion => shownVersion && { ...other, by }));
  }, []);
  const userId = useMe().user.id;
  const [reason, setReason] = useState('');
  const base = editedDraft?.base ?? current;
  const draft = editedDraft?.draft ?? current.draft;

  const mutation = useMutation({
    mutationFn: async (sent: D) => {
      let input: EditedDraft<D> = { base, draft: sent, sent: [...(editedDraft?.sent ?? []), sent] };
      setEdited(input);
      for (let attempt = 1; ; attempt++) {
        try {
          await save(sent, input.base.etag, reason);
          return removeDraft(draftKey);
        } catch (error) {
          if (!(error instanceof RequestError) || error.status !== 412) throw error;
          const newest = await read();
          if (computeChanges(newest.draft, sent).length === 0) return removeDraft(draftKey);
          const rebasedInput = attempt <= MAX_REBASES ? rebase(input, newest) : undefined;
          if (!rebasedInput) {
            setTheirs({ ...newest, by: await findChange() });
            throw error;
          }
          input = rebasedInput;
          setEdited({ ...(latest.current ?? input), base: newest });
        }
      }
    },
    onSuccess: async (_, sent) => {
      setReason('');
      const newest = await onSaved(sent);
      const { current: input } = latest;
      // Only input that was typed while the request was running is still unsaved.
      if (!newest || !input || input.draft === sent) return setEdited(undefined);
      const newBase = baseAfterSave(sent, newest, withoutSecrets);
      if (newBase === newest) return setEdited({ base: newest, draft: input.draft, sent: [] });
      const isOwn = (await findChange())?.createdByUserId === userId;
      const draft = latest.current?.draft ?? input.draft;
      setEdited(isOwn ? rebaseOnNormalized(draft, sent, newest) : { base: newBase, draft, sent: [] });
    },
  });
  const settle = (next: EditedDraft<D> | undefined): void => {
    setEdited(next);
    setTheirs(undefined);
    mutation.reset();
  };
  const changes = computeChanges(base.draft, draft);
  const { isConfirming, confirmation } = useUnsaved(changes.length > 0, () => removeDraft(draftKey));
  return {
    draft,
    base: base.draft,
    changes,
    change: part => {
      setEdited({ base, draft: { ...draft, ...part }, sent: editedDraft?.sent ?? [] });
      if (mutation.isError) mutation.reset();
    },
    save: () => mutation.mutate(draft),
    reason: { text: reason, onChange: setReason },
    isPending: mutation.isPending,
    error: theirs ? undefined : mutation.error,
    discard: () => settle(undefined),
    conflict: theirs && {
      ...(theirs.by ? { by: theirs.by } : {}),
      base: base.draft,
      mine: draft,
      theirs: theirs.draft,
      onKeep: () => settle({ base: theirs, draft, sent: [] }),
      onTake: () => settle({ base: theirs, draft: theirs.draft, sent: [] }),
    },
    confirmation,
    isConfirming,
  };
}

/** The stored input. `lacksSecret` says that the user had entered a secret. */
type StoredDraft<D> = EditedDraft<D> & { lacksSecret?: boolean };

function stripSecrets<D extends object>(
  { base, draft, sent }: EditedDraft<D>,
  strip: (draft: D) => D,
): StoredDraft<D> {
  const stripped = strip(draft);
  return {
    base: { ...base, draft: strip(base.draft) },
    draft: stripped,
    sent: sent.map(strip),
    lacksSecret: computeChanges(stripped, draft).length > 0,
  };
}
