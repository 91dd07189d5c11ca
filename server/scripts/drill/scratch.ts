import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { boundedConnection, MIGRATION_TIMEOUT_MS } from '../../src/platform/db/database.ts';
import { StartError } from '../../src/platform/start-error.ts';
import { explainStartError } from '../../src/platform/start-errors.ts';

export type Scratch = { url: string; name: string; drop: () => Promise<void>; keep: () => Promise<void> };

/** The start of a scratch database's comment. The name of the drilled database follows. */
export const SCRATCH_COMMENT = 'Scratch database of a halyard drill of ';

/** Runs work with a connection that has no statement timeout. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...boundedConnection(url, 'drill', MIGRATION_TIMEOUT_MS),
    options: '-c timezone=UTC -c statement_timeout=0',
  });
  // The running statement rejects anyway, but without a listener the process would exit.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Prepares the server at the URL, and creates an empty database on it for a drill of the database `source`. */
export async function createScratch(
  serverUrl: string,
  source: string,
  prepare: (server: pg.Client) => Promise<void>,
): Promise<Scratch> {
  const name = `halyard_drill_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const run = (statement: string) =>
    withClient(serverUrl, async client => {
      await client.query(statement);
    });
  await withClient(serverUrl, async client => {
    await prepare(client);
    // Based on template0, because the dump includes anything that an administrator added to template1.
    await client.query(`create database ${name} template template0`);
  }).catch(error => {
    throw scratchError(error, serverUrl);
  });
  // Opens the session before it sets the comment, because a later drill removes a database that has this comment but no session.
  const session = await connect(url.href);
  await session.query(`comment on database ${name} is ${pg.escapeLiteral(`${SCRATCH_COMMENT}${source}`)}`);
  return {
    url: url.href,
    name,
    drop: async () => {
      await run(`drop database if exists ${name} with (force)`);
      await session.end().catch(() => {});
    },
    keep: async () => {
      await run(`comment on database ${name} is null`);
      await session.end().catch(() => {});
    },
  };
}

function scratchError(error: unknown, serverUrl: string): unknown {
  if (error instanceof pg.DatabaseError && error.code === '42501') {
    const { username, host } = new URL(serverUrl);
    const role = decodeURIComponent(username) || 'of the URL';
    return new StartError(
      `Role ${role} at ${host} has no permission to create the scratch database. Grant it with: alter role ${role} createdb. Or choose a different PostgreSQL server with --scratch.`,
      { cause: error },
    );
  }
  const reason = explainStartError(error, serverUrl);
  return reason === undefined
    ? error
    : new StartError(`No scratch database: ${reason.replaceAll('DATABASE_URL', 'the URL of --scratch')}`, {
        cause: error,
      });
}
