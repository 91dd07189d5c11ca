// Prepares a clone so that it can be started: a migrated database, demo data, and a .env file with fresh secrets.
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createInitialAdminTokens } from '../src/people/api-tokens/initial-admin-tokens.ts';
import type { Config } from '../src/platform/config.ts';
import { openDb } from '../src/platform/db/database.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { cannotCreateDatabase, withHintIfRefused } from '../src/platform/start-errors.ts';
import { readEnvFile, writeEnvFile } from './env-file.ts';
import { describeDatabase } from './print-database.ts';
import { runScript } from './run.ts';
import { type DemoPerson, makeDemoData } from './setup-data.ts';

/** In the working directory, which is the clone. */
const ENV_FILE = new URL('.env', pathToFileURL(`${process.cwd()}/`));

/** The variables that the first setup writes, unless the environment sets them. */
const fresh: Record<string, string> = {
  DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/halyard',
  HALYARD_INIT_ADMIN_TOKENS: `*:*.${randomBytes(24).toString('base64url')}`,
  HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
};
/** The variables that a later setup updates in .env from the environment. It never replaces a secret key, which may be in use. */
const REPLACEABLE = ['DATABASE_URL', 'HALYARD_INIT_ADMIN_TOKENS', 'PORT'];

/** The PostgreSQL error code. */
const NO_SUCH_DATABASE = '3D000';
const START_POSTGRES =
  'docker compose up -d --wait postgres starts a PostgreSQL on port 5432. To use another one: DATABASE_URL=postgres://… npm run setup';

const kept = readEnvFile(ENV_FILE);

export async function prepareClone(): Promise<void> {
  await runScript({ ...fresh, ...kept, ...process.env }, async config => {
    await ensureDatabase(config.databaseUrl);
    await migrate(config.databaseUrl);
    const db = openDb({
      url: config.databaseUrl,
      poolSize: 2,
      onError: error => console.warn(error.message),
    });
    await createInitialAdminTokens(db, config.initAdminTokens);
    const people = await makeDemoData(db);
    await db.destroy();
    // Last, so that .env never names a database that is not ready.
    const written = writeChoices();
    console.log(summaryOf(config, people, written));
  });
}

function summaryOf(config: Config, people: DemoPerson[], written: string[]): string {
  const [adminToken] = config.initAdminTokens;
  const state =
    people.length > 0
      ? 'The database is ready, with demo data.'
      : 'The database is ready. It already had users, so setup added no demo data.';
  const secrets = [
    ...(adminToken === undefined ? [] : [{ name: 'Admin token', token: adminToken }]),
    ...people.map(({ name, token, password }) => ({ name, token: `${token}   password ${password}` })),
  ].map(({ name, token }) => `  ${name.padEnd(13)} ${token}`);
  const notes = [
    ...(adminToken === undefined ? [] : ['The admin token is also in .env.']),
    ...(people.length === 0 ? [] : ['The tokens and passwords of the users are not shown again.']),
  ];
  const next = `Next:  npm start
Then:  open ${config.publicUrl} and log in, or
       curl -H 'Authorization: ${adminToken ?? people[0]?.token ?? '<token>'}' '${config.publicUrl}/api/admin/search/events?limit=3'`;
  const parts = [[state, ...written].join('\n'), secrets.join('\n'), notes.join(' '), next];
  return `\n${parts.filter(part => part !== '').join('\n\n')}\n`;
}

/** Adds missing variables to .env, and updates those that the environment sets differently. Returns a sentence for each kind of change. */
function writeChoices(): string[] {
  const wanted = Object.entries({ ...fresh, PORT: '' }).map(([name, fallback]) => {
    const given = process.env[name] || undefined;
    const replaced = REPLACEABLE.includes(name) ? given : undefined;
    return [name, replaced ?? kept[name] ?? given ?? fallback] as const;
  });
  const changes = wanted.filter(([name, value]) => value !== '' && value !== kept[name]);
  if (changes.length > 0) writeEnvFile(ENV_FILE, Object.fromEntries(changes));
  const added = changes.filter(([name]) => !kept[name]).map(([name]) => name);
  return [
    ...(added.length === 0 ? [] : [`Wrote ${added.join(', ')} to .env.`]),
    ...changes.flatMap(([name, value]) => (kept[name] ? [replacement(name, kept[name], value)] : [])),
  ];
}

/** Shows the old and the new value of a replaced variable, unless it is a secret. */
function replacement(name: string, before: string, after: string): string {
  const shown = (value: string) =>
    name === 'DATABASE_URL' ? describeDatabase(value) : name === 'PORT' ? value : undefined;
  const [was, is] = [shown(before), shown(after)];
  return was === undefined || was === is
    ? `Replaced ${name} in .env.`
    : `Replaced ${name} in .env: it was ${was}, it is now ${is}.`;
}

/** Creates the database in the URL if it does not exist. */
async function ensureDatabase(url: string): Promise<void> {
  try {
    await query(url, 'select');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== NO_SUCH_DATABASE)
      throw withHintIfRefused(error, url, START_POSTGRES);
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    const server = new URL(url);
    server.pathname = '/postgres';
    await query(server.href, `create database ${pg.escapeIdentifier(name)}`).catch(failure => {
      throw cannotCreateDatabase(failure, url);
    });
  }
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
