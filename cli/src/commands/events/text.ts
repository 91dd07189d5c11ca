import type { schemas } from '../../api/api.gen.ts';
import type { Context } from '../../context.ts';
import { dim, sanitize } from '../../output.ts';

type Event = schemas['Event'];

/** Describes an event with the summary from the server, which puts names between double asterisks. */
export const describeEvent = ({ summary, comment }: Event): string =>
  sanitize(summary.replaceAll('**', '')) + (comment ? ` (${sanitize(comment)})` : '');

export const formatEvent = (event: Event, context: Context): string =>
  `${dim(context, `${event.createdAt.slice(0, 19).replace('T', ' ')}  ${event.id}`)}  ${describeEvent(event)}`;
