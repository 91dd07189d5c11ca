import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';
import type { Write } from '../api/client.ts';
import { eventsOf } from '../api/events.gen.ts';
import { isLive, keys } from '../api/keys.ts';
import type { Event } from './blocks.ts';
import { EVERYTHING, keysOf } from './table.ts';

/** The events of one change arrive together. */
const GATHER_MS = 100;
/**
 * After a refresh, a tab pauses this many times as long as the refresh took, so that a burst of events keeps neither the tab nor
 * the server busy.
 */
const REST = 4;
const MIN_REST_MS = 1_000;
const MAX_REST_MS = 30_000;
/** After a change, the page waits for the new state at most this long before it continues, for example closes a dialog. */
const MAX_WAIT_MS = 1_000;

export type Refresher = {
  /** Reloads what the events changed, soon and together with what other events change. */
  afterEvents: (events: readonly Pick<Event, 'type' | 'project' | 'featureName'>[]) => void;
  /** Reloads what this user's change may have affected, without waiting for its events, which other changes can delay. */
  afterWrite: (write: Write) => Promise<void>;
  /** Reloads these queries soon. */
  again: (list: readonly QueryKey[]) => void;
  everything: () => void;
};

/** Collects what has to be reloaded. Only one refresh runs at a time, and none is lost. */
export function makeRefresher(client: QueryClient): Refresher {
  const waiting = new Map<string, QueryKey>();
  let isScheduled = false;

  function again(list: readonly QueryKey[]): void {
    for (const key of list) waiting.set(hashKey(key), key);
    if (waiting.size === 0 || isScheduled) return;
    isScheduled = true;
    setTimeout(() => void run(), GATHER_MS);
  }

  async function run(): Promise<void> {
    const list = [...waiting.values()];
    waiting.clear();
    const startedAt = performance.now();
    await refresh(client, list);
    const rest = REST * (performance.now() - startedAt);
    await new Promise(resolve => setTimeout(resolve, Math.min(Math.max(rest, MIN_REST_MS), MAX_REST_MS)));
    isScheduled = false;
    again([]);
  }

  return {
    afterEvents: events =>
      again(
        events.flatMap(({ type, project, featureName }) => keysOf(type, { projectId: project, featureName })),
      ),
    afterWrite: write =>
      Promise.race([
        refresh(client, keysOfWrite(write)),
        new Promise<void>(resolve => setTimeout(resolve, MAX_WAIT_MS)),
      ]),
    again,
    everything: () => again([EVERYTHING]),
  };
}

/** Reloads the queries on the page whose keys begin with one of these. Others are loaded when a page shows them. */
async function refresh(client: QueryClient, list: readonly QueryKey[]): Promise<void> {
  const hashes = new Set(list.map(hashKey));
  await client.invalidateQueries({
    predicate: ({ queryKey }) =>
      isLive(queryKey) && [EVERYTHING, ...queryKey].some((_, n) => hashes.has(hashKey(queryKey.slice(0, n)))),
  });
}

/** The API document lists the events of each operation, so no page has to list what its changes affect. */
function keysOfWrite({ method, path, params }: Write): readonly QueryKey[] {
  // Only the user sees the views they save, so there are no events for them.
  if (path.startsWith('/api/admin/user/views')) return [keys.views];
  return (eventsOf[`${method} ${path}`] ?? []).flatMap(type => keysOf(type, params));
}
