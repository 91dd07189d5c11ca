import { sql } from 'kysely';
import { COLLABORATORS_OF_WRITTEN } from '../../../flags/feature-rows/collaborators.ts';
import { ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID } from '../../../platform/actor.ts';
import type { Db, Reader } from '../../../platform/db/database.ts';
import { rebuildIndexOf } from '../../../record/event-index/rebuild.ts';
import { findLastImported, idThereOf, importedIdOf } from '../../../record/events/imported.ts';
import { addImportedPartition, IMPORTED_PARTITION } from '../../../record/events/partitions.ts';
import { dataError } from '../data-error.ts';
import { userKeys } from '../kinds/people.ts';
import { type KindReport, newReport, note } from '../report.ts';
import { query, type Source, textOf } from '../source/source.ts';
import { CREATORS } from '../store.ts';
import { storableData, storableTags } from './stored-json.ts';

// Copies Unleash's events below those of this server. They are copied as they are instead of being recorded by a change: they
// happened in Unleash, so nothing is delivered and nothing else follows from them. Each batch is one transaction, in the order of
// the ids.

/** How many Unleash ids are compared with Halyard's in one statement. */
const IDS_PER_STATEMENT = 5_000;
/** A batch ends with the event that exceeds one of these limits. */
const MAX_EVENTS = 250;
const MAX_BYTES = 500_000;
/** Larger than the largest request body that Halyard accepts, so none of our own events is larger. */
const MAX_EVENT_BYTES = 8_000_000;
/** A run that only looks for new events also reads this many older ones, which may have been committed late. */
const LATE = 5_000;

type IdAndSize = { id: number; size: number };

type EventThere = {
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
  const report = newReport();
  if (!plan) await addImportedPartition(db);
  const last = onlyNew ? await findLastImported(db) : undefined;
  const after = last === undefined ? 0 : idThereOf(last) - LATE;
  let creators: Creators | undefined;
  if (!onlyNew) await noteUncounted(source, report);
  for await (const listed of listIds(source, after)) {
    const missing = await findMissing(db, listed);
    report.unchanged += listed.length - missing.length;
    const sized = (await readSizes(source, missing)).filter(event => isStorable(event, report));
    onBatch(plan ? listed.length : listed.length - sized.length);
    if (plan) report.created += sized.length;
    if (plan || sized.length === 0) continue;
    creators ??= await readCreators(db, source);
    for (const ids of batchesOf(sized)) {
      await writeOrReject(db, await readEvents(source, ids), creators, report);
      await rebuildIndexOf(db, ids.map(importedIdOf));
      onBatch(ids.length);
    }
  }
  return report;
}

/** Unleash's ids start at 1, and Halyard reserves no ids for smaller ones. */
async function noteUncounted(source: Source, report: KindReport): Promise<void> {
  const [row] = await query<{ count: number }>(
    source,
    'select count(*)::integer as count from events where id < 1',
  );
  if (row !== undefined && row.count > 0) note(report.rejected, `events with an id below 1: ${row.count}`);
}

async function* listIds(source: Source, after: number): AsyncGenerator<number[]> {
  for (let last = after; ; ) {
    const rows = await query<{ id: number }>(
      source,
      `select id from events where id > $1 order by id limit ${IDS_PER_STATEMENT}`,
      [last],
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < IDS_PER_STATEMENT) return;
    last = rows.at(-1)?.id ?? last;
  }
}

/** Measures the uncompressed text, because a value of many equal characters takes only one percent of its size when stored. */
async function readSizes(source: Source, ids: number[]): Promise<IdAndSize[]> {
  if (ids.length === 0) return [];
  const bytes = (column: string) =>
    source.columns.get('events')?.has(column) ? `coalesce(octet_length(${column}::text), 0)` : '0';
  return await query<IdAndSize>(
    source,
    `select id, ${bytes('data')} + ${bytes('pre_data')} as size from events where id = any($1::integer[]) order by id`,
    [ids],
  );
}

function isStorable({ id, size }: IdAndSize, report: KindReport): boolean {
  if (size <= MAX_EVENT_BYTES) return true;
  const [has, most] = [size, MAX_EVENT_BYTES].map(bytes => bytes.toLocaleString('en'));
  note(report.rejected, `event ${id}: its data has ${has} bytes; the maximum is ${most}`);
  return false;
}

async function findMissing(db: Reader, listed: number[]): Promise<number[]> {
  const [first, last] = [listed.at(0) ?? 0, listed.at(-1) ?? 0].map(importedIdOf);
  const { rows } = await sql<{ id: number }>`
    select id from events where id >= ${first} and id <= ${last}`.execute(db);
  const known = new Set(rows.map(({ id }) => idThereOf(id)));
  return listed.filter(id => !known.has(id));
}

function* batchesOf(listed: IdAndSize[]): Generator<number[]> {
  let [ids, bytes]: [number[], number] = [[], 0];
  for (const { id, size } of listed) {
    ids.push(id);
    bytes += size;
    if (ids.length < MAX_EVENTS && bytes < MAX_BYTES) continue;
    yield ids;
    [ids, bytes] = [[], 0];
  }
  if (ids.length > 0) yield ids;
}

