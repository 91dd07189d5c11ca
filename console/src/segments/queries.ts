import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { reasonHeader } from '../api/reason.ts';
import type { Subject } from '../ui/last-change.ts';

export type Segment = Schemas['Segment'];
export type SegmentInput = Schemas['SegmentInput'];
export type StrategyUse = Schemas['StrategyUse'];

const SEGMENT = '/api/admin/segments/{id}';
/** The list looks for each segment's last change in this many events. */
const MAX_SEARCHED_EVENTS = 1000;
const CHANGES = ['segment-created', 'segment-updated'];

/** A segment and its ETag, which identifies the version that the user has seen. */
export const segmentQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.segments, id],
    queryFn: async ({ signal }) => {
      const call = api.GET(SEGMENT, { params: { path: { id } }, signal });
      const segment = await unwrap(call);
      return { segment, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

/** The strategies that use a segment, limited to those the user may read. */
export const usesQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.segments, id, 'strategies'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET(`${SEGMENT}/strategies`, { params: { path: { id } }, signal }))).strategies,
  });

/** The flags that use a segment, and where they are enabled. */
export const segmentFlagsQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.flags, 'of-segment', name],
    queryFn: ({ signal }) => {
      const query = { segment: `INCLUDE:${name}`, limit: 1000 };
      return unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
    },
    select: ({ features }) => features,
    // A filter cannot contain a name with a comma, because commas separate names.
    enabled: name !== '' && !name.includes(','),
  });

export type LastChange = { createdBy: string; createdAt: string };

/** Each segment's last change, if it is among the newest events. */
export const lastChangesQuery = queryOptions({
  queryKey: keys.eventsAbout({ of: 'segments' }),
  queryFn: async ({ signal }) => {
    const query = { type: `IS_ANY_OF:${CHANGES.join(',')}`, limit: MAX_SEARCHED_EVENTS };
    const { events } = await unwrap(api.GET('/api/admin/search/events', { params: { query }, signal }));
    const changeById = new Map<number, LastChange>();
    for (const { data, createdBy, createdAt } of events)
      if (typeof data?.id === 'number' && !changeById.has(data.id))
        changeById.set(data.id, { createdBy, createdAt });
    return changeById;
  },
  staleTime: 5_000,
});

export const buildSubject = ({ id, name }: Pick<Segment, 'id' | 'name'>): Subject => ({
  types: CHANGES,
  text: name,
  isAbout: ({ data }) => data?.id === id,
});

export const createSegment = (body: SegmentInput): Promise<Segment> =>
  unwrap(api.POST('/api/admin/segments', { body }));

/** Replaces a segment. The server rejects the request with 412 if somebody has changed the segment in the meantime. */
export const updateSegment = (id: number, body: SegmentInput, etag: string, reason: string): Promise<void> =>
  ensureApplied(
    api.PUT(SEGMENT, {
      params: { path: { id: String(id) } },
      body,
      headers: { 'If-Match': etag, ...reasonHeader(reason) },
    }),
  );

export const deleteSegment = (id: number, reason: string): Promise<void> =>
  ensureApplied(api.DELETE(SEGMENT, { params: { path: { id: String(id) } }, headers: reasonHeader(reason) }));
