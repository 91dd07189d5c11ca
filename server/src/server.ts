import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { keepCurrent } from '@halyard/plane/serving/state/keep-current.ts';
import type { Snapshot } from '@halyard/plane/snapshot/format.ts';
import { keepSnapshots } from '@halyard/plane/snapshot/keep-snapshots.ts';
import { deriveSigningKey } from '@halyard/plane/snapshot/keys.ts';
import { makeStandIn, type StandIn } from '@halyard/plane/snapshot/stand-in.ts';
import { buildApp, integrationSettings } from './app.ts';
import { loadConsole } from './console/files.ts';
import { loadHelp } from './console/help.ts';
import { checkSealed } from './delivery/integrations/reseal.ts';
import { registerDeliveryMetrics } from './delivery/sending/metrics.ts';
import { createInitialAdminTokens } from './people/api-tokens/initial-admin-tokens.ts';
import { checkClientSecret } from './people/auth-settings/secret.ts';
import { createFirstAdmin, hasUserOrAdminToken } from './people/users/first-admin.ts';
import { type Config, ConfigError } from './platform/config.ts';
import { readBudget } from './platform/db/connection-budget.ts';
import { type Db, type OpenPool, openDb } from './platform/db/database.ts';
import { migrate } from './platform/db/migrate.ts';
import { type PoolUsageReaders, registerPoolMetrics } from './platform/db/pool-metrics.ts';
import { checkPooler } from './platform/db/pooler.ts';
import { makeWriteState, registerWriteStateMetrics } from './platform/db/write-state.ts';
import {
  LONG_READ_CONNECTIONS,
  LONG_READ_WAIT_MS,
  SEARCH_CONNECTIONS,
} from './platform/http/protection/long-reads.ts';
import { makeSender } from './platform/outgoing/send.ts';
import { explainListenError } from './platform/start-errors.ts';
import { getSnapshotSettings } from './publishing/snapshots/start.ts';
import { listenForChanges } from './publishing/source/database-source.ts';
import { startFlushLoop } from './reporting/metrics/flush-loop.ts';
import { startWriteLoop } from './reporting/reach/write-loop.ts';
import { registerJobMetrics } from './worker/metrics.ts';
import { startWorker } from './worker/worker.ts';

/**
 * The maximum number of connections that wait to be accepted. When the SDKs of another server reconnect to this one, they all
 * arrive at the same time. Connections beyond this number are established only when their clients retry, after up to half a
 * minute. The default of Node.js is 511.
 */
const BACKLOG = 4_096;
const WORKER_CONNECTIONS = 2;
const SDK_CONNECTIONS = 2;
const METRICS_CONNECTIONS = 1;
/** The connections of the job engine, the two listeners and the indexing process. Publishing to NATS takes one more. */
const OTHER_CONNECTIONS = 6;
/** Pools that get connections before all others. If they had none, flags would become outdated and SDK reports would be lost. */
const RESERVED_POOLS = ['sdk', 'metrics'];
/** How long a server that started without its database waits between attempts to reach it. */
const RETRY_MS = 500;
const STOP_WAITING_AFTER_MS = 1_000;
/** Tells the operator that nobody can log in to the new server. */
const FIRST_ACCESS =
  'Nobody can log in. Set HALYARD_INIT_ADMIN_USERNAME and HALYARD_INIT_ADMIN_PASSWORD, or HALYARD_INIT_ADMIN_TOKENS, and restart the server.';

export type Server = {
  app: App;
  /** Reports the server as not ready, so that proxies stop sending requests. It still serves requests until `stop` is called. */
  drain: () => void;
  stop: () => Promise<void>;
};

/**
 * Migrates the database, then serves requests and runs jobs until the server is stopped. With snapshots, it serves SDKs from them
 * immediately, and does the rest when the database responds.
 */
