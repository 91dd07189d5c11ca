import { MAX_REASON_LENGTH } from '../api/reason.ts';

/** Adds the id of the reverted event to the reason for a revert. A reason that is too long for the addition stays the same. */
export function addRevertedEvent(reason: string, { id, label }: { id: number; label: string }): string {
  const text = reason.trim();
  const addedText = text === '' ? `Reverts event ${id}: ${label}` : `${text} (${toRevertText(id)})`;
  return addedText.length <= MAX_REASON_LENGTH ? addedText : text;
}

/** The text by which a search finds the reverts of an event. It also finds those of event 421 for event 42. */
export const toRevertText = (id: number): string => `reverts event ${id}`;

const REFERENCE = /^([\s\S]*?reverts event )([1-9]\d*)([\s\S]*)$/i;

/** Splits the comment of a revert around the id of the reverted event. Returns undefined for other comments. */
export function findRevertedEvent(
  comment: string,
): { before: string; id: string; after: string } | undefined {
  const [, before, id, after] = REFERENCE.exec(comment) ?? [];
  return before !== undefined && id !== undefined && after !== undefined ? { before, id, after } : undefined;
}

type Found = { id: number; groupId: string; comment?: string };

/**
 * Returns the reverts among the events that a search found, newest first. All events of a revert have its comment, and the oldest one
 * represents them, because it caused the others.
 */
export function listReverts<T extends Found>(eventsNewestFirst: readonly T[], revertedId: number): T[] {
  const reverts = eventsNewestFirst.filter(
    ({ comment = '' }) => findRevertedEvent(comment)?.id === String(revertedId),
  );
  return [...new Map(reverts.map(event => [event.groupId, event])).values()];
}
