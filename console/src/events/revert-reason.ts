import { MAX_REASON_LENGTH } from '../api/reason.ts';

/** Adds the id of the reverted event to the reason for a revert. A reason that is too long for the addition stays the same. */
export function addRevertedEvent(reason: string, { id, label }: { id: number; label: string }): string {
  const text = reason.trim();
  const addedText = text === '' ? `Reverts event ${id}: ${label}` : `${text} (reverts event ${id})`;
  return addedText.length <= MAX_REASON_LENGTH ? addedText : text;
}

const REFERENCE = /^([\s\S]*?reverts event )([1-9]\d*)([\s\S]*)$/i;

/** Splits the comment of a revert around the id of the reverted event. Returns undefined for other comments. */
export function findRevertedEvent(
  comment: string,
): { before: string; id: string; after: string } | undefined {
  const [, before, id, after] = REFERENCE.exec(comment) ?? [];
  return before !== undefined && id !== undefined && after !== undefined ? { before, id, after } : undefined;
}
