// Lets anyone with Node.js try Halyard: finds or downloads PostgreSQL, fills a new database with sample data, and starts a server
// on it.
import { randomBytes } from 'node:crypto';
import { readOptions, rejectOption, rejectUnused, version } from '../../src/platform/command-line.ts';
import { howToRun } from '../../src/platform/files.ts';
import { VARIABLES } from '../../src/platform/variables.ts';
import { atEnd, end, isEnding } from './cleanup.ts';
import type { PostgresServer } from './postgres-server.ts';
import { step } from './progress.ts';

const DEFAULT_PORT = 4242;
const DEFAULT_POSTGRES_PORT = '5432';

const RUN = howToRun('demo');
const options = readOptions({
  run: RUN,
  does: `Starts a server with sample data: three projects, four people and 60 days of history. It uses the PostgreSQL server in
DATABASE_URL. Without it, it tries port 5432, and if nothing listens there, it downloads PostgreSQL (24 MB). It writes only to a
new database, which it removes at the end.`,
  options: {
    keep: {
      type: 'boolean',
      default: false,
      meaning: 'Keep the database, and print how to start a server on it',
    },
    'postgres-port': {
      type: 'string',
      meaning: `Local port on which to look for a PostgreSQL server. Default: ${DEFAULT_POSTGRES_PORT}`,
    },
  },
  variables: {
    DATABASE_URL: {
      meaning: 'URL of a database on the PostgreSQL server to use, with a superuser',
      default: 'none',
    },
    PORT: { meaning: 'Port of the server', default: `${DEFAULT_PORT}, or a free port if it is in use` },
    HOST: { meaning: 'Address to listen on', default: '127.0.0.1' },
    LOG_LEVEL: { meaning: VARIABLES.LOG_LEVEL.meaning, default: 'error' },
  },
});

if (process.env.DATABASE_URL)
  rejectUnused(
    RUN,
    options,
    ['postgres-port'],
    'is not used, because DATABASE_URL names the PostgreSQL server',
  );
const postgresPort = Number(options['postgres-port'] ?? DEFAULT_POSTGRES_PORT);
if (!Number.isInteger(postgresPort) || postgresPort < 1 || postgresPort > 65_535)
  rejectOption(RUN, `--postgres-port must be a port from 1 to 65535, not '${options['postgres-port']}'`);

// Closing a terminal sends SIGHUP.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    process.stdout.write('\nStopping.\n');
    void end(0);
  });

/** The URL of the PostgreSQL server, once it is known. */
let databaseUrl: string | undefined;
/** Set when the demo is ready. Until then, --keep keeps nothing. */
let isDemoReady = false;

try {
  await showDemo();
} catch (error) {
  if (!isEnding()) {
    const { explainStartError } = await import('../../src/platform/start-errors.ts');
    console.error(`\n${explainStartError(error, databaseUrl) ?? (error as Error).message}`);
    await end(1);
  }
}

async function showDemo(): Promise<void> {
  console.log(`Halyard ${version()} demo`);
  const { host, port, logLevel } = await readSettings();
  const { createOwnDatabase } = await import('./postgres-server.ts');
  const { readConfig } = await import('../../src/platform/config.ts');
  // Started here, so that the module loads while PostgreSQL starts.
  const sampleData = import('./sample-data.ts');
  const server = await choosePostgres();
  databaseUrl = server.url;
  await printOldDatabases(server);
  const { name, url, remove } = await step(`PostgreSQL ${server.version}: new database`, () =>
    createOwnDatabase(server),
  );
  atEnd(async () => {
    if (!options.keep || !isDemoReady) await remove();
  });
  const adminToken = `*:*.${randomBytes(24).toString('hex')}`;
  const login = await step('Sample data: 3 projects, 4 people, 60 days of history', async () => {
    const { prepareSampleData } = await sampleData;
    return await prepareSampleData(url);
  });
  const { username, password, secretKey } = login;
  const config = readConfig({
    DATABASE_URL: url,
    PORT: String(port),
    HOST: host,
    LOG_LEVEL: logLevel,
    HALYARD_SECRET_KEY: secretKey,
    HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
    HALYARD_INIT_ADMIN_TOKENS: adminToken,
  });
  await step('Server', async () => {
    const { startServer } = await import('../../src/server.ts');
    const runningServer = await startServer(config);
    atEnd(runningServer.stop);
  });
  isDemoReady = true;
  console.log(`
Open   ${config.publicUrl}
Login  ${username}   password ${password}
API    ${config.publicUrl}/docs/   admin token ${adminToken}

Ctrl+C stops the server${options.keep ? ' and keeps' : ' and removes'} the database ${name}.`);
  if (options.keep) atEnd(async () => console.log(howToStart(url, secretKey)));
}