export async function startServer(config: Config, snapshots: readonly Snapshot[] = []): Promise<Server> {
  const usageReaders: PoolUsageReaders = new Map();
  const writeState = makeWriteState();
  const openPools = new Map<string, OpenPool>();
  const listOtherPools = (): OpenPool[] =>
    [...openPools].filter(([name]) => !RESERVED_POOLS.includes(name)).map(([, pool]) => pool);
  const connection = (pool: string) => ({
    url: config.databaseUrl,
    name: pool,
    sessionOptions: config.directUrl === config.databaseUrl,
    onTooManyConnections: () => {
      for (const other of listOtherPools())
        if (RESERVED_POOLS.includes(pool)) other.makeRoom();
        else other.closeIdle();
    },
    onError: (error: Error) => app.log.warn({ err: error }, 'database connection lost'),
    onReadOnly: writeState.noteReadOnly,
    onQuery: (sql: string) => app.log.trace({ sql }, 'statement'),
    onOpen: (openPool: OpenPool) => {
      openPools.set(pool, openPool);
      usageReaders.set(pool, openPool.usage);
    },
  });
  const db: Db = openDb({
    ...connection('requests'),
    poolSize: config.poolSize,
    preparedStatements: config.preparedStatements,
  });
  // Jobs have a separate pool, so that requests and deliveries do not wait for each other. Statements are planned each time,
  // because a queue table can be empty now and have thousands of rows a minute later.
  const workerDb: Db = openDb({
    ...connection('jobs'),
    poolSize: WORKER_CONNECTIONS,
    preparedStatements: false,
  });
  const longReadOptions = { preparedStatements: false, connectTimeoutMs: LONG_READ_WAIT_MS };
  const longReadDb: Db = openDb({
    ...connection('long-reads'),
    ...longReadOptions,
    poolSize: LONG_READ_CONNECTIONS,
  });
  const searchDb: Db = openDb({ ...connection('search'), ...longReadOptions, poolSize: SEARCH_CONNECTIONS });
  // SDKs have a separate pool, so that they get changes while all other connections are busy.
  const sdkDb: Db = openDb({ ...connection('sdk'), poolSize: SDK_CONNECTIONS, preparedStatements: false });
  // Metrics have a separate pool, so that a metrics write that waits for a lock delays nothing else.
  const metricsDb: Db = openDb({
    ...connection('metrics'),
    poolSize: METRICS_CONNECTIONS,
    preparedStatements: false,
  });
  const [consoleFiles, help] = await Promise.all([loadConsole(), loadHelp()]);
  let standIn: StandIn | undefined;
  const app = await buildApp(db, config, {
    wrapSource: database => {
      if (snapshots.length === 0) return database;
      standIn = makeStandIn(snapshots, database);
      return standIn.source;
    },
    longReadDb,
    searchDb,
    sdkDb,
    metricsDb,
    consoleFiles,
    help,
    isReadOnly: () => writeState.isReadOnly,
  });
  registerPoolMetrics(app.metrics, usageReaders);
  registerWriteStateMetrics(app.metrics, writeState);
  if (consoleFiles.problem !== undefined)
    app.log.warn({ problem: consoleFiles.problem }, 'console not loaded');
  const { keyring, targets } = integrationSettings(config);
  const sender = makeSender(targets);
  const observe = registerDeliveryMetrics(app.metrics, workerDb);
  const onJobFailed = registerJobMetrics(app.metrics, workerDb);
  const flusher = startFlushLoop(app.usage, metricsDb, app.log, app.metrics);
  const snapshotConfig = getSnapshotSettings(config);
  let stopServing: (() => Promise<void>) | undefined;
  let stopSnapshots: (() => Promise<void>) | undefined;
  let stopPublishing: (() => Promise<void>) | undefined;
  let stopWorker: (() => Promise<void>) | undefined;
  let reachWriter: ReturnType<typeof startWriteLoop> | undefined;
  /** Starts everything that needs the database. It can be retried if it fails. */
  const begin = async (): Promise<void> => {
    await migrate(config.directUrl, {
      onApplied: migration => app.log.info(migration, 'migration applied'),
      onWaiting: () => app.log.info('migration waiting for another server'),
    });
    await checkPooler(db, config);
    await warnOfShortage(db, usageReaders, OTHER_CONNECTIONS + (config.nats ? 1 : 0), app.log);
    await createInitialAdminTokens(db, config.initAdminTokens);
    if (config.initAdmin) await createConfiguredAdmin(db, config.initAdmin);
    if (!(await hasUserOrAdminToken(db)))
      app.log.warn({ remedy: FIRST_ACCESS }, 'no user or admin token found');
    const unreadableIntegrations = await checkSealed(db, keyring);
    if (unreadableIntegrations.length > 0)
      app.log.error({ integrations: unreadableIntegrations }, 'integration secrets not readable');
    await checkClientSecret(db, keyring);
    stopServing ??= await keepCurrent(app.serving, listenForChanges(config.directUrl), app.log, app.metrics);
    reachWriter ??= startWriteLoop(app.reach, app.serving, metricsDb, app.log, app.metrics);
    if (snapshotConfig)
      stopSnapshots ??= keepSnapshots(
        app.serving,
        snapshotConfig.folder,
        snapshotConfig.key,
        app.log,
        app.metrics,
      );
    if (config.nats && config.secretKey) {
      // The module is loaded only by installations that use NATS.
      const { keepPublishing } = await import('./publishing/nats/keep-publishing.ts');
      stopPublishing ??= keepPublishing(
        {
          ...config.nats,
          databaseUrl: config.directUrl,
          key: deriveSigningKey(config.secretKey),
          previousKey: config.oldSecretKeys[0] && deriveSigningKey(config.oldSecretKeys[0]),
        },
        app.serving,
        app.log,
        app.metrics,
      );
    }
    stopWorker ??= await startWorker(
      config.directUrl,
      workerDb,
      app.log,
      {
        send: sender.send,
        keyring,
        publicUrl: config.publicUrl,
        schedule: config.deliverySchedule,
        disableAfterHours: config.disableAfterHours,
        observe,
      },
      onJobFailed,
      config.retention,
    );
  };
  const waitController = new AbortController();
  let backgroundStart: Promise<void> | undefined;
  const stop = async () => {
    waitController.abort();
    // Waits for a running attempt to reach the database, which would still start jobs. The wait is short, because an attempt that
    // gets no response must not delay the shutdown.
    await Promise.race([backgroundStart, sleep(STOP_WAITING_AFTER_MS, undefined, { ref: false })]);
    // The app and the worker stop simultaneously, because SDK streams end over 6 s and jobs get 5 s. Most metrics are written
    // before that, and the rest afterwards.
    await Promise.all([
      flusher.flush(),
      app
        .close()
        .then(() => Promise.all([stopServing?.(), stopSnapshots?.(), flusher.stop(), reachWriter?.stop()])),
      stopPublishing?.(),
      stopWorker?.(),
    ]);
    await sender.close();
    await workerDb.destroy();
    await longReadDb.destroy();
    await searchDb.destroy();
    await sdkDb.destroy();
    await metricsDb.destroy();
    await db.destroy();
  };
  if (standIn) {
    await app.serving.refresh();
    await app.serving.loadAll();
    standIn.end();
  } else {
    await begin();
  }
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG }).catch(async error => {
    // Stops the jobs, because a caller that keeps running, such as the demo, may drop their database.
    await stop();
    throw explainListenError(error, config.host, config.port);
  });
  app.log.info({ console: config.publicUrl, snapshot: app.serving.copyTakenAt }, 'server started');
  if (standIn) backgroundStart = beginWhenReachable(begin, app.log, waitController.signal);
  return { app, drain: app.drain.begin, stop };
}

