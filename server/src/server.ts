import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../plane/src/platform/errors.ts';
import type { App } from '../../plane/src/platform/http/app.ts';
import { keepCurrent } from '../../plane/src/serving/state/keep-current.ts';
import type { Snapshot } from '../../plane/src/snapshot/format.ts';
import { keepSnapshots } from '../../plane/src/snapshot/keep-snapshots.ts';
import { signingKeyOf } from '../../plane/src/snapshot/keys.ts';
import { makeStandIn, type StandIn } from '../../plane/src/snapshot/stand-in.ts';
import { buildApp, integrationSettings } from './app.ts';
import { loadConsole } from './console/files.ts';
import { loadHelp } from './console/help.ts';
import { checkSealed } from './delivery/integrations/reseal.ts';
import { deliveryMetrics } from './delivery/sending/metrics.ts';
import { createInitialAdminTokens } from './people/api-tokens/initial-admin-tokens.ts';
import { checkClientSecret } from './people/auth-settings/secret.ts';
import { createFirstAdmin, hasUserOrAdminToken } from './people/users/first-admin.ts';
import { type Config, ConfigError } from './platform/config.ts';
import { readBudget } from './platform/db/connection-budget.ts';
import { type Db, type OpenPool, openDb } from './platform/db/database.ts';
import { migrate } from './platform/db/migrate.ts';
import { type Pools, poolMetrics } from './platform/db/pool-metrics.ts';
import { checkPooler } from './platform/db/pooler.ts';
import { makeWriteState, writeMetrics } from './platform/db/write-state.ts';
import {
  LONG_READ_CONNECTIONS,
  LONG_READ_WAIT_MS,
  SEARCH_CONNECTIONS,
} from './platform/http/protection/long-reads.ts';
import { makeSender } from './platform/outgoing/send.ts';
import { cannotListen } from './platform/start-errors.ts';
import { snapshotSettings } from './publishing/snapshots/start.ts';
import { listenForChanges } from './publishing/source/database-source.ts';
import { keepFlushing } from './reporting/metrics/keep-flushing.ts';
import { keepWriting } from './reporting/reach/keep-writing.ts';
import { jobMetrics } from './worker/metrics.ts';
import { startWorker } from './worker/worker.ts';

/**
 * Connections that may wait to be accepted. When the SDKs of another server reconnect to this one, they all come at the same
 * time. Connections beyond this number are established only when their clients retry, after up to half a minute. The default of
 * Node.js is 511.
 */
const BACKLOG = 4_096;
const WORKER_CONNECTIONS = 2;
const SDK_CONNECTIONS = 2;
const METRICS_CONNECTIONS = 1;
/** The connections of the job engine, the two listeners and the process that indexes events. One that publishes to NATS has one more. */
const OTHER_CONNECTIONS = 6;
/** Pools that get a connection before all others. Without them, flags would become outdated and SDK reports would be lost. */
const RESERVED = ['sdk', 'metrics'];
/** How long a server that started without its database waits between attempts to reach it. */
const RETRY_MS = 500;
const STOP_WAITING_AFTER_MS = 1_000;
/** For the operator of a new server that nobody can log in to. */
const FIRST_ACCESS =
  'Nobody can log in. Set HALYARD_INIT_ADMIN_USERNAME and HALYARD_INIT_ADMIN_PASSWORD, or HALYARD_INIT_ADMIN_TOKENS, and restart the server.';

export type Server = {
  app: App;
  /** Tells proxies that the server is about to stop. It serves requests until `stop` is called. */
  drain: () => void;
  stop: () => Promise<void>;
};

/**
 * Brings the database up to date, then serves requests and runs jobs until it is stopped. With snapshots, it serves them to SDKs
 * immediately, and does the rest when the database responds.
 */
