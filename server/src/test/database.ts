import pg from 'pg';

const SERVER = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export function urlOf(database: string): string {
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

export async function createDatabase(name: string, options = ''): Promise<void> {
  await onServer(`drop database if exists ${name} with (force)`, `create database ${name} ${options}`);
}

/** A database whose commits do not wait for the disk: for tests, none of which crashes PostgreSQL. */
export async function copyDatabase(template: string, name: string): Promise<void> {
  await onServer(
    `create database ${name} template ${template}`,
    `alter database ${name} set synchronous_commit = off`,
  );
}

export async function dropDatabase(name: string): Promise<void> {
  await onServer(`drop database if exists ${name} with (force)`);
}

async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
