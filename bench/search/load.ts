import { availableParallelism } from 'node:os';
import type pg from 'pg';
import { openDb } from '../../server/src/platform/db/database.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { extendPartitions } from '../../server/src/record/events/partitions.ts';
import { makeStepRunner, reuseOrFillDatabase, withClient } from '../database.ts';
import { copyIn } from './copy.ts';
import { COLUMNS, formatCopyLine, PROJECTS, USERS } from './events.ts';

/** Increase this when the events change. A database of a different version is recreated. */
const DATA_VERSION = 2;
const EVENTS_PER_COPY = 10_000;
const LINES_PER_CHUNK = 200;
const IDS_PER_PARTITION = 4_194_304;

/** Every other project is private. The first viewer can read 9 of 10 projects, and the second can read no private projects. */
export const VIEWERS = [
  { username: 'viewer-of-most', hiddenEvery: 10 },
  { username: 'viewer-of-open', hiddenEvery: 2 },
] as const;

/** Returns the projects that a viewer cannot read. */
export const listHiddenProjects = (hiddenEvery: number): string[] =>
  PROJECTS.filter((_, n) => (n + 1) % hiddenEvery === 0);

const USER_STATEMENTS = `
  insert into users (name, username) select 'User ' || n, 'user-' || n from generate_series(1, ${USERS}) as n;
  insert into users (name, username) select name, name from unnest($1::text[]) as name;
  insert into user_roles (user_id, role_id) select id, 3 from users where username = any ($1);`;

/** Returns the URL of a database on the server in DATABASE_URL. For 10 million events, the database is halyard_bench_10m. */
export function buildDatabaseUrl(events: number): URL {
  const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  const size = events % 1_000_000 === 0 ? `${events / 1_000_000}m` : `${events}`;
  url.pathname = `/halyard_bench_${size}`;
  return url;
}

/** Prepares a database with this many events. A database from an earlier run is reused and migrated. */
export async function prepareEvents(url: URL, events: number, recreate: boolean): Promise<void> {
  const marker = `${events} events, version ${DATA_VERSION}`;
  await reuseOrFillDatabase(url, marker, recreate, () => fill(url, events));
  await migrate(url.href);
}

async function fill(url: URL, events: number): Promise<void> {
  await addPartitions(url, events);
  await withClient(url, async client => {
    const step = makeStepRunner(client);
    await client.query(`set maintenance_work_mem = '1GB'; set jit = off`);
    await addUsers(client);
    const indexes = await dropIndexes(client);
    const start = performance.now();
    await copyEvents(url, events);
    console.error(`events: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
    await client.query(`select setval('events_id_seq', $1)`, [events]);
    for (const index of indexes) await step(index.slice(0, 60), index);
    await step(
      'creators',
      'insert into event_creators (user_id, project) select distinct created_by_user_id, project from events',
    );
    await step('vacuum analyze', 'vacuum analyze');
  });
}

async function addPartitions(url: URL, events: number): Promise<void> {
  const db = openDb({ url: url.href, poolSize: 1, onError: console.error });
  try {
    await withClient(url, async client => {
      for (let id = 1; id <= events; id += IDS_PER_PARTITION) {
        await client.query(`select setval('events_id_seq', $1)`, [id]);
        await extendPartitions(db);
      }
    });
  } finally {
    await db.destroy();
  }
}

async function addUsers(client: pg.Client): Promise<void> {
  const viewers = VIEWERS.map(viewer => viewer.username);
  for (const statement of USER_STATEMENTS.split(';').slice(0, -1)) {
    await client.query(statement, statement.includes('$1') ? [viewers] : []);
  }
  const isPrivate = (project: string) => listHiddenProjects(2).includes(project);
  await client.query(
    `insert into projects (id, name, mode) select id, id, mode from unnest($1::text[], $2::text[]) as t (id, mode)`,
    [PROJECTS, PROJECTS.map(project => (isPrivate(project) ? 'private' : 'open'))],
  );
  for (const { username, hiddenEvery } of VIEWERS) {
    const hiddenIds = listHiddenProjects(hiddenEvery);
    await client.query(
      `insert into user_roles (user_id, role_id, project)
       select users.id, 6, projects.id from users, projects
       where username = $1 and mode = 'private' and not projects.id = any ($2)`,
      [username, hiddenIds],
    );
  }
}

/** Drops the secondary indexes and returns their definitions, because creating them after the load takes a fraction of the time. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index where indrelid = 'events'::regclass and not indisprimary`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  // The trigram index is not recreated, because a migration drops it anyway, and it takes half an hour for 10 million events.
  return rows.filter(row => row.name !== 'events_text_idx').map(row => row.definition);
}

/** Copies the events over one connection per processor. This process writes the lines for all connections. */
async function copyEvents(url: URL, events: number): Promise<void> {
  let nextEvent = 1;
  const copyBatches = () =>
    withClient(url, async client => {
      while (nextEvent <= events) {
        const firstEvent = nextEvent;
        nextEvent += EVENTS_PER_COPY;
        const lastEvent = Math.min(firstEvent + EVENTS_PER_COPY - 1, events);
        await copyIn(
          client,
          `copy events (${COLUMNS}) from stdin`,
          makeChunks(firstEvent, lastEvent, events),
        );
        if (lastEvent % 500_000 === 0) console.error(`${lastEvent} events`);
      }
    });
  await Promise.all(Array.from({ length: availableParallelism() }, copyBatches));
}

function* makeChunks(firstEvent: number, lastEvent: number, events: number): Generator<string> {
  for (let n = firstEvent; n <= lastEvent; n += LINES_PER_CHUNK) {
    let chunk = '';
    for (let line = n; line < n + LINES_PER_CHUNK && line <= lastEvent; line++) {
      chunk += formatCopyLine(line, events);
    }
    yield chunk;
  }
}
