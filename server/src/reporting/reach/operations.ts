import {
  parseCount,
  parseLimit,
  parseOffset,
  parseSearch,
} from '@halyard/plane/platform/http/input/filter.ts';
import { jsonResponse, PathEventId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { readReach } from './read.ts';
import { EnvironmentReach, EventReach, MAX_WAIT_SECONDS, MissingInstance, ReachQuery } from './schema.ts';
import { requestConfirmations } from './store.ts';
import type { ReachWaits } from './waits.ts';

type Search = { wait?: number; limit: number; offset: number };

export const reachOperations = (waits: ReachWaits): OperationModule => ({
  tag: 'Events',
  schemas: [EnvironmentReach, MissingInstance, EventReach],
  operations: [
    query({
      id: 'getEventReach',
      route: 'GET /api/admin/events/:id/reach',
      summary: 'Get the reach of a change',
      description:
        'Returns when the first SDK instance, half of them and the last one had the change that an event records, and which instances have not presented it. An instance has a change once it presents the revision to a server, in the If-None-Match of a poll or in the Last-Event-ID of a stream. With wait, the server responds as soon as the change is live everywhere, or after that many seconds. In the meantime, it closes streams that have not confirmed the change, so that their clients reconnect and present their revision. Every caller who can read the event may call it.',
      permission: 'NONE',
      params: Type.Object({ id: PathEventId('4211') }),
      query: ReachQuery,
      output: jsonResponse('The reach of the change', EventReach),
      rejects: [400],
      read: async ({ db, actor, longReader }, { params: { id }, query }) => {
        const { wait, ...page } = parseSearch<Search>(
          query,
          {
            wait: value => parseCount(value, 1, MAX_WAIT_SECONDS),
            limit: parseLimit,
            offset: parseOffset,
          },
          { limit: 50, offset: 0 },
        );
        const read = () => readReach(db, actor, Number(id), page);
        if (wait === undefined) return await read();
        return await waits.waitUntilSettled(longReader, wait, read, ({ environments }) =>
          requestConfirmations(db, environments),
        );
      },
    }),
  ],
});
