import type { Event } from '../record/events/schema.ts';
import { shownText } from './shown.ts';

/** The response of the event search. */
export type EventSearchResult = { events: Event[]; total: number; next?: number };

const EMAIL = /@[^\s@]+$/;

/** Who acted, and through what. An email address is personal, so only its first part is shown. */
export function by({ createdBy, createdByKind, createdByClient }: Event): string {
  const name = shownText(createdBy.replace(EMAIL, ''));
  const kind = createdByKind === undefined || createdByKind === 'user' ? '' : ` (${createdByKind})`;
  return createdByClient === undefined ? `${name}${kind}` : `${name}${kind} with ${createdByClient}`;
}

const BOLD = /\*\*/g;
const ESCAPED = /\\([\\`*_{}[\]()#+.!|<>~-])/g;

/** The sentence about an event without its formatting. */
export const sentenceOf = ({ summary }: Event): string => summary.replace(BOLD, '').replace(ESCAPED, '$1');

/** An event in a result. */
export const eventOf = (event: Event) => ({
  id: event.id,
  at: event.createdAt,
  by: by(event),
  type: event.type,
  summary: sentenceOf(event),
  comment: event.comment,
});

export type EventLine = ReturnType<typeof eventOf>;

export const eventText = ({ id, at, by: who, summary, comment }: EventLine): string =>
  `${id} ${at} ${who}: ${summary}${comment === undefined ? '' : ` (comment: ${JSON.stringify(comment)})`}`;
