import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Subject = {
  /** The types of the events that change the thing: ['segment-created', 'segment-updated']. */
  types: readonly string[];
  /** The project of these events, if they have one. */
  project?: string;
  /** A string that all of these events contain, such as the name, so that the server finds them among many. */
  text?: string;
  /** Whether an event of these types is about this subject. */
  isAbout(event: Schemas['Event']): boolean;
};

const SEARCHED = 50;

/** The event log query for a subject. */
export const searchOf = ({ types, project, text }: Subject) => ({
  type: `IS_ANY_OF:${types.join(',')}`,
  ...(project === undefined ? {} : { project: `IS:${project}` }),
  ...(text ? { query: text } : {}),
});

/** The newest events about a subject. */
export const eventsAboutQuery = (subject: Subject) =>
  queryOptions({
    queryKey: keys.eventsAbout(searchOf(subject)),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events', {
          params: { query: { ...searchOf(subject), limit: SEARCHED } },
          signal,
        }),
      ),
    select: ({ events }) => events.filter(subject.isAbout),
    staleTime: 5_000,
  });

/** The newest change of a subject, for `findChange` of useEditor. Returns none after an error, because it only explains a conflict. */
export async function findChange(subject: Subject): Promise<Schemas['Event'] | undefined> {
  const query = { ...searchOf(subject), limit: SEARCHED };
  const found = await unwrap(api.GET('/api/admin/search/events', { params: { query } })).catch(
    () => undefined,
  );
  return found?.events.find(subject.isAbout);
}
