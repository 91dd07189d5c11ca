import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/db/database.ts';
import { isOutage } from '../../platform/db/failures.ts';
import { type Report, totalWritten } from './report.ts';
import { importUnleash, type Rejected, type Settings } from './run.ts';
import { closeSource, type DatabaseSource, query, renewSource, type Source } from './source/source.ts';
import type { Options } from './synchronise.ts';

const LOOK_EVERY_MS = 500;
/** A complete run also notices changes without an event, and events that became visible late. */
const COMPLETE_EVERY_MS = 300_000;
/** While one of the two databases is down. */
const RETRY_EVERY_MS = 5_000;
const MAX_OUTAGE_MS = 3_600_000;

/** What has happened so far. */
type State = { newest: number; completeAt: number; rejected: Rejected };

export type Followed = {
  onRun: (report: Report, ms: number) => void;
  /** One of the databases is down. The import retries for an hour. */
  onOutage: (error: Error) => void;
};

/** Repeats the import whenever Unleash has new events, until it is aborted. */
export async function followUnleash(
  db: Db,
  opened: DatabaseSource,
  settings: Settings,
  options: Options,
  signal: AbortSignal,
  { onRun, onOutage }: Followed,
): Promise<void> {
  // The first run is complete, because later runs need to know what it rejects.
  const state: State = { newest: -1, completeAt: Number.NEGATIVE_INFINITY, rejected: new Map() };
  let source: Source | undefined = opened;
  let downSince: number | undefined;
  try {
    while (!signal.aborted) {
      const ms = downSince === undefined ? LOOK_EVERY_MS : RETRY_EVERY_MS;
      await sleep(ms, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        source = source === undefined ? await opened.reopen() : await renewSource(source);
        await importNew(db, source, settings, options, state, onRun);
        downSince = undefined;
      } catch (error) {
        const now = performance.now();
        if (!isOutage(error) || now - (downSince ?? now) > MAX_OUTAGE_MS) throw error;
        if (downSince === undefined) onOutage(error as Error);
        downSince ??= now;
        if (source !== undefined) await closeSource(source);
        source = undefined;
      }
    }
  } finally {
    if (source !== undefined) await closeSource(source);
  }
}

async function importNew(
  db: Db,
  source: Source,
  settings: Settings,
  options: Options,
  state: State,
  onRun: Followed['onRun'],
): Promise<void> {
  const now = await newestEvent(source);
  const started = performance.now();
  const isDue = started - state.completeAt > COMPLETE_EVERY_MS;
  if (now === state.newest && !isDue) return;
  const onlyFeatures = isDue ? undefined : await changedFeatures(source, state.newest);
  const choice = { ...options, onlyChanged: !isDue, onlyFeatures };
  const report = await importUnleash(db, source, settings, choice, undefined, state.rejected);
  if (isDue) state.completeAt = performance.now();
  state.newest = now;
  if (totalWritten(report) > 0) onRun(report, performance.now() - started);
}

const MAX_CHANGED = 200;

/** The features of the events after an id. Undefined, which means all features, if an event could concern any of them. */
async function changedFeatures(source: Source, after: number): Promise<string[] | undefined> {
  const rows = await query<{ name: string | null }>(
    source,
    'select distinct feature_name as name from events where id > $1 limit $2',
    [after, MAX_CHANGED + 1],
  );
  const names = rows.map(({ name }) => name).filter(name => name !== null);
  return names.length < rows.length || rows.length > MAX_CHANGED ? undefined : names;
}

async function newestEvent(source: Source): Promise<number> {
  const [row] = await query<{ id: string }>(source, 'select coalesce(max(id), 0)::bigint as id from events');
  return Number(row?.id);
}