async function readEvents(source: Source, ids: number[]): Promise<EventThere[]> {
  const existing = source.columns.get('events') ?? new Set();
  const column = (name: string) => (existing.has(name) ? name : 'null');
  return await query<EventThere>(
    source,
    // The column can be null. Such an event gets the time of the one before it.
    `select id, coalesce(finite, max(finite) over (order by id), 'epoch')::text as "createdAt", type, created_by as "createdBy",
       ${column('created_by_user_id')} as "createdByUserId", ${column('ip')} as ip, ${column('project')} as project,
       ${column('environment')} as environment, ${column('feature_name')} as "featureName", ${column('group_id')} as "groupId",
       data::text as data, ${column('pre_data')}::text as "preData", ${column('tags')}::text as tags
     from events
     cross join lateral (select case when isfinite(created_at) then created_at::timestamptz end as finite) as time
     where id = any($1::integer[]) order by id`,
    [ids],
  );
}

/** Maps the creators of Unleash's events to accounts in Halyard, by id and by name. */
type Creators = { byId: Map<number, number>; byName: Map<string, number> };

async function readCreators(db: Reader, source: Source): Promise<Creators> {
  const keys = await userKeys(source);
  const { rows } = await sql<{ key: string; username: string | null; id: number }>`
    select lower(coalesce(email, username)) as key, lower(username) as username, id from users
    where deleted_at is null and lower(coalesce(email, username)) = any(${[...keys.values()]})`.execute(db);
  const byKey = new Map(rows.map(({ key, id }) => [key, id]));
  const byId = new Map(
    [...keys].flatMap(([id, key]) => (here => (here ? [[id, here] as const] : []))(byKey.get(key))),
  );
  for (const id of [ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID]) byId.set(id, id);
  const byName = new Map(rows.flatMap(({ username, id }) => (username === null ? [] : [[username, id]])));
  for (const [key, id] of byKey) byName.set(key, id);
  return { byId, byName };
}

/** Versions before 5.6 store only the creator's name. An account that was deleted in Unleash has no account in Halyard. */
const creatorOf = ({ createdBy, createdByUserId }: EventThere, { byId, byName }: Creators): number | null =>
  (createdByUserId === null ? byName.get(textOf(createdBy).toLowerCase()) : byId.get(createdByUserId)) ??
  null;

/** Our own event types use only these characters, and the export relies on it. */
const typeOf = (type: string): string => type.replace(/[^\w-]/g, '-').slice(0, 255) || 'unknown';

/** Unleash writes `*` into events about API tokens for all projects or environments. */
const onlyName = (name: string | null): string | null => (name === '*' || name === '' ? null : name);

/** Writes a batch. If one of its events cannot be stored, each half is written alone, down to the event at fault. */
async function writeOrReject(
  db: Db,
  events: EventThere[],
  creators: Creators,
  report: KindReport,
): Promise<void> {
  try {
    await write(db, events, creators);
    report.created += events.length;
  } catch (error) {
    const reason = dataError(error);
    const [first] = events;
    if (reason === undefined || first === undefined) throw error;
    if (events.length === 1) {
      note(report.rejected, `event ${first.id}: ${reason}`);
      return;
    }
    const middle = events.length >> 1;
    for (const half of [events.slice(0, middle), events.slice(middle)])
      await writeOrReject(db, half, creators, report);
  }
}

async function write(db: Db, events: EventThere[], creators: Creators): Promise<void> {
  const of = <T>(value: (event: EventThere) => T): T[] => events.map(value);
  await db.transaction().execute(async tx => {
    await sql`
      with inserted as (
        insert into ${sql.id(IMPORTED_PARTITION)} (id, created_at, type, created_by, created_by_user_id, ip, project, environment,
          feature_name, group_id, data, pre_data, tags)
        select * from unnest(
          ${of(({ id }) => importedIdOf(id))}::bigint[], ${of(({ createdAt }) => createdAt)}::timestamptz[],
          ${of(({ type }) => typeOf(type))}::text[], ${of(({ createdBy }) => textOf(createdBy) || 'unknown')}::text[],
          ${of(event => creatorOf(event, creators))}::integer[], ${of(({ ip }) => ip || null)}::text[],
          ${of(({ project }) => onlyName(project))}::text[], ${of(({ environment }) => onlyName(environment))}::text[],
          ${of(({ featureName }) => featureName || null)}::text[], ${of(({ id, groupId }) => groupId || `unleash-${id}`)}::text[],
          ${of(({ type, data }) => storableData(type, data))}::jsonb[],
          ${of(({ type, preData }) => storableData(type, preData))}::jsonb[], ${of(({ tags }) => storableTags(tags))}::jsonb[])
        on conflict do nothing
        returning type, project, feature_name, created_by_user_id, created_at
      ), written as (select * from inserted where created_by_user_id is not null),
      ${CREATORS}, ${COLLABORATORS_OF_WRITTEN.expressions}
      select 1`.execute(tx);
    // The health of past days is computed from the events, and stored.
    await sql`
      delete from project_health_days using (
        select project, min(day) as first_day
        from unnest(${of(({ project }) => project)}::text[], ${of(({ createdAt }) => createdAt)}::timestamptz[]) as given (project, day)
        group by project
      ) as changed
      where project_health_days.project = changed.project and day >= (first_day at time zone 'UTC')::date`.execute(
      tx,
    );
  });
}
