import { changesOf } from './diff.ts';

/** A state of something, and the ETag that proves it. */
export type Version<D> = { draft: D; etag: string };

/** Input: the version that the user started from, and every draft whose save may have succeeded. */
export type Edited<D> = { base: Version<D>; draft: D; sent: D[] };

const isSame = (one: unknown, other: unknown): boolean => changesOf(one, other).length === 0;

/**
 * The input on top of a newer version. Undefined if somebody else changed what the user edits: the newer version differs from the
 * base and from every draft that the user sent.
 */
export function rebase<D>(edited: Edited<D>, now: Version<D>): Edited<D> | undefined {
  const isOwn = [edited.base.draft, ...edited.sent].some(draft => isSame(draft, now.draft));
  return isOwn ? { ...edited, base: now } : undefined;
}

/** The ETag of a version that nobody has read. The server rejects a save with it, and the newer version is then compared. */
const UNKNOWN = '"unknown"';

/**
 * The version that input after a save is based on: what was saved. The response to a save has no ETag, so it is that of the version
 * that was read afterwards, unless somebody else changed what the user edits in between. That change must not become the base,
 * because the next save would replace it.
 */
export const baseAfterSave = <D>(
  saved: D,
  now: Version<D>,
  /** The server does not show secrets, so they are not compared. */
  withoutSecrets: (draft: D) => D = draft => draft,
): Version<D> =>
  isSame(withoutSecrets(saved), withoutSecrets(now.draft)) ? now : { draft: saved, etag: UNKNOWN };

/** Stored input and the version that is current now: the input to continue with, and the other version of a conflict. */
export function restore<D extends object>(
  stored: Edited<D> | undefined,
  current: Version<D>,
): { edited?: Edited<D>; theirs?: Version<D> } {
  if (!stored) return {};
  // A newer console may have added fields.
  const edited = { ...stored, draft: { ...current.draft, ...stored.draft } };
  if (isSame(edited.draft, current.draft)) return {};
  if (edited.base.etag === current.etag) return { edited };
  const rebased = rebase(edited, current);
  return rebased ? { edited: rebased } : { edited, theirs: current };
}
