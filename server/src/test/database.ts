import pg from 'pg';

const SERVER = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export function getDatabaseUrl(database: string): string {
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

export async function createDatabase(name: string, options = ''): Promise<void> {
  await runOnServer(`drop database if exists ${name} with (force)`, `create database ${name} ${options}`);
}

/** Creates a database whose commits do not wait for the disk, because no test crashes PostgreSQL. */
export async function copyDatabase(template: string, name: string): Promise<void> {
  await runOnServer(
    `create database ${name} template ${template}`,
    `alter database ${name} set synchronous_commit = off`,
    `comment on database ${name} is '${formatComment(process.env.TEST_TEMPLATE ?? template)}'`,
  );
}

/** Returns the comment that marks the copies of a test run. */
const formatComment = (template: string): string => `copy for tests, ${template}`;

const NAMES_PER_BATCH = 20;
const discardedNames: string[] = [];

/**
 * Drops a copy some time later. DROP DATABASE waits for a checkpoint, which takes seconds on a busy machine, unless a checkpoint
 * has just happened. So copies are dropped 20 at a time, and the remaining copies at the end of the run.
 */
export async function discardDatabase(name: string): Promise<void> {
  discardedNames.push(name);
  if (discardedNames.length < NAMES_PER_BATCH) return;
  for (const discardedName of discardedNames.splice(0)) await dropDatabase(discardedName);
}

/** Drops a run's template and all remaining copies. */
export async function dropRun(template: string): Promise<void> {
  const client = new pg.Client({ connectionString: getDatabaseUrl('postgres') });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where shobj_description(oid, 'pg_database') = $1`,
      [formatComment(template)],
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
  const client = new pg.Client({ connectionString: getDatabaseUrl(database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
