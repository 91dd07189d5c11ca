import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Subject = {
  /** The types of events that change the subject, such as ['segment-created', 'segment-updated']. */
  types: readonly string[];
  /** The project of these events, if they belong to a project. */
  project?: string;
  /** A string that all of these events contain, such as the name, to narrow the search. */
  text?: string;
  /** Whether an event of these types is about this subject. */
  isAbout(event: Schemas['Event']): boolean;
};

const MAX_SEARCHED_EVENTS = 50;

/** Returns the event log query for a subject. */
export const toEventQuery = ({ types, project, text }: Subject) => ({
  type: `IS_ANY_OF:${types.join(',')}`,
  ...(project === undefined ? {} : { project: `IS:${project}` }),
  ...(text ? { query: text } : {}),
});

/** The newest events about a subject. */
export const eventsAboutQuery = (subject: Subject) =>
  queryOptions({
    queryKey: keys.eventsAbout(toEventQuery(subject)),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events', {
          params: { query: { ...toEventQuery(subject), limit: MAX_SEARCHED_EVENTS } },
          signal,
        }),
      ),
    select: ({ events }) => events.filter(subject.isAbout),
    staleTime: 5_000,
  });

/** Finds the newest change to a subject for useEditor. Ignores errors, because the change is only shown to explain a conflict. */
export async function findChange(subject: Subject): Promise<Schemas['Event'] | undefined> {
  const query = { ...toEventQuery(subject), limit: MAX_SEARCHED_EVENTS };
  const response = await unwrap(api.GET('/api/admin/search/events', { params: { query } })).catch(
    () => undefined,
  );
  return response?.events.find(subject.isAbout);
}
