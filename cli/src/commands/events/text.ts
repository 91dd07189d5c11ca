import type { schemas } from '../../api/api.gen.ts';
import type { Context } from '../../context.ts';
import { dim, plain } from '../../output.ts';

type Event = schemas['Event'];

/** The server writes the sentence; it puts names between double asterisks. */
export const sentence = ({ summary, comment }: Event): string =>
  plain(summary.replaceAll('**', '')) + (comment ? ` (${plain(comment)})` : '');

export const eventLine = (event: Event, context: Context): string =>
  `${dim(context, `${event.createdAt.slice(0, 19).replace('T', ' ')}  ${event.id}`)}  ${sentence(event)}`;
