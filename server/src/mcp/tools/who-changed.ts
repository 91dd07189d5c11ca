import { Type } from 'typebox';
import { describeActor, type EventSearchResult, toPlainSummary } from '../event-lines.ts';
import { findFlagProject } from '../flag-location.ts';
import { Arguments, Environment, Flag } from '../inputs.ts';
import { quoteName, takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';

/** The number of events to read, which is enough to find the last change of each part of nearly every flag. */
const EVENTS_TO_READ = 100;

export const whoChanged = tool({
  name: 'who_changed',
  title: 'Who changed a flag',
  description:
    'Returns the last change of each part of a flag, such as its strategies in production: who, when and why.',
  effect: 'reads',
  input: Arguments({ flag: Flag, environment: Type.Optional(Environment) }),
  run: async (call, { flag, environment }) => {
    await findFlagProject(call, flag);
    const { events } = await call.read<EventSearchResult>('searchEvents', {
      query: {
        feature: `IS:${flag}`,
        ...(environment !== undefined && { environment: `IS:${environment}` }),
        limit: String(EVENTS_TO_READ),
      },
    });
    const newestByPart = new Map<string, (typeof events)[number]>();
    for (const event of events) {
      const part = `${event.environment ?? 'flag'} ${event.label}`;
      if (!newestByPart.has(part)) newestByPart.set(part, event);
    }
    const lines = [...newestByPart].map(([part, event]) => ({
      part,
      change: toPlainSummary(event),
      by: describeActor(event),
      at: event.createdAt,
      event: event.id,
      reason: event.comment,
    }));
    return { flag, lines: takeFittingItems(lines) };
  },
  text: ({ flag, lines }) => [
    `Last changes of flag ${quoteName(flag)}`,
    ...lines.map(
      ({ at, by: actor, change, event, reason }) =>
        `${at} ${actor}: ${change} (event ${event}${reason === undefined ? '' : `, reason ${JSON.stringify(reason)}`})`,
    ),
  ],
});
