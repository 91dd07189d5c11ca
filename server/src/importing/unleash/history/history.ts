import { sql } from 'kysely';
import { INSERT_COLLABORATORS } from '../../../flags/feature-rows/collaborators.ts';
import { ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID } from '../../../platform/actor.ts';
import type { Db, Reader } from '../../../platform/db/database.ts';
import { rebuildIndexChunks } from '../../../record/event-index/rebuild.ts';
import {
  findLastImported,
  IMPORTED_ID_OFFSET,
  toImportedId,
  toUnleashId,
} from '../../../record/events/imported.ts';
import { addImportedPartition, IMPORTED_PARTITION } from '../../../record/events/partitions.ts';
import { describeDataError } from '../data-error.ts';
import { readUserKeys } from '../kinds/people.ts';
import { addLine, createReport, type KindReport } from '../report.ts';
import { query, type Source, toText } from '../source/source.ts';
import { INSERT_CREATORS } from '../store.ts';
import { toStorableData, toStorableTags } from './stored-json.ts';

// Copies Unleash's events to ids below those of Halyard's own events. They are copied as they are instead of being recorded by a change:
// they happened in Unleash, so they must not cause deliveries or other side effects. Each batch is one transaction, in id order.

/** The number of Unleash ids that one statement compares with Halyard's. */
const IDS_PER_STATEMENT = 5_000;
/** A batch ends with the event that reaches one of these limits. */
const MAX_BATCH_EVENTS = 250;
const MAX_BATCH_BYTES = 500_000;
/** Larger than the largest request body that Halyard accepts, so none of Halyard's own events is larger. */
const MAX_EVENT_BYTES = 8_000_000;
/** A run that only looks for new events also reads this many older events, which may have been committed late. */
const LATE_IDS = 5_000;

type IdAndSize = { id: number; size: number };

type UnleashEvent = {
  id: number;
  createdAt: string;
  type: string;
  createdBy: string;
  createdByUserId: number | null;
  ip: string | null;
  project: string | null;
  environment: string | null;
  featureName: string | null;
  groupId: string | null;
  data: string | null;
  preData: string | null;
  tags: string | null;
};

export async function importEvents(
  db: Db,
  source: Source,
  { plan, onlyNew }: { plan: boolean; onlyNew: boolean },
  onBatch: (items: number) => void,
): Promise<KindReport> {
  const report = createReport();
  if (!plan) await addImportedPartition(db);
  const lastImportedId = onlyNew ? await findLastImported(db) : undefined;
  const afterId = lastImportedId === undefined ? 0 : toUnleashId(lastImportedId) - LATE_IDS;
  let creators: Creators | undefined;
  if (!onlyNew) await reportUnsupportedIds(source, report);
  for await (const listedIds of listIds(source, afterId)) {
    const missingIds = await findMissingIds(db, listedIds);
    report.unchanged += listedIds.length - missingIds.length;
    const storableEvents = (await readSizes(source, missingIds)).filter(event => isStorable(event, report));
    onBatch(plan ? listedIds.length : listedIds.length - storableEvents.length);
    if (plan) report.created += storableEvents.length;
    if (plan || storableEvents.length === 0) continue;
    creators ??= await readCreators(db, source);
    for (const ids of splitIntoBatches(storableEvents)) {
      await writeOrReject(db, await readEvents(source, ids), creators, report);
      await rebuildIndexChunks(db, ids.map(toImportedId));
      onBatch(ids.length);
    }
  }
  return report;
}

/** Reports events whose ids do not fit into Halyard's range for imported events. Unleash's ids start at 1 and have 31 bits. */
async function reportUnsupportedIds(source: Source, report: KindReport): Promise<void> {
  const [row] = await query<{ count: number }>(
    source,
    `select count(*)::integer as count from events where id < 1 or id >= ${IMPORTED_ID_OFFSET}`,
  );
  if (row !== undefined && row.count > 0)
    addLine(report.rejected, `events with an id below 1 or above ${IMPORTED_ID_OFFSET - 1}: ${row.count}`);
}

