import type { Event } from '../record/events/schema.ts';
import { sanitizeText } from './sanitize.ts';

/** The response of the event search. */
export type EventSearchResult = { events: Event[]; total: number; next?: number };

const EMAIL = /@[^\s@]+$/;

/**
 * Describes who acted, and with which token or client. Shows only the first part of an email address, because the full address is
 * personal data.
 */
export function describeActor({ createdBy, createdByKind, createdByClient }: Event): string {
  const name = sanitizeText(createdBy.replace(EMAIL, ''));
  const kind = createdByKind === undefined || createdByKind === 'user' ? '' : ` (${createdByKind})`;
  return createdByClient === undefined ? `${name}${kind}` : `${name}${kind} with ${createdByClient}`;
}

const BOLD_MARKER = /\*\*/g;
const ESCAPED_CHARACTER = /\\([\\`*_{}[\]()#+.!|<>~-])/g;

/** Returns the sentence that describes an event, without its formatting. */
export const toPlainSummary = ({ summary }: Event): string =>
  summary.replace(BOLD_MARKER, '').replace(ESCAPED_CHARACTER, '$1');

/** Returns an event in the form shown in results. */
export const toEventLine = (event: Event) => ({
  id: event.id,
  at: event.createdAt,
  by: describeActor(event),
  type: event.type,
  summary: toPlainSummary(event),
  comment: event.comment,
});

export type EventLine = ReturnType<typeof toEventLine>;

export const formatEvent = ({ id, at, by: actor, summary, comment }: EventLine): string =>
  `${id} ${at} ${actor}: ${summary}${comment === undefined ? '' : ` (comment: ${JSON.stringify(comment)})`}`;
