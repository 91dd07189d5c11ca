// Makes a clone ready to start: a .env file with fresh secrets, a migrated database, demo data.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import pg from 'pg';
import { createInitialAdminTokens } from '../src/api-tokens/create.ts';
import { readConfig } from '../src/config.ts';
import { openDb } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { makeDemoData } from './demo.ts';
import { sayDatabase } from './say-database.ts';

const ENV_FILE = new URL('../../.env', import.meta.url);
const DEFAULT_URL = 'postgres://postgres@127.0.0.1:5432/halyard';

const fresh: Record<string, string> = {
  DATABASE_URL: DEFAULT_URL,
  HALYARD_INIT_ADMIN_TOKENS: `*:*.${randomBytes(24).toString('base64url')}`,
  HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
};
const kept = existsSync(ENV_FILE) ? parseEnv(readFileSync(ENV_FILE, 'utf8')) : {};
const config = readConfig({ ...fresh, ...kept, ...process.env });

sayDatabase(config.databaseUrl);
await ensureDatabase(config.databaseUrl);
// Only now: an address that does not answer is not worth keeping.
if (!existsSync(ENV_FILE)) {
  const chosen = { ...fresh, ...pick(process.env, [...Object.keys(fresh), 'PORT']) };
  const lines = Object.entries(chosen).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(ENV_FILE, lines.join(''), { mode: 0o600 });
}
const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
await migrate(config.databaseUrl);
await createInitialAdminTokens(db, config.initAdminTokens);
const people = await makeDemoData(db);
await db.destroy();

const [adminToken] = config.initAdminTokens;
const shown = [
  ...(adminToken === undefined ? [] : [{ name: 'Admin token', token: adminToken }]),
  ...people.map(({ name, token, password }) => ({ name, token: `${token}   password ${password}` })),
];
console.log(`
The database is ready, with demo data.

${shown.map(({ name, token }) => `  ${name.padEnd(13)} ${token}`).join('\n')}

The admin token is in .env too; the others, and the passwords, are not shown again.

Next:  npm start
Then:  curl -H 'Authorization: ${adminToken ?? people[0]?.token}' '${config.publicUrl}/api/admin/search/events?limit=3'
`);

/** Creates the database of the address if the server does not have it. */
async function ensureDatabase(url: string): Promise<void> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href });
  try {
    await client.connect();
  } catch (error) {
    console.error(
      `PostgreSQL does not answer at ${server.host} (${(error as Error).message}).\n` +
        'Start it, for instance with: docker compose up -d --wait\nor name another one: DATABASE_URL=postgres://… npm run setup',
    );
    process.exit(1);
  }
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  await client.end();
}

function pick(env: NodeJS.ProcessEnv, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])));
}
