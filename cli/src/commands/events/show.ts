import { command } from '../../command.ts';
import { usageError } from '../../errors.ts';
import { formatFields } from '../../output.ts';
import { getData } from '../../requests.ts';
import { describeEvent } from './text.ts';

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
      throw usageError(
        `${JSON.stringify(id)} is not the id of an event. Ids are numbers, as in halyard events search.`,
      );
    return await getData(
      context.read.GET('/api/admin/events/{id}', { params: { path: { id: Number(id) } } } as never),
    );
  },
  text: (event: import('../../api/api.gen.ts').schemas['Event'], context) =>
    [
      formatFields(context, {
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
      describeEvent(event),
      ...formatSection('Before', event.preData),
      ...formatSection('After', event.data),
    ].join('\n'),
});

const formatSection = (title: string, value: unknown): string[] =>
  value == null ? [] : ['', `${title}:`, JSON.stringify(value, null, 2)];
