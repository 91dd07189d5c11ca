import { computeChanges } from './diff.ts';

/** A state of a resource, and its ETag. */
export type Version<D> = { draft: D; etag: string };

/** Input, with the version that the user started from and every draft whose save may have succeeded. */
export type EditedDraft<D> = { base: Version<D>; draft: D; sent: D[] };

const isSame = (a: unknown, b: unknown): boolean => computeChanges(a, b).length === 0;

/**
 * Rebases the input on a newer version. Returns undefined if the newer version equals neither the base nor a draft that the user sent,
 * because then somebody else has changed what the user edits.
 */
export function rebase<D>(edited: EditedDraft<D>, newest: Version<D>): EditedDraft<D> | undefined {
  const isOwn = [edited.base.draft, ...edited.sent].some(draft => isSame(draft, newest.draft));
  return isOwn ? { ...edited, base: newest } : undefined;
}

/**
 * A placeholder for the ETag of a version that was never read. The server rejects a save with it, and the editor then
 * compares the newest version.
 */
const UNKNOWN_ETAG = '"unknown"';

/**
 * Returns the base for input that follows a save: the saved draft. Its ETag comes from `newest`, which was read after the save,
 * because the response to a save has none. If somebody else has changed the draft in the meantime, `newest` must not become the
 * base, because the next save would overwrite that change.
 */
export const baseAfterSave = <D>(
  savedDraft: D,
  newest: Version<D>,
  /** Removes secrets before the comparison, because the server returns only masks. */
  withoutSecrets: (draft: D) => D = draft => draft,
): Version<D> =>
  isSame(withoutSecrets(savedDraft), withoutSecrets(newest.draft))
    ? newest
    : { draft: savedDraft, etag: UNKNOWN_ETAG };

/**
 * Rebases input that the user typed during a save on the draft that the server then stored. The server may have normalized the draft, for
 * example by trimming whitespace. Fields that the user has not edited since the save take the normalized value.
 */
export function rebaseOnNormalized<D extends object>(
  input: D,
  savedDraft: D,
  newest: Version<D>,
): EditedDraft<D> {
  const draft = { ...input };
  for (const key of Object.keys(newest.draft) as (keyof D)[])
    if (isSame(input[key], savedDraft[key])) draft[key] = newest.draft[key];
  return { base: newest, draft, sent: [] };
}

/** Compares stored input with the current version. Returns the input to continue with, and the other version if there is a conflict. */
export function restore<D extends object>(
  storedInput: EditedDraft<D> | undefined,
  current: Version<D>,
): { edited?: EditedDraft<D>; theirs?: Version<D> } {
  if (!storedInput) return {};
  // A newer console may have added fields, which the stored draft lacks.
  const edited = { ...storedInput, draft: { ...current.draft, ...storedInput.draft } };
  if (isSame(edited.draft, current.draft)) return {};
  if (edited.base.etag === current.etag) return { edited };
  const rebasedInput = rebase(edited, current);
  return rebasedInput ? { edited: rebasedInput } : { edited, theirs: current };
}
