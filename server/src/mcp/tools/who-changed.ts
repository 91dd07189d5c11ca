import { Type } from 'typebox';
import { by, type EventSearchResult, sentenceOf } from '../event-lines.ts';
import { Arguments, Environment, Flag } from '../inputs.ts';
import { projectOf } from '../place.ts';
import { fitting, named } from '../shown.ts';
import { tool } from '../tool.ts';

/** How many events are read. That is enough to find the last change of each part of nearly every flag. */
const READ = 100;

export const whoChanged = tool({
  name: 'who_changed',
  title: 'Who changed a flag',
  description:
    'Returns the last change of each part of a flag, such as its strategies in production: who, when and why.',
  effect: 'reads',
  input: Arguments({ flag: Flag, environment: Type.Optional(Environment) }),
  run: async (call, { flag, environment }) => {
    await projectOf(call, flag);
    const { events } = await call.read<EventSearchResult>('searchEvents', {
      query: {
        feature: `IS:${flag}`,
        ...(environment !== undefined && { environment: `IS:${environment}` }),
        limit: String(READ),
      },
    });
    const newest = new Map<string, (typeof events)[number]>();
    for (const event of events) {
      const part = `${event.environment ?? 'flag'} ${event.label}`;
      if (!newest.has(part)) newest.set(part, event);
    }
    const lines = [...newest].map(([part, event]) => ({
      part,
      change: sentenceOf(event),
      by: by(event),
      at: event.createdAt,
      event: event.id,
      reason: event.comment,
    }));
    return { flag, lines: fitting(lines) };
  },
  text: ({ flag, lines }) => [
    `Last changes of flag ${named(flag)}`,
    ...lines.map(
      ({ at, by: who, change, event, reason }) =>
        `${at} ${who}: ${change} (event ${event}${reason === undefined ? '' : `, reason ${JSON.stringify(reason)}`})`,
    ),
  ],
});
