import pg from 'pg';

const SERVER = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export function urlOf(database: string): string {
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

export async function createDatabase(name: string, options = ''): Promise<void> {
  await runOnServer(`drop database if exists ${name} with (force)`, `create database ${name} ${options}`);
}

/** A database whose commits do not wait for the disk. No test crashes PostgreSQL. */
export async function copyDatabase(template: string, name: string): Promise<void> {
  await runOnServer(
    `create database ${name} template ${template}`,
    `alter database ${name} set synchronous_commit = off`,
    `comment on database ${name} is '${commentOf(process.env.TEST_TEMPLATE ?? template)}'`,
  );
}

/** Marks the copies of a test run. */
const commentOf = (template: string): string => `copy for tests, ${template}`;

const DISCARDED_PER_BATCH = 20;
const discarded: string[] = [];

/**
 * Drops a copy some time later. DROP DATABASE waits for a checkpoint, which takes seconds on a busy machine, unless one has just
 * happened. So copies are dropped 20 at a time, and the last ones at the end of the run.
 */
export async function discardDatabase(name: string): Promise<void> {
  discarded.push(name);
  if (discarded.length < DISCARDED_PER_BATCH) return;
  for (const one of discarded.splice(0)) await dropDatabase(one);
}

/** Drops the template of a run and all copies that are left. */
export async function dropRun(template: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where shobj_description(oid, 'pg_database') = $1`,
      [commentOf(template)],
    );
    for (const { name } of [...rows, { name: template }])
      await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}

export async function dropDatabase(name: string): Promise<void> {
  await runOnServer(`drop database if exists ${name} with (force)`);
}

export const runOnServer = (...statements: string[]): Promise<void> => runIn('postgres', ...statements);

export async function runIn(database: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
