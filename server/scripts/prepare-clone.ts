// Prepares a fresh clone to run: creates a migrated database, demo data, and a .env file with new secrets.
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createInitialAdminTokens } from '../src/people/api-tokens/initial-admin-tokens.ts';
import type { Config } from '../src/platform/config.ts';
import { openDb } from '../src/platform/db/database.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { addHintIfRefused, explainCreateError } from '../src/platform/start-errors.ts';
import { readEnvFile, writeEnvFile } from './env-file.ts';
import { describeDatabase } from './print-database.ts';
import { runScript } from './run.ts';
import { type DemoPerson, makeSetupData } from './setup-data.ts';

/** In the working directory, which is the root of the clone. */
const ENV_FILE = new URL('.env', pathToFileURL(`${process.cwd()}/`));

/** The variables that the first setup writes, unless the environment sets them. */
const defaults: Record<string, string> = {
  DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/halyard',
  HALYARD_INIT_ADMIN_TOKENS: `*:*.${randomBytes(24).toString('base64url')}`,
  HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
};
/** The variables that a later setup updates in .env from the environment. It never replaces a secret key, which may be in use. */
const REPLACEABLE = ['DATABASE_URL', 'HALYARD_INIT_ADMIN_TOKENS', 'PORT'];

/** PostgreSQL's error code for a missing database. */
const NO_SUCH_DATABASE = '3D000';
const START_POSTGRES =
  'docker compose up -d --wait postgres starts PostgreSQL on port 5432. To use a different server: DATABASE_URL=postgres://… npm run setup';

const storedVariables = readEnvFile(ENV_FILE);

export async function prepareClone(): Promise<void> {
  await runScript({ ...defaults, ...storedVariables, ...process.env }, async config => {
    await ensureDatabase(config.databaseUrl);
    await migrate(config.databaseUrl);
    const db = openDb({
      url: config.databaseUrl,
      poolSize: 2,
      onError: error => console.warn(error.message),
    });
    await createInitialAdminTokens(db, config.initAdminTokens);
    const people = await makeSetupData(db);
    await db.destroy();
    // Written last, so that .env never names a database that is not ready.
    const changes = updateEnvFile();
    console.log(formatSummary(config, people, changes));
  });
}

function formatSummary(config: Config, people: DemoPerson[], changes: string[]): string {
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
  const parts = [[state, ...changes].join('\n'), secrets.join('\n'), notes.join(' '), next];
  return `\n${parts.filter(part => part !== '').join('\n\n')}\n`;
}

/**
 * Adds missing variables to .env, and updates those that have a different value in the environment. Returns a sentence for each
 * kind of change.
 */
function updateEnvFile(): string[] {
  const variables = Object.entries({ ...defaults, PORT: '' }).map(([name, fallback]) => {
    const environmentValue = process.env[name] || undefined;
    const override = REPLACEABLE.includes(name) ? environmentValue : undefined;
    return [name, override ?? storedVariables[name] ?? environmentValue ?? fallback] as const;
  });
  const changes = variables.filter(([name, value]) => value !== '' && value !== storedVariables[name]);
  if (changes.length > 0) writeEnvFile(ENV_FILE, Object.fromEntries(changes));
  const addedNames = changes.filter(([name]) => !storedVariables[name]).map(([name]) => name);
  return [
    ...(addedNames.length === 0 ? [] : [`Wrote ${addedNames.join(', ')} to .env.`]),
    ...changes.flatMap(([name, value]) =>
      storedVariables[name] ? [describeReplacement(name, storedVariables[name], value)] : [],
    ),
  ];
}

/** Shows the old and the new value of a replaced variable, unless it is a secret. */
function describeReplacement(name: string, oldValue: string, newValue: string): string {
  const display = (value: string) =>
    name === 'DATABASE_URL' ? describeDatabase(value) : name === 'PORT' ? value : undefined;
  const [oldText, newText] = [display(oldValue), display(newValue)];
  return oldText === undefined || oldText === newText
    ? `Replaced ${name} in .env.`
    : `Replaced ${name} in .env: it was ${oldText}, it is now ${newText}.`;
}

/** Creates the database that the URL names if it does not exist. */
async function ensureDatabase(url: string): Promise<void> {
  try {
    await query(url, 'select');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== NO_SUCH_DATABASE)
      throw addHintIfRefused(error, url, START_POSTGRES);
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    const server = new URL(url);
    server.pathname = '/postgres';
    await query(server.href, `create database ${pg.escapeIdentifier(name)}`).catch(failure => {
      throw explainCreateError(failure, url);
    });
  }
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
