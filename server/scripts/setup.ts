// Makes a clone ready to start: a migrated database, demo data, a .env file with fresh secrets.
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createInitialAdminTokens } from '../src/api-tokens/create.ts';
import { openDb } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { makeDemoData } from './demo.ts';
import { readEnvFile, writeEnvFile } from './env-file.ts';
import { runScript } from './run.ts';

/** In the folder it runs in, which is the clone. */
const ENV_FILE = new URL('.env', pathToFileURL(`${process.cwd()}/`));

/** What a first setup writes, unless the environment says otherwise. */
const fresh: Record<string, string> = {
  DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/halyard',
  HALYARD_INIT_ADMIN_TOKENS: `*:*.${randomBytes(24).toString('base64url')}`,
  HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
};
/** What a later setup changes in .env if the environment says otherwise. A secret key is never replaced: it may be in use. */
const REPLACEABLE = ['DATABASE_URL', 'HALYARD_INIT_ADMIN_TOKENS', 'PORT'];

const kept = readEnvFile(ENV_FILE);

await runScript({ ...fresh, ...kept, ...process.env }, async config => {
  await ensureDatabase(config.databaseUrl);
  await migrate(config.databaseUrl);
  const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
  await createInitialAdminTokens(db, config.initAdminTokens);
  const people = await makeDemoData(db);
  await db.destroy();
  // Last: .env never names a database that is not ready.
  const written = writeChoices();

  const [adminToken] = config.initAdminTokens;
  const shown = [
    ...(adminToken === undefined ? [] : [{ name: 'Admin token', token: adminToken }]),
    ...people.map(({ name, token, password }) => ({ name, token: `${token}   password ${password}` })),
  ];
  console.log(`
The database is ready, with demo data.${written.length === 0 ? '' : `\nWrote ${written.join(', ')} to .env.`}

${shown.map(({ name, token }) => `  ${name.padEnd(13)} ${token}`).join('\n')}

The admin token is in .env too; the others, and the passwords, are not shown again.

Next:  npm start
Then:  curl -H 'Authorization: ${adminToken ?? people[0]?.token}' '${config.publicUrl}/api/admin/search/events?limit=3'
`);
});

/** Writes to .env what it lacks, and what the environment gives another value. Returns the names. */
function writeChoices(): string[] {
  const wanted = Object.entries({ ...fresh, PORT: '' }).map(([name, fallback]) => {
    const given = process.env[name] || undefined;
    const replaced = REPLACEABLE.includes(name) ? given : undefined;
    return [name, replaced ?? kept[name] ?? given ?? fallback] as const;
  });
  const changes = wanted.filter(([name, value]) => value !== '' && value !== kept[name]);
  if (changes.length > 0) writeEnvFile(ENV_FILE, Object.fromEntries(changes));
  return changes.map(([name]) => name);
}

/** Creates the database of the URL if PostgreSQL does not have it. */
async function ensureDatabase(url: string): Promise<void> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
  } catch (error) {
    console.error(
      'Setup needs a running PostgreSQL: docker compose up -d --wait starts one. For another one: DATABASE_URL=postgres://… npm run setup',
    );
    throw error;
  }
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  await client.end();
}
