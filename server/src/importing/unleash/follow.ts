import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/db/database.ts';
import { isOutage } from '../../platform/db/failures.ts';
import { countWritten, listConflicts, type Report } from './report.ts';
import { importUnleash, type RejectedKeys, type Settings } from './run.ts';
import { closeSource, type DatabaseSource, query, renewSnapshot, type Source } from './source/source.ts';
import type { Options } from './synchronize.ts';

const POLL_INTERVAL_MS = 500;
/** A complete run also finds changes that have no event, and events that became visible late. */
const COMPLETE_INTERVAL_MS = 300_000;
/** The retry interval while one of the two databases is down. */
const RETRY_INTERVAL_MS = 5_000;
const MAX_OUTAGE_MS = 3_600_000;

type State = {
  newestEventId: number;
  lastCompleteAt: number;
  rejectedKeys: RejectedKeys;
  /** The conflicts that were reported, so that each is reported once. */
  knownConflicts: Set<string>;
};

/** Callbacks that report progress. */
export type FollowCallbacks = {
  onRun: (report: Report, ms: number) => void;
  /** Called with the kind and description of each new conflict. */
  onConflict: (conflict: string) => void;
  /** Called when one of the databases goes down. The import retries for an hour. */
  onOutage: (error: Error) => void;
};

/** Repeats the import whenever Unleash has new events, until the signal is aborted. */
export async function followUnleash(
  db: Db,
  firstSource: DatabaseSource,
  settings: Settings,
  options: Options,
  signal: AbortSignal,
  callbacks: FollowCallbacks,
  knownConflicts: string[] = [],
): Promise<void> {
  // The first run is complete, because later runs need to know what it rejects.
  const state: State = {
    newestEventId: -1,
    lastCompleteAt: Number.NEGATIVE_INFINITY,
    rejectedKeys: new Map(),
    knownConflicts: new Set(knownConflicts),
  };
  let source: Source | undefined = firstSource;
  let downSince: number | undefined;
  try {
    while (!signal.aborted) {
      const delayMs = downSince === undefined ? POLL_INTERVAL_MS : RETRY_INTERVAL_MS;
      await sleep(delayMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        source = source === undefined ? await firstSource.reopen() : await renewSnapshot(source);
        await importNewEvents(db, source, settings, options, state, callbacks);
        downSince = undefined;
      } catch (error) {
        const now = performance.now();
        if (!isOutage(error) || now - (downSince ?? now) > MAX_OUTAGE_MS) throw error;
        if (downSince === undefined) callbacks.onOutage(error as Error);
        downSince ??= now;
        if (source !== undefined) await closeSource(source);
        source = undefined;
      }
    }
  } finally {
    if (source !== undefined) await closeSource(source);
  }
}

async function importNewEvents(
  db: Db,
  source: Source,
  settings: Settings,
  options: Options,
  state: State,
  { onRun, onConflict }: FollowCallbacks,
): Promise<void> {
  const newestId = await findNewestEventId(source);
  const startedAt = performance.now();
  const isCompleteRun = startedAt - state.lastCompleteAt > COMPLETE_INTERVAL_MS;
  if (newestId === state.newestEventId && !isCompleteRun) return;
  const onlyFeatures = isCompleteRun ? undefined : await findChangedFeatures(source, state.newestEventId);
  const runOptions = { ...options, onlyChanged: !isCompleteRun, onlyFeatures };
  const report = await importUnleash(db, source, settings, runOptions, undefined, state.rejectedKeys);
  if (isCompleteRun) state.lastCompleteAt = performance.now();
  state.newestEventId = newestId;
  const conflicts = listConflicts(report);
  for (const conflict of conflicts) if (!state.knownConflicts.has(conflict)) onConflict(conflict);
  // Only a complete run shows which conflicts have been resolved.
  state.knownConflicts = new Set(isCompleteRun ? conflicts : [...state.knownConflicts, ...conflicts]);
  if (countWritten(report) > 0) onRun(report, performance.now() - startedAt);
}

const MAX_CHANGED_FEATURES = 200;

/** Returns the features named in events after `lastId`, or undefined if there are too many or an event could concern any feature. */
async function findChangedFeatures(source: Source, lastId: number): Promise<string[] | undefined> {
  const rows = await query<{ name: string | null }>(
    source,
    'select distinct feature_name as name from events where id > $1 limit $2',
    [lastId, MAX_CHANGED_FEATURES + 1],
  );
  const names = rows.map(({ name }) => name).filter(name => name !== null);
  return names.length < rows.length || rows.length > MAX_CHANGED_FEATURES ? undefined : names;
}

async function findNewestEventId(source: Source): Promise<number> {
  const [row] = await query<{ id: string }>(source, 'select coalesce(max(id), 0)::bigint as id from events');
  return Number(row?.id);
}
