import pg from 'pg';
import { migrate } from '../server/src/platform/db/migrate.ts';

/** Keeps a database that has the marker. Otherwise the database is recreated, migrated and filled. */
export async function keepOrFill(
  url: URL,
  marker: string,
  fresh: boolean,
  fill: () => Promise<void>,
): Promise<void> {
  const name = url.pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  await withClient(server, async client => {
    if (!fresh && (await commentOn(client, name)) === marker) return;
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    await migrate(url.href);
    await fill();
    await client.query(`comment on database ${name} is '${marker}'`);
  });
}

/** Runs statements and prints how long each took. */
export const stepper = (client: pg.Client) => async (what: string, statement: string, values?: unknown[]) => {
  const start = performance.now();
  await client.query(statement, values);
  console.error(`${what}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
};

async function commentOn(client: pg.Client, database: string): Promise<string | undefined> {
  const { rows } = await client.query<{ comment: string }>(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [database],
  );
  return rows[0]?.comment;
}

export async function withClient<T>(url: URL, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
