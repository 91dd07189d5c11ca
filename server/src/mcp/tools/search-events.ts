import { Type } from 'typebox';
import { type EventSearchResult, formatEvent, toEventLine } from '../event-lines.ts';
import { Arguments, Cursor, DEFAULT_LIMIT, Environment, Flag, Limit, Name, Project } from '../inputs.ts';
import { takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';

const Day = (description: string) =>
  Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', maxLength: 10, description }));

export const searchEvents = tool({
  name: 'search_events',
  title: 'Search events',
  description:
    'Searches the audit log, newest first: what changed, who changed it and why. Events must match all filters.',
  effect: 'reads',
  input: Arguments({
    query: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Substring of data or comment' }),
    ),
    types: Type.Optional(Type.Array(Name('Such as feature-archived'), { maxItems: 10 })),
    flag: Type.Optional(Flag),
    project: Type.Optional(Project),
    environment: Type.Optional(Environment),
    by: Type.Optional(Type.Enum(['user', 'token', 'agent', 'service-account', 'admin-token', 'system'])),
    from: Day('First day, UTC'),
    to: Day('Last day, UTC'),
    limit: Limit,
    cursor: Cursor,
  }),
  run: async (
    call,
    { query, types, flag, project, environment, by, from, to, limit = DEFAULT_LIMIT, cursor },
  ) => {
    const filter = (value: string | undefined, name: string) =>
      value === undefined ? {} : { [name]: `IS:${value}` };
    const result = await call.read<EventSearchResult>('searchEvents', {
      query: {
        ...(query !== undefined && { query }),
        ...(types && types.length > 0 && { type: `IS_ANY_OF:${types.join(',')}` }),
        ...filter(flag, 'feature'),
        ...filter(project, 'project'),
        ...filter(environment, 'environment'),
        ...filter(by, 'createdByKind'),
        ...filter(from, 'from'),
        ...filter(to, 'to'),
        ...(cursor !== undefined && { before: String(cursor) }),
        limit: String(limit),
      },
    });
    const events = takeFittingItems(result.events.map(toEventLine));
    const next = events.length < result.events.length ? events.at(-1)?.id : result.next;
    return { events, total: result.total, ...(next !== undefined && { next }) };
  },
  text: ({ events, total, next }) => [
    `${total} found${next === undefined ? '' : `, next page: cursor ${next}`}`,
    ...events.map(formatEvent),
  ],
});
