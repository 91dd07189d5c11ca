import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import pg from 'pg';
import { MIN_POSTGRES_VERSION } from '../../src/platform/db/postgres-version.ts';

const CONNECT_TIMEOUT_MS = 3_000;

/** A PostgreSQL server that the demo can create a database on. */
export type PostgresServer = { url: string; version: string };

/** Thrown if a PostgreSQL server cannot be used. The message is a clause without a period. */
export class UnsuitableError extends Error {}

/** Checks, without writing anything, whether the demo can use a PostgreSQL server. */
export async function inspect(url: string): Promise<PostgresServer> {
  const [settings] = await query<{ version: string; major: number; superuser: boolean; trigrams: boolean }>(
    url,
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
      (select rolsuper from pg_roles where rolname = current_user) as superuser,
      exists (select from pg_available_extensions where name = 'pg_trgm') as trigrams`,
  );
  const { version = '', major = 0, superuser = false, trigrams = false } = settings ?? {};
  if (major < MIN_POSTGRES_VERSION)
    throw new UnsuitableError(`it has version ${version}, not ${MIN_POSTGRES_VERSION} or newer`);
  // Loading the sample data moves events into the past, which only a superuser can do.
  if (!superuser) throw new UnsuitableError('its role is not a superuser');
  if (!trigrams) throw new UnsuitableError('it lacks the extension pg_trgm');
  return { url, version: version.split(' ', 1)[0] ?? '' };
}

/** Returns the PostgreSQL server on a local port, or the reason why the demo cannot use it. */
export async function findLocal(port: number): Promise<PostgresServer | string> {
  let reason = '';
  for (const user of new Set(['postgres', userInfo().username])) {
    try {
      return await inspect(`postgres://${encodeURIComponent(user)}@127.0.0.1:${port}/postgres`);
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      if (code === 'ECONNREFUSED') return 'nothing listens there';
      reason ||= message.replace(/\.$/, '');
    }
  }
  return reason;
}

export type OwnDatabase = { name: string; url: string; remove: () => Promise<void> };

/** Creates a database with a new name. The demo never writes to any other database. */
export async function createOwnDatabase({ url }: PostgresServer): Promise<OwnDatabase> {
  const name = `halyard_demo_${randomBytes(4).toString('hex')}`;
  await query(url, `create database ${name}`);
  const ownUrl = new URL(url);
  ownUrl.pathname = `/${name}`;
  return {
    name,
    url: ownUrl.href,
    remove: async () => void (await query(url, `drop database if exists ${name} with (force)`)),
  };
}

/** Lists databases that demos kept, or left behind when they were killed, if nothing is connected to them. */
export async function listOldDatabases({ url }: PostgresServer): Promise<string[]> {
  const rows = await query<{ name: string }>(
    url,
    `select datname as name from pg_database d
     where datname ~ '^halyard_demo_[0-9a-f]{8}$'
       and not exists (select from pg_stat_activity a where a.datname = d.datname)
     order by datname`,
  );
  return rows.map(({ name }) => name);
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
