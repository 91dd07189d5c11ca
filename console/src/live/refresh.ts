import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';
import type { Write } from '../api/client.ts';
import { eventTypesByRoute } from '../api/events.gen.ts';
import { isLive, keys } from '../api/keys.ts';
import { EVERYTHING, listAffectedKeys } from './affected-keys.ts';
import type { Event } from './blocks.ts';

/** Events are collected for this long before a refresh, because the events of one change arrive together. */
const COLLECT_MS = 100;
/**
 * After a refresh, a tab pauses this many times as long as the refresh took, so that a burst of events keeps neither the tab nor
 * the server busy.
 */
const PAUSE_FACTOR = 4;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** After a change, the page waits at most this long for the new state before it continues, for example by closing a dialog. */
const MAX_WAIT_MS = 1_000;

export type Refresher = {
  /** Reloads what the events changed, after a short delay in which other events are collected. */
  afterEvents: (events: readonly Pick<Event, 'type' | 'project' | 'featureName'>[]) => void;
  /** Reloads what this user's change may have affected, without waiting for its events, which other changes can delay. */
  afterWrite: (write: Write) => Promise<void>;
  /** Reloads these queries after the same delay as `afterEvents`. */
  reload: (queryKeys: readonly QueryKey[]) => void;
  reloadEverything: () => void;
};

/** Collects the queries to reload. Only one refresh for events runs at a time, and no query is lost. The user's own changes refresh immediately. */
export function createRefresher(client: QueryClient): Refresher {
  const pendingKeys = new Map<string, QueryKey>();
  let isScheduled = false;

  function reload(queryKeys: readonly QueryKey[]): void {
    for (const key of queryKeys) pendingKeys.set(hashKey(key), key);
    if (pendingKeys.size === 0 || isScheduled) return;
    isScheduled = true;
    setTimeout(() => void refreshPending(), COLLECT_MS);
  }

  async function refreshPending(): Promise<void> {
    const queryKeys = [...pendingKeys.values()];
    pendingKeys.clear();
    const startedAt = performance.now();
    await refresh(client, queryKeys);
    const pauseMs = PAUSE_FACTOR * (performance.now() - startedAt);
    await new Promise(resolve =>
      setTimeout(resolve, Math.min(Math.max(pauseMs, MIN_PAUSE_MS), MAX_PAUSE_MS)),
    );
    isScheduled = false;
    reload([]);
  }

  return {
    afterEvents: events =>
      reload(
        events.flatMap(({ type, project, featureName }) =>
          listAffectedKeys(type, { projectId: project, featureName }),
        ),
      ),
    afterWrite: write =>
      Promise.race([
        refresh(client, findAffectedKeys(write)),
        new Promise<void>(resolve => setTimeout(resolve, MAX_WAIT_MS)),
      ]),
    reload,
    reloadEverything: () => reload([EVERYTHING]),
  };
}

/** Reloads the queries on the page whose keys start with one of these keys. Other queries load when a page shows them. */
async function refresh(client: QueryClient, queryKeys: readonly QueryKey[]): Promise<void> {
  const hashes = new Set(queryKeys.map(hashKey));
  await client.invalidateQueries({
    predicate: ({ queryKey }) =>
      isLive(queryKey) && [EVERYTHING, ...queryKey].some((_, n) => hashes.has(hashKey(queryKey.slice(0, n)))),
  });
}

/** Returns what a write affects, based on the events that the API document lists for each operation. */
function findAffectedKeys({ method, path, params }: Write): readonly QueryKey[] {
  // Personal views record no events, because only their owner sees them.
  if (path.startsWith('/api/admin/user/views')) return [keys.views];
  return (eventTypesByRoute[`${method} ${path}`] ?? []).flatMap(type => listAffectedKeys(type, params));
}
