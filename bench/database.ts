import pg from 'pg';
import { migrate } from '../server/src/platform/db/migrate.ts';

/** Reuses a database that has the marker, and otherwise recreates, migrates and fills it. */
export async function reuseOrFillDatabase(
  url: URL,
  marker: string,
  recreate: boolean,
  fill: () => Promise<void>,
): Promise<void> {
  const name = url.pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  await withClient(server, async client => {
    if (!recreate && (await readComment(client, name)) === marker) return;
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    await migrate(url.href);
    await fill();
    await client.query(`comment on database ${name} is '${marker}'`);
  });
}

/** Returns a function that runs a statement and prints how long it took. */
export const makeStepRunner =
  (client: pg.Client) => async (step: string, statement: string, values?: unknown[]) => {
    const start = performance.now();
    await client.query(statement, values);
    console.error(`${step}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  };

async function readComment(client: pg.Client, database: string): Promise<string | undefined> {
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
