import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/db/database.ts';
import { type Report, totalWritten } from './report.ts';
import { importUnleash, type Rejected, type Settings } from './run.ts';
import { renewSource, type Source } from './source/source.ts';
import type { Options } from './synchronise.ts';

const LOOK_EVERY_MS = 500;
/** A complete run also notices changes without an event, and events that became visible late. */
const COMPLETE_EVERY_MS = 300_000;

/** Repeats the import whenever Unleash has new events, until it is aborted. */
export async function followUnleash(
  db: Db,
  opened: Source,
  settings: Settings,
  options: Options,
  signal: AbortSignal,
  onRun: (report: Report, ms: number) => void,
): Promise<void> {
  let source = opened;
  let newest = await newestEvent(source);
  const rejected: Rejected = new Map();
  // The first run is complete, because later runs need to know what it rejects.
  let complete = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    source = await renewSource(source);
    const now = await newestEvent(source);
    const isDue = performance.now() - complete > COMPLETE_EVERY_MS;
    if (now === newest && !isDue) continue;
    const started = performance.now();
    const onlyFeatures = isDue ? undefined : await changedFeatures(source, newest);
    const choice = { ...options, onlyChanged: !isDue, onlyFeatures };
    const report = await importUnleash(db, source, settings, choice, undefined, rejected);
    if (isDue) complete = performance.now();
    newest = now;
    if (totalWritten(report) > 0) onRun(report, performance.now() - started);
  }
}

const MAX_CHANGED = 200;

/** The features of the events after an id. Undefined, which means all features, if an event could concern any of them. */
async function changedFeatures({ client }: Source, after: number): Promise<string[] | undefined> {
  const { rows } = await client.query(
    'select distinct feature_name as name from events where id > $1 limit $2',
    [after, MAX_CHANGED + 1],
  );
  const names: string[] = rows.map(({ name }) => name).filter(name => name !== null);
  return names.length < rows.length || rows.length > MAX_CHANGED ? undefined : names;
}

async function newestEvent({ client }: Source): Promise<number> {
  const { rows } = await client.query('select coalesce(max(id), 0)::bigint as id from events');
  return Number(rows[0].id);
}
