import { randomBytes } from 'node:crypto';
import type { App } from '@halyard/plane/platform/http/app.ts';
import type { SliceLimits } from '@halyard/plane/serving/evaluation/slices.ts';
import type { StreamLimits } from '@halyard/plane/serving/streaming/limits.ts';
import { afterAll, beforeAll, inject } from 'vitest';
import { type AppSettings, buildApp } from '../app.ts';
import type { ConsoleFiles } from '../console/files.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { DEFAULT_LIMITS, DEFAULT_SCHEDULE, type Limits } from '../platform/config.ts';
import { type Db, openDb } from '../platform/db/database.ts';
import { LONG_READ_CONNECTIONS } from '../platform/http/protection/long-reads.ts';
import { copyDatabase, discardDatabase, getDatabaseUrl } from './database.ts';
import { watchEvents } from './operation-events.ts';
import { PUBLIC_URL } from './public-url.ts';
import { strictSerializer } from './strict-serializer.ts';

export const ADMIN_TOKEN = '*:*.an-admin-token-for-tests-0123456789';

export const APP_SETTINGS = {
  poolSize: 8,
  publicUrl: PUBLIC_URL,
  logLevel: 'silent',
  trustedProxies: [] as string[],
  limits: DEFAULT_LIMITS,
  // A test makes all its requests as one caller.
  writeLimit: { perMinute: 0, burst: 1 },
  maxStreams: 1_000,
  metricsToken: undefined,
  secretKey: Buffer.alloc(32, 7),
  oldSecretKeys: [] as Buffer[],
  allowedTargets: [],
  // Tests deliver to receivers on this machine.
  allowPrivateTargets: true,
  deliverySchedule: DEFAULT_SCHEDULE,
  disableAfterHours: 120,
  disabledAuthorization: [],
};

/** A test makes all its requests as one caller. Each can take a second on a busy machine, but none should be rejected for waiting. */
const PATIENT_TIMEOUT_MS = 120_000;
const PATIENT_SESSION = {
  statement_timeout: `${PATIENT_TIMEOUT_MS}ms`,
  lock_timeout: `${PATIENT_TIMEOUT_MS}ms`,
  idle_in_transaction_session_timeout: `${PATIENT_TIMEOUT_MS}ms`,
};

/**
 * A statement that runs in the background, once a minute per credential. If it were counted, statement counts would depend on the
 * time.
 */
const LAST_USE = /\bset seen_at = now\(\)/;
/** A statement that runs in the background after a change that SDKs notice. */
const NOTIFICATION = /select pg_notify\(channel, ''\) from unnest/;

export type Harness = {
  databaseUrl: string;
  db: Db;
  app: App;
  /** The statements that the server has run so far, except those that record the last use of a credential. */
  statements: string[];
  /** Starts a second server on the same database, optionally with different settings. */
  secondServer: (
    settings?: Partial<AppSettings>,
    streams?: Partial<StreamLimits>,
    consoleFiles?: ConsoleFiles,
    evaluation?: Partial<SliceLimits>,
  ) => Promise<App>;
};

/** Sets up a database copied from the template and an application on it, for the tests of one file. */
export function useHarness({ limits = {} }: { limits?: Partial<Limits> } = {}): Harness {
  const name = `halyard_test_${randomBytes(6).toString('hex')}`;
  const harness = { databaseUrl: getDatabaseUrl(name), statements: [] as string[] } as Harness;
  const openServers: { db: Db; longReadDb: Db; app: App }[] = [];

  const openServer = async (
    settings: Partial<AppSettings> = {},
    streams: Partial<StreamLimits> = {},
    consoleFiles?: ConsoleFiles,
    evaluation: Partial<SliceLimits> = {},
  ) => {
    const connection = {
      url: harness.databaseUrl,
      connectTimeoutMs: PATIENT_TIMEOUT_MS,
      queryTimeoutMs: PATIENT_TIMEOUT_MS + 2_000,
      session: PATIENT_SESSION,
      onError: () => {},
      onQuery: (sql: string) => {
        if (!LAST_USE.test(sql) && !NOTIFICATION.test(sql)) harness.statements.push(sql);
      },
    };
    const db = openDb({ ...connection, poolSize: 8 });
    const longReadDb = openDb({ ...connection, poolSize: LONG_READ_CONNECTIONS, preparedStatements: false });
    const app = await buildApp(
      db,
      { ...APP_SETTINGS, limits: { ...DEFAULT_LIMITS, ...limits }, ...settings },
      {
        ...strictSerializer,
        longReadDb,
        streams,
        evaluation,
        requests: { waitMs: PATIENT_TIMEOUT_MS },
        longReads: { waitMs: PATIENT_TIMEOUT_MS },
        ...(consoleFiles && { consoleFiles }),
      },
    );
    watchEvents(app.operations.values());
    await app.ready();
    openServers.push({ db, longReadDb, app });
    return { db, app };
  };

  beforeAll(async () => {
    await copyDatabase(inject('template'), name);
    Object.assign(harness, await openServer());
    harness.secondServer = async (...options) => (await openServer(...options)).app;
    await createInitialAdminTokens(harness.db, [ADMIN_TOKEN]);
  });
  afterAll(async () => {
    for (const { app, db, longReadDb } of openServers) {
      await app.close();
      await longReadDb.destroy();
      await db.destroy();
    }
    // A test worker keeps the modules of its test files in memory, including this harness, so what it refers to is released.
    openServers.length = 0;
    harness.statements.length = 0;
    Object.assign(harness, { app: undefined, db: undefined, secondServer: undefined });
    await discardDatabase(name);
  });
  return harness;
}
