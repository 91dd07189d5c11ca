import { buildApp, integrationSettings } from './app.ts';
import { loadConsole } from './console/files.ts';
import { checkSealed } from './delivery/integrations/reseal.ts';
import { deliveryMetrics } from './delivery/sending/metrics.ts';
import { createInitialAdminTokens } from './people/api-tokens/initial-admin-tokens.ts';
import { checkClientSecret } from './people/auth-settings/secret.ts';
import { createFirstAdmin } from './people/users/first-admin.ts';
import { type Config, ConfigError } from './platform/config.ts';
import { type Db, openDb, type PoolUse } from './platform/db/database.ts';
import { migrate } from './platform/db/migrate.ts';
import { type Pools, poolMetrics } from './platform/db/pool-metrics.ts';
import { ApiError } from './platform/errors.ts';
import type { App } from './platform/http/app.ts';
import { LONG_READ_CONNECTIONS, LONG_READ_WAIT_MS, SEARCH_CONNECTIONS } from './platform/http/long-reads.ts';
import { makeSender } from './platform/outgoing/send.ts';
import { cannotListen } from './platform/start-errors.ts';
import { keepFlushing } from './sdk/metrics/keep-flushing.ts';
import { keepCurrent } from './sdk/state/keep-current.ts';
import { jobMetrics } from './worker/metrics.ts';
import { startWorker } from './worker/worker.ts';

const WORKER_CONNECTIONS = 3;
const SDK_CONNECTIONS = 2;
const METRICS_CONNECTIONS = 1;

export type Server = { app: App; stop: () => Promise<void> };

/** Brings the database up to date, then serves requests and runs jobs until it is stopped. */
export async function startServer(config: Config): Promise<Server> {
  const pools: Pools = new Map();
  const connection = (pool: string) => ({
    url: config.databaseUrl,
    onError: (error: Error) => app.log.warn({ err: error }, 'database connection lost'),
    onQuery: (sql: string) => app.log.trace({ sql }, 'statement'),
    onOpen: (use: () => PoolUse) => pools.set(pool, use),
  });
  const db: Db = openDb({
    ...connection('requests'),
    poolSize: config.poolSize,
    preparedStatements: config.preparedStatements,
  });
  // Their own, so that neither requests nor deliveries wait for the other; and planned each time, since tables of a queue
  // are empty now and have thousands of rows a minute later.
  const workerDb: Db = openDb({
    ...connection('jobs'),
    poolSize: WORKER_CONNECTIONS,
    preparedStatements: false,
  });
  const patient = { preparedStatements: false, connectTimeoutMs: LONG_READ_WAIT_MS };
  const longReadDb: Db = openDb({
    ...connection('long-reads'),
    ...patient,
    poolSize: LONG_READ_CONNECTIONS,
  });
  const searchDb: Db = openDb({ ...connection('search'), ...patient, poolSize: SEARCH_CONNECTIONS });
  // Their own, so that SDKs get changes while all other connections are busy.
  const sdkDb: Db = openDb({ ...connection('sdk'), poolSize: SDK_CONNECTIONS, preparedStatements: false });
  // Its own, so that a write of metrics that waits for a lock delays nothing else.
  const metricsDb: Db = openDb({
    ...connection('metrics'),
    poolSize: METRICS_CONNECTIONS,
    preparedStatements: false,
  });
  const consoleFiles = await loadConsole();
  const app = await buildApp(db, config, { longReadDb, searchDb, sdkDb, consoleFiles });
  poolMetrics(app.metrics, pools);
  if (consoleFiles.problem !== undefined)
    app.log.warn({ problem: consoleFiles.problem }, 'console not loaded');
  await migrate(config.databaseUrl, {
    onApplied: migration => app.log.info(migration, 'migration applied'),
    onWaiting: () => app.log.info('migration waits for another server'),
  });
  await createInitialAdminTokens(db, config.initAdminTokens);
  if (config.initAdmin) await makeFirstAdmin(db, config.initAdmin);
  const { keyring, targets } = integrationSettings(config);
  const unreadable = await checkSealed(db, keyring);
  if (unreadable.length > 0) app.log.error({ integrations: unreadable }, 'integration secrets not readable');
  await checkClientSecret(db, keyring);
  const sender = makeSender(targets);
  const stopWorker = await startWorker(
    config.databaseUrl,
    workerDb,
    app.log,
    {
      send: sender.send,
      keyring,
      publicUrl: config.publicUrl,
      schedule: config.deliverySchedule,
      disableAfterHours: config.disableAfterHours,
      observe: deliveryMetrics(app.metrics, db),
    },
    jobMetrics(app.metrics, db),
    config.retention,
  );
  const stopServing = await keepCurrent(app.serving, config.databaseUrl, app.log, app.metrics);
  const flushing = keepFlushing(app.usage, metricsDb, app.log, app.metrics);
  const stop = async () => {
    // At the same time: the streams of SDKs end over 6 s, and jobs get 5 s. Most metrics are written before that, the last ones after.
    await Promise.all([
      flushing.flush(),
      app.close().then(() => Promise.all([stopServing(), flushing.stop()])),
      stopWorker(),
    ]);
    await sender.close();
    await workerDb.destroy();
    await longReadDb.destroy();
    await searchDb.destroy();
    await sdkDb.destroy();
    await metricsDb.destroy();
    await db.destroy();
  };
  await app.listen({ host: config.host, port: config.port }).catch(async error => {
    // A caller that goes on, such as the demo, may drop the database under the jobs.
    await stop();
    throw cannotListen(error, config.host, config.port);
  });
  app.log.info({ console: config.publicUrl }, 'server started');
  return { app, stop };
}

async function makeFirstAdmin(db: Db, admin: { username: string; password: string }): Promise<void> {
  await createFirstAdmin(db, admin.username, admin.password).catch(error => {
    if (!(error instanceof ApiError) || error.name !== 'BadDataError') throw error;
    throw new ConfigError(error.details.map(({ message }) => `HALYARD_INIT_ADMIN_USERNAME: ${message}`));
  });
}