async function* listIds(source: Source, afterId: number): AsyncGenerator<number[]> {
  for (let lastId = afterId; ; ) {
    const rows = await query<{ id: number }>(
      source,
      `select id::float8 as id from events where id > $1 and id < ${IMPORTED_ID_OFFSET} order by events.id limit ${IDS_PER_STATEMENT}`,
      [lastId],
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < IDS_PER_STATEMENT) return;
    lastId = rows.at(-1)?.id ?? lastId;
  }
}

/** Measures the uncompressed text, because PostgreSQL compresses a value of repeated characters to 1 % of its size. */
async function readSizes(source: Source, ids: number[]): Promise<IdAndSize[]> {
  if (ids.length === 0) return [];
  const bytes = (column: string) =>
    source.columns.get('events')?.has(column) ? `coalesce(octet_length(${column}::text), 0)` : '0';
  return await query<IdAndSize>(
    source,
    `select id::float8 as id, ${bytes('data')} + ${bytes('pre_data')} as size from events where id = any($1::bigint[]) order by events.id`,
    [ids],
  );
}

function isStorable({ id, size }: IdAndSize, report: KindReport): boolean {
  if (size <= MAX_EVENT_BYTES) return true;
  const [eventBytes, maxBytes] = [size, MAX_EVENT_BYTES].map(bytes => bytes.toLocaleString('en'));
  addLine(report.rejected, `event ${id}: its data has ${eventBytes} bytes; the maximum is ${maxBytes}`);
  return false;
}

async function findMissingIds(db: Reader, listedIds: number[]): Promise<number[]> {
  const [firstId, lastId] = [listedIds.at(0) ?? 0, listedIds.at(-1) ?? 0].map(toImportedId);
  const { rows } = await sql<{ id: number }>`
    select id from events where id >= ${firstId} and id <= ${lastId}`.execute(db);
  const existingIds = new Set(rows.map(({ id }) => toUnleashId(id)));
  return listedIds.filter(id => !existingIds.has(id));
}

function* splitIntoBatches(events: IdAndSize[]): Generator<number[]> {
  let [ids, bytes]: [number[], number] = [[], 0];
  for (const { id, size } of events) {
    ids.push(id);
    bytes += size;
    if (ids.length < MAX_BATCH_EVENTS && bytes < MAX_BATCH_BYTES) continue;
    yield ids;
    [ids, bytes] = [[], 0];
  }
  if (ids.length > 0) yield ids;
}

async function readEvents(source: Source, ids: number[]): Promise<UnleashEvent[]> {
  const tableColumns = source.columns.get('events') ?? new Set();
  const column = (name: string) => (tableColumns.has(name) ? name : 'null');
  return await query<UnleashEvent>(
    source,
    // If created_at is null, the event gets the time of the previous event.
    `select id::float8 as id, coalesce(finite, max(finite) over (order by events.id), 'epoch')::text as "createdAt", type, created_by as "createdBy",
       ${column('created_by_user_id')} as "createdByUserId", ${column('ip')} as ip, ${column('project')} as project,
       ${column('environment')} as environment, ${column('feature_name')} as "featureName", ${column('group_id')} as "groupId",
       data::text as data, ${column('pre_data')}::text as "preData", ${column('tags')}::text as tags
     from events
     cross join lateral (select case when isfinite(created_at) then created_at::timestamptz end as finite) as time
     where id = any($1::bigint[]) order by events.id`,
    [ids],
  );
}

/** Maps the creators of Unleash's events to accounts in Halyard, by id and by name. */
type Creators = { byId: Map<number, number>; byName: Map<string, number> };

async function readCreators(db: Reader, source: Source): Promise<Creators> {
  const keys = await readUserKeys(source);
  const { rows } = await sql<{ key: string; username: string | null; id: number }>`
    select lower(coalesce(email, username)) as key, lower(username) as username, id from users
    where deleted_at is null and lower(coalesce(email, username)) = any(${[...keys.values()]})`.execute(db);
  const byKey = new Map(rows.map(({ key, id }) => [key, id]));
  const byId = new Map(
    [...keys].flatMap(([id, key]) => {
      const accountId = byKey.get(key);
      return accountId ? [[id, accountId] as const] : [];
    }),
  );
  for (const id of [ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID]) byId.set(id, id);
  const byName = new Map(rows.flatMap(({ username, id }) => (username === null ? [] : [[username, id]])));
  for (const [key, id] of byKey) byName.set(key, id);
  return { byId, byName };
}