/** Retries until the database responds or the server is stopped. In the meantime, SDKs are served from snapshots. */
async function beginWhenReachable(
  begin: () => Promise<void>,
  log: App['log'],
  stopSignal: AbortSignal,
): Promise<void> {
  let lastProblem: string | undefined;
  while (!stopSignal.aborted) {
    try {
      await begin();
      log.warn({}, 'database reached, snapshots no longer needed');
      return;
    } catch (error) {
      // Logs one line for each kind of problem, rather than two per second.
      const problem = (error as Error).message;
      if (problem !== lastProblem) log.error({ err: error }, 'database not usable, retrying');
      lastProblem = problem;
    }
    await sleep(RETRY_MS, undefined, { signal: stopSignal }).catch(() => {});
  }
}

/** Warns if there are too few PostgreSQL connections, because the server then works but responds with 503 under load. */
async function warnOfShortage(
  db: Db,
  usageReaders: PoolUsageReaders,
  otherConnections: number,
  log: App['log'],
): Promise<void> {
  const perServer = [...usageReaders.values()].reduce(
    (sum, readUsage) => sum + readUsage().size,
    otherConnections,
  );
  const { available, limitedBy, connectedServers } = await readBudget(db);
  const neededConnections = perServer * (connectedServers + 1);
  if (neededConnections > available)
    log.warn(
      { needed: neededConnections, available, limitedBy, servers: connectedServers + 1, perServer },
      'too few database connections',
    );
}

async function createConfiguredAdmin(db: Db, admin: { username: string; password: string }): Promise<void> {
  await createFirstAdmin(db, admin.username, admin.password).catch(error => {
    if (!(error instanceof ApiError) || error.name !== 'BadDataError') throw error;
    throw new ConfigError(error.details.map(({ message }) => `HALYARD_INIT_ADMIN_USERNAME: ${message}`));
  });
}
