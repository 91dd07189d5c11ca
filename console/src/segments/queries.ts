import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { because } from '../api/reason.ts';
import type { Subject } from '../ui/last-change.ts';

export type Segment = Schemas['Segment'];
export type SegmentInput = Schemas['SegmentInput'];
export type StrategyUse = Schemas['StrategyUse'];

const SEGMENT = '/api/admin/segments/{id}';
/** How many events the list searches for the last change of each segment. */
const SEARCHED = 1000;
const CHANGES = ['segment-created', 'segment-updated'];

/** A segment, and the ETag that proves which state the user has seen. */
export const segmentQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.segments, id],
    queryFn: async ({ signal }) => {
      const call = api.GET(SEGMENT, { params: { path: { id } }, signal });
      const segment = await unwrap(call);
      return { segment, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

/** The strategies that use a segment, as far as the user may read them. */
export const usesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.segments, id, 'strategies'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET(`${SEGMENT}/strategies`, { params: { path: { id } }, signal }))).strategies,
  });

/** The flags that use a segment, and where they are enabled. */
export const flagsOfSegmentQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.flags, 'of-segment', name],
    queryFn: async ({ signal }) => {
      const query = { segment: `INCLUDE:${name}`, limit: 1000 };
      return (await unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }))).features;
    },
    // A comma separates the names in a filter.
    enabled: name !== '' && !name.includes(','),
  });

export type LastChange = { createdBy: string; createdAt: string };

/** The newest change of each segment, as far as the newest events have it. */
export const lastChangesQuery = queryOptions({
  queryKey: keys.eventsAbout({ of: 'segments' }),
  queryFn: async ({ signal }) => {
    const query = { type: `IS_ANY_OF:${CHANGES.join(',')}`, limit: SEARCHED };
    const { events } = await unwrap(api.GET('/api/admin/search/events', { params: { query }, signal }));
    const newest = new Map<number, LastChange>();
    for (const { data, createdBy, createdAt } of events)
      if (typeof data?.id === 'number' && !newest.has(data.id)) newest.set(data.id, { createdBy, createdAt });
    return newest;
  },
  staleTime: 5_000,
});

export const subjectOf = ({ id, name }: Pick<Segment, 'id' | 'name'>): Subject => ({
  types: CHANGES,
  text: name,
  isAbout: ({ data }) => data?.id === id,
});

export const createSegment = (body: SegmentInput): Promise<Segment> =>
  unwrap(api.POST('/api/admin/segments', { body }));

/** Replaces a segment. The server rejects it with 412 if somebody changed it meanwhile. */
export const updateSegment = (id: number, body: SegmentInput, etag: string, reason: string): Promise<void> =>
  done(
    api.PUT(SEGMENT, {
      params: { path: { id: String(id) } },
      body,
      headers: { 'If-Match': etag, ...because(reason) },
    }),
  );

export const deleteSegment = (id: number, reason: string): Promise<void> =>
  done(api.DELETE(SEGMENT, { params: { path: { id: String(id) } }, headers: because(reason) }));
