import { command } from '../../command.ts';
import { wrongUse } from '../../errors.ts';
import { fields } from '../../output.ts';
import { data } from '../../requests.ts';
import { sentence } from './text.ts';

export const eventsShow = command({
  name: 'events show',
  brief: 'Show an event with the state before and after it',
  args: { id: { brief: 'Id of the event' } },
  calls: ['getEvent'],
  output: 'Event',
  examples: [{ does: 'Show an event', run: 'events show 4211' }],
  page: (_context, { id }) => `/events/${encodeURIComponent(id)}`,
  run: async (context, { id }) => {
    if (!/^-?\d+$/.test(id))
      throw wrongUse(
        `${JSON.stringify(id)} is not the id of an event. Ids are numbers, as in halyard events search.`,
      );
    return await data(
      context.read.GET('/api/admin/events/{id}', { params: { path: { id: Number(id) } } } as never),
    );
  },
  text: (event: import('../../api/api.gen.ts').schemas['Event'], context) =>
    [
      fields(context, {
        Id: event.id,
        Time: event.createdAt,
        Type: event.type,
        By: event.createdBy,
        Project: event.project,
        Flag: event.featureName,
        Environment: event.environment,
        Comment: event.comment,
        Change: event.groupId,
      }),
      '',
      sentence(event),
      ...section('Before', event.preData),
      ...section('After', event.data),
    ].join('\n'),
});

/** JSON escapes control characters, so it can be shown as it is. */
const section = (title: string, value: unknown): string[] =>
  value == null ? [] : ['', `${title}:`, JSON.stringify(value, null, 2)];