/**
 * Returns the Halyard account that created an event, or null. Versions before 5.6 store only the creator's name, and an account
 * that was deleted in Unleash has no account in Halyard.
 */
const findCreatorId = (
  { createdBy, createdByUserId }: UnleashEvent,
  { byId, byName }: Creators,
): number | null =>
  (createdByUserId === null ? byName.get(toText(createdBy).toLowerCase()) : byId.get(createdByUserId)) ??
  null;

/** Halyard's own event types contain only these characters, and the export relies on that. */
const toEventType = (type: string): string => type.replace(/[^\w-]/g, '-').slice(0, 255) || 'unknown';

/** Unleash writes `*` into events about API tokens for all projects or environments. */
const nameOrNull = (name: string | null): string | null => (name === '*' || name === '' ? null : name);

/** Writes a batch. If an event cannot be stored, each half of the batch is written separately, down to the event at fault. */
async function writeOrReject(
  db: Db,
  events: UnleashEvent[],
  creators: Creators,
  report: KindReport,
): Promise<void> {
  try {
    const createdCount = await write(db, events, creators);
    report.created += createdCount;
    report.unchanged += events.length - createdCount;
  } catch (error) {
    const reason = describeDataError(error);
    const [first] = events;
    if (reason === undefined || first === undefined) throw error;
    if (events.length === 1) {
      addLine(report.rejected, `event ${first.id}: ${reason}`);
      return;
    }
    const middle = events.length >> 1;
    for (const half of [events.slice(0, middle), events.slice(middle)])
      await writeOrReject(db, half, creators, report);
  }
}

/** Returns the number of written events. A simultaneous import may have written the others. */
async function write(db: Db, events: UnleashEvent[], creators: Creators): Promise<number> {
  const toColumn = <T>(value: (event: UnleashEvent) => T): T[] => events.map(value);
  return await db.transaction().execute(async tx => {
    const { rows } = await sql<{ created: number }>`
      with inserted as (
        insert into ${sql.id(IMPORTED_PARTITION)} (id, created_at, type, created_by, created_by_user_id, ip, project, environment,
          feature_name, group_id, data, pre_data, tags)
        select * from unnest(
          ${toColumn(({ id }) => toImportedId(id))}::bigint[], ${toColumn(({ createdAt }) => createdAt)}::timestamptz[],
          ${toColumn(({ type }) => toEventType(type))}::text[], ${toColumn(({ createdBy }) => toText(createdBy) || 'unknown')}::text[],
          ${toColumn(event => findCreatorId(event, creators))}::integer[], ${toColumn(({ ip }) => ip || null)}::text[],
          ${toColumn(({ project }) => nameOrNull(project))}::text[], ${toColumn(({ environment }) => nameOrNull(environment))}::text[],
          ${toColumn(({ featureName }) => featureName || null)}::text[], ${toColumn(({ id, groupId }) => groupId || `unleash-${id}`)}::text[],
          ${toColumn(({ type, data }) => toStorableData(type, data))}::jsonb[],
          ${toColumn(({ type, preData }) => toStorableData(type, preData))}::jsonb[], ${toColumn(({ tags }) => toStorableTags(tags))}::jsonb[])
        on conflict do nothing
        returning type, project, feature_name, created_by_user_id, created_at
      ), written as (select * from inserted where created_by_user_id is not null),
      ${INSERT_CREATORS}, ${INSERT_COLLABORATORS.expressions}
      select count(*)::integer as created from inserted`.execute(tx);
    // The stored health of past days was computed without these events, so it is deleted.
    await sql`
      delete from project_health_days using (
        select project, min(day) as first_day
        from unnest(${toColumn(({ project }) => project)}::text[], ${toColumn(({ createdAt }) => createdAt)}::timestamptz[]) as given (project, day)
        group by project
      ) as changed
      where project_health_days.project = changed.project
        and day >= (first_day at time zone 'UTC')::date`.execute(tx);
    return rows[0]?.created ?? 0;
  });
}
