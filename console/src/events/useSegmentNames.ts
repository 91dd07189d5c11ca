import { useQuery } from '@tanstack/react-query';
import { segmentsQuery } from '../features/queries.ts';
import { mayNameSegments } from './describe-changes.ts';
import type { Event } from './queries.ts';

/** Returns the names of the segments that the user may read, by id. Empty if the event has no segment ids of this server. */
export function useSegmentNames(event: Event): ReadonlyMap<number, string> {
  const enabled = mayNameSegments(event);
  const segments = useQuery({ ...segmentsQuery, enabled }).data?.segments;
  return new Map(enabled ? segments?.map(({ id, name }) => [id, name]) : []);
}