/** Reads the variables as the server does, and finds a free port for the server. Fails before the demo does any work. */
async function readSettings() {
  const { readConfig } = await import('../../src/platform/config.ts');
  const { findFreePort, probePort } = await import('./free-port.ts');
  const { DATABASE_URL, PORT, HOST, LOG_LEVEL } = process.env;
  const { host, port, logLevel } = readConfig({
    DATABASE_URL: DATABASE_URL || 'postgres://127.0.0.1/postgres',
    PORT: PORT || String(await findFreePort(DEFAULT_PORT)),
    HOST: HOST || '127.0.0.1',
    LOG_LEVEL: LOG_LEVEL || 'error',
  });
  const { explainListenError } = await import('../../src/platform/start-errors.ts');
  await probePort(host, port).catch(error => {
    throw explainListenError(error, host, port);
  });
  return { host, port, logLevel };
}

async function printOldDatabases(server: PostgresServer): Promise<void> {
  const { listOldDatabases } = await import('./postgres-server.ts');
  const names = await listOldDatabases(server);
  if (names.length === 0) return;
  const commands = names.map(name => `    dropdb --maintenance-db=${withoutPassword(server.url)} ${name}`);
  console.log(`  Earlier demos left databases that nothing uses. To remove them:\n${commands.join('\n')}`);
}

async function choosePostgres() {
  const { findLocal, inspect, UnsuitableError } = await import('./postgres-server.ts');
  if (process.env.DATABASE_URL) {
    databaseUrl = process.env.DATABASE_URL;
    return await inspect(databaseUrl).catch((error: Error) => {
      if (!(error instanceof UnsuitableError)) throw error;
      throw new Error(
        `The demo cannot use the PostgreSQL server in DATABASE_URL: ${error.message}. Unset DATABASE_URL to use a different one.`,
      );
    });
  }
  const localServer = await findLocal(postgresPort);
  if (typeof localServer !== 'string') return localServer;
  const { getCacheFolder, downloadPostgres, isDownloaded } = await import('./download.ts');
  const { startOwnPostgres } = await import('./own-postgres.ts');
  console.log(`  PostgreSQL on port ${postgresPort} is not used: ${localServer}.`);
  const cache = getCacheFolder(`${process.platform}-${process.arch}`);
  if (isDownloaded(cache)) console.log(`  PostgreSQL from an earlier demo is in ${cache}.`);
  const programs = isDownloaded(cache)
    ? await downloadPostgres()
    : await step(`Download PostgreSQL (24 MB) to ${cache}`, () => downloadPostgres(), true);
  const { keep } = options;
  const isKept = () => keep && isDemoReady;
  const ownServer = await step('Start PostgreSQL', () => startOwnPostgres(programs, { keep, isKept }));
  atEnd(async () => {
    if (isKept())
      console.log(`To remove PostgreSQL and the database:  kill ${ownServer.pid}; rm -r ${ownServer.folder}`);
  });
  return ownServer;
}

function howToStart(url: string, secretKey: string): string {
  return `To start a server on the database:  DATABASE_URL=${withoutPassword(url)} HALYARD_SECRET_KEY=${secretKey} ${howToRun('server')}`;
}

/** The password in DATABASE_URL belongs to the operator, so it is not printed. */
function withoutPassword(url: string): string {
  const printableUrl = new URL(url);
  if (process.env.DATABASE_URL && printableUrl.password !== '') printableUrl.password = 'PASSWORD';
  return printableUrl.href;
}