export async function startServer(config: Config, snapshots: readonly Snapshot[] = []): Promise<Server> {
  const pools: Pools = new Map();
  const writeState = makeWriteState();
  const opened = new Map<string, OpenPool>();
  const others = (): OpenPool[] =>
    [...opened].filter(([name]) => !RESERVED.includes(name)).map(([, pool]) => pool);
  const connection = (pool: string) => ({
    url: config.databaseUrl,
    name: pool,
    sessionOptions: config.directUrl === config.databaseUrl,
    onRefused: () => {
      for (const other of others())
        if (RESERVED.includes(pool)) other.makeRoom();
        else other.closeIdle();
    },
    onError: (error: Error) => app.log.warn({ err: error }, 'database connection lost'),
    onReadOnly: writeState.noteReadOnly,
    onQuery: (sql: string) => app.log.trace({ sql }, 'statement'),
    onOpen: (one: OpenPool) => {
      opened.set(pool, one);
      pools.set(pool, one.use);
    },
  });
  const db: Db = openDb({
    ...connection('requests'),
    poolSize: config.poolSize,
    preparedStatements: config.preparedStatements,
  });
  // A separate pool, so that requests and deliveries do not wait for each other. Statements are planned each time, because the
  // tables of a queue are empty now and have thousands of rows a minute later.
  const workerDb: Db = openDb({
    ...connection('jobs'),
    poolSize: WORKER_CONNECTIONS,
    preparedStatements: false,
  });
  const longWait = { preparedStatements: false, connectTimeoutMs: LONG_READ_WAIT_MS };
  const longReadDb: Db = openDb({
    ...connection('long-reads'),
    ...longWait,
    poolSize: LONG_READ_CONNECTIONS,
  });
  const searchDb: Db = openDb({ ...connection('search'), ...longWait, poolSize: SEARCH_CONNECTIONS });
  // A separate pool, so that SDKs get changes while all other connections are busy.
  const sdkDb: Db = openDb({ ...connection('sdk'), poolSize: SDK_CONNECTIONS, preparedStatements: false });
  // A separate pool, so that a write of metrics that waits for a lock delays nothing else.
  const metricsDb: Db = openDb({
    ...connection('metrics'),
    poolSize: METRICS_CONNECTIONS,
    preparedStatements: false,
  });
  const [consoleFiles, help] = await Promise.all([loadConsole(), loadHelp()]);
  let standIn: StandIn | undefined;
  const app = await buildApp(db, config, {
    sourceOf: database => {
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
  poolMetrics(app.metrics, pools);
  writeMetrics(app.metrics, writeState);
  if (consoleFiles.problem !== undefined)
    app.log.warn({ problem: consoleFiles.problem }, 'console not loaded');
  const { keyring, targets } = integrationSettings(config);
  const sender = makeSender(targets);
  const observe = deliveryMetrics(app.metrics, workerDb);
  const onJobFailed = jobMetrics(app.metrics, workerDb);
  const flushing = keepFlushing(app.usage, metricsDb, app.log, app.metrics);
  const snapshotting = snapshotSettings(config);
  let stopServing: (() => Promise<void>) | undefined;
  let stopSnapshots: (() => Promise<void>) | undefined;
  let stopPublishing: (() => Promise<void>) | undefined;
  let stopWorker: (() => Promise<void>) | undefined;
  let writing: ReturnType<typeof keepWriting> | undefined;
  /** Does everything that needs the database. If it fails, it can be repeated. */
  const begin = async (): Promise<void> => {
    await migrate(config.directUrl, {
      onApplied: migration => app.log.info(migration, 'migration applied'),
      onWaiting: () => app.log.info('migration waits for another server'),
    });
    await checkPooler(db, config);
    await warnOfShortage(db, pools, OTHER_CONNECTIONS + (config.nats ? 1 : 0), app.log);
    await createInitialAdminTokens(db, config.initAdminTokens);
    if (config.initAdmin) await makeFirstAdmin(db, config.initAdmin);
    if (!(await hasUserOrAdminToken(db)))
      app.log.warn({ remedy: FIRST_ACCESS }, 'no user or admin token found');
    const unreadable = await checkSealed(db, keyring);
    if (unreadable.length > 0)
      app.log.error({ integrations: unreadable }, 'integration secrets not readable');
    await checkClientSecret(db, keyring);
    stopServing ??= await keepCurrent(app.serving, listenForChanges(config.directUrl), app.log, app.metrics);
    writing ??= keepWriting(app.reach, app.serving, metricsDb, app.log, app.metrics);
    if (snapshotting)
      stopSnapshots ??= keepSnapshots(
        app.serving,
        snapshotting.folder,
        snapshotting.key,
        app.log,
        app.metrics,
      );
    if (config.nats && config.secretKey) {
      // Loaded only by installations that use it.
      const { keepPublishing } = await import('./publishing/nats/keep-publishing.ts');
      stopPublishing ??= keepPublishing(
        {
          ...config.nats,
          databaseUrl: config.directUrl,
          key: signingKeyOf(config.secretKey),
          previousKey: config.oldSecretKeys[0] && signingKeyOf(config.oldSecretKeys[0]),
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
  const waiting = new AbortController();
  let begun: Promise<void> | undefined;
  const stop = async () => {
    waiting.abort();
    // An attempt to reach the database that is running now would start jobs. One that gets no response must not delay the end.
    await Promise.race([begun, sleep(STOP_WAITING_AFTER_MS, undefined, { ref: false })]);
    // Both at the same time: SDK streams end over 6 s, and jobs get 5 s. Most metrics are written before that, and the last ones after.
    await Promise.all([
      flushing.flush(),
      app
        .close()
        .then(() => Promise.all([stopServing?.(), stopSnapshots?.(), flushing.stop(), writing?.stop()])),
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
    // A caller that keeps running, such as the demo, may drop the database while jobs run.
    await stop();
    throw cannotListen(error, config.host, config.port);
  });
  app.log.info({ console: config.publicUrl, snapshot: app.serving.asOf }, 'server started');
  if (standIn) begun = beginWhenReachable(begin, app.log, waiting.signal);
  return { app, drain: app.drain.begin, stop };
}

/** Tries until the database responds, or the server is stopped. Meanwhile SDKs are served from snapshots. */
async function beginWhenReachable(
  begin: () => Promise<void>,
  log: App['log'],
  stopped: AbortSignal,
): Promise<void> {
  let logged: string | undefined;
  while (!stopped.aborted) {
    try {
      await begin();
      log.warn({}, 'database reached, snapshots no longer needed');
      return;
    } catch (error) {
      // One line for each kind of problem, not two each second.
      const problem = (error as Error).message;
      if (problem !== logged) log.error({ err: error }, 'database not usable, retrying');
      logged = problem;
    }
    await sleep(RETRY_MS, undefined, { signal: stopped }).catch(() => {});
  }
}

/** With too few PostgreSQL connections, a server works, but responds with 503 under load. */
async function warnOfShortage(db: Db, pools: Pools, others: number, log: App['log']): Promise<void> {
  const perServer = [...pools.values()].reduce((sum, use) => sum + use().size, others);
  const { available, limitedBy, otherServers } = await readBudget(db);
  const needed = perServer * (otherServers + 1);
  if (needed > available)
    log.warn(
      { needed, available, limitedBy, servers: otherServers + 1, perServer },
      'too few database connections',
    );
}

async function makeFirstAdmin(db: Db, admin: { username: string; password: string }): Promise<void> {
  await createFirstAdmin(db, admin.username, admin.password).catch(error => {
    if (!(error instanceof ApiError) || error.name !== 'BadDataError') throw error;
    throw new ConfigError(error.details.map(({ message }) => `HALYARD_INIT_ADMIN_USERNAME: ${message}`));
  });
}
