import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { RequestError } from '../api/errors.ts';
import { type Change, changesOf } from './diff.ts';
import { readDraft, removeDraft, writeDraft } from './drafts.ts';
import { toastRestored } from './useDraft.ts';
import { useUnsaved } from './useUnsaved.tsx';
import { baseAfterSave, type Edited, rebase, restore, type Version } from './versions.ts';

type By = { createdBy: string; createdAt: string };

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
  /** Somebody else changed the same fields. For `<Conflict>`. */
  conflict: { by?: By; base: D; mine: D; theirs: D; onKeep(): void; onTake(): void } | undefined;
  /** Asks for confirmation before the input is lost. */
  question: ReactNode;
  /** For `SidePanel`. */
  isAsking: boolean;
};

/** How many times a save is repeated on a newer state that is equal in what the user edits. */
const MAX_REBASES = 3;

/**
 * Edits something that others can change too. The input survives outages, reloads and the end of the session: it is kept in the
 * tab until it is saved or discarded. A save names the version it is based on. If that version is no longer current, the user
 * decides, unless the newer one is one of their own earlier saves, or differs only elsewhere.
 */
export function useEditor<D extends object>({
  thing,
  current,
  read,
  save,
  findChange,
  onSaved,
  withoutSecrets = draft => draft,
}: {
  /** Names what is edited, in the storage of the tab. */
  thing: string;
  /** The newest state that the page knows. Without input, the editor shows it. */
  current: Version<D>;
  read(): Promise<Version<D>>;
  save(draft: D, etag: string, reason: string): Promise<unknown>;
  findChange(): Promise<By | undefined>;
  /** Follows a save. Resolves with the new version if the editor stays open. */
  onSaved(draft: D): Promise<Version<D> | undefined>;
  /** What may be stored in the tab. */
  withoutSecrets?(draft: D): D;
}): Editor<D> {
  const [restored] = useState(() => restore(readDraft<Edited<D>>(thing), current));
  const [edited, setState] = useState<Edited<D> | undefined>(restored.edited);
  const [theirs, setTheirs] = useState<(Version<D> & { by?: By | undefined }) | undefined>(restored.theirs);
  const latest = useRef(edited);
  const setEdited = (next: Edited<D> | undefined): void => {
    latest.current = next;
    setState(next);
    if (next) writeDraft(thing, withoutSecretsIn(next, withoutSecrets));
    else removeDraft(thing);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was restored when the editor appeared
  useEffect(() => {
    if (restored.edited) toastRestored();
    else removeDraft(thing);
    const { theirs: other } = restored;
    if (other) void findChange().then(by => setTheirs(shown => shown && { ...other, by }));
  }, []);
  const [reason, setReason] = useState('');
  const base = edited?.base ?? current;
  const draft = edited?.draft ?? current.draft;

  const mutation = useMutation({
    mutationFn: async (sent: D) => {
      let from: Edited<D> = { base, draft: sent, sent: [...(edited?.sent ?? []), sent] };
      setEdited(from);
      for (let attempt = 1; ; attempt++) {
        try {
          await save(sent, from.base.etag, reason);
          return removeDraft(thing);
        } catch (error) {
          if (!(error instanceof RequestError) || error.status !== 412) throw error;
          const now = await read();
          if (changesOf(now.draft, sent).length === 0) return removeDraft(thing);
          const rebased = attempt <= MAX_REBASES ? rebase(from, now) : undefined;
          if (!rebased) {
            setTheirs({ ...now, by: await findChange() });
            throw error;
          }
          from = rebased;
          setEdited({ ...(latest.current ?? from), base: now });
        }
      }
    },
    onSuccess: async (_, sent) => {
      setReason('');
      const now = await onSaved(sent);
      const { current: input } = latest;
      // Input that arrived while the request ran stays.
      setEdited(
        now && input && input.draft !== sent
          ? { base: baseAfterSave(sent, now, withoutSecrets), draft: input.draft, sent: [] }
          : undefined,
      );
    },
  });
  const settle = (next: Edited<D> | undefined): void => {
    setEdited(next);
    setTheirs(undefined);
    mutation.reset();
  };
  const changes = changesOf(base.draft, draft);
  const { isAsking, question } = useUnsaved(changes.length > 0, () => removeDraft(thing));
  return {
    draft,
    base: base.draft,
    changes,
    change: part => {
      setEdited({ base, draft: { ...draft, ...part }, sent: edited?.sent ?? [] });
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
    question,
    isAsking,
  };
}

const withoutSecretsIn = <D,>({ base, draft, sent }: Edited<D>, strip: (draft: D) => D): Edited<D> => ({
  base: { ...base, draft: strip(base.draft) },
  draft: strip(draft),
  sent: sent.map(strip),
});
