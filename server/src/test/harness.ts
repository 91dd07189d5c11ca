import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import type { App } from '../../../plane/src/platform/http/app.ts';
import type { SliceLimits } from '../../../plane/src/serving/evaluation/slices.ts';
import type { StreamLimits } from '../../../plane/src/serving/streaming/limits.ts';
import { type AppSettings, buildApp } from '../app.ts';
import type { ConsoleFiles } from '../console/files.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { DEFAULT_LIMITS, DEFAULT_SCHEDULE, type Limits } from '../platform/config.ts';
import { type Db, openDb } from '../platform/db/database.ts';
import { LONG_READ_CONNECTIONS } from '../platform/http/protection/long-reads.ts';
import { copyDatabase, discardDatabase, urlOf } from './database.ts';
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
};

/** A test makes all its requests as one caller. On a busy machine each takes a second, and none may be rejected because it waited too long. */
const PATIENCE_MS = 120_000;
const PATIENT_SESSION = {
  statement_timeout: `${PATIENCE_MS}ms`,
  lock_timeout: `${PATIENCE_MS}ms`,
  idle_in_transaction_session_timeout: `${PATIENCE_MS}ms`,
};

/** Runs in the background, once a minute per credential, so statement counts would depend on the time. */
const LAST_USE = /\bset seen_at = now\(\)/;
/** Runs in the background after a change that SDKs notice. */
const WAKING = /select pg_notify\(channel, ''\) from unnest/;

export type Harness = {
  databaseUrl: string;
  db: Db;
  app: App;
  /** The statements that the server has run so far, except those that record the last use of a credential. */
  statements: string[];
  /** Another server on the same database, possibly with different settings. */
  secondServer: (
    settings?: Partial<AppSettings>,
    streams?: Partial<StreamLimits>,
    consoleFiles?: ConsoleFiles,
    evaluation?: Partial<SliceLimits>,
  ) => Promise<App>;
};

/** A database copied from the template and an application on it, for the tests of one file. */
export function useHarness({ limits = {} }: { limits?: Partial<Limits> } = {}): Harness {
  const name = `halyard_test_${randomBytes(6).toString('hex')}`;
  const harness = { databaseUrl: urlOf(name), statements: [] as string[] } as Harness;
  const opened: { db: Db; longReadDb: Db; app: App }[] = [];

  const open = async (
    settings: Partial<AppSettings> = {},
    streams: Partial<StreamLimits> = {},
    consoleFiles?: ConsoleFiles,
    evaluation: Partial<SliceLimits> = {},
  ) => {
    const connection = {
      url: harness.databaseUrl,
      connectTimeoutMs: PATIENCE_MS,
      queryTimeoutMs: PATIENCE_MS + 2_000,
      session: PATIENT_SESSION,
      onError: () => {},
      onQuery: (sql: string) => {
        if (!LAST_USE.test(sql) && !WAKING.test(sql)) harness.statements.push(sql);
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
        requests: { waitMs: PATIENCE_MS },
        longReads: { waitMs: PATIENCE_MS },
        ...(consoleFiles && { consoleFiles }),
      },
    );
    watchEvents(app.operations.values());
    await app.ready();
    opened.push({ db, longReadDb, app });
    return { db, app };
  };

  beforeAll(async () => {
    await copyDatabase(inject('template'), name);
    Object.assign(harness, await open());
    harness.secondServer = async (...options) => (await open(...options)).app;
    await createInitialAdminTokens(harness.db, [ADMIN_TOKEN]);
  });
  afterAll(async () => {
    for (const { app, db, longReadDb } of opened) {
      await app.close();
      await longReadDb.destroy();
      await db.destroy();
    }
    // The worker keeps the modules of its test files, and with them this harness.
    opened.length = 0;
    harness.statements.length = 0;
    Object.assign(harness, { app: undefined, db: undefined, secondServer: undefined });
    await discardDatabase(name);
  });
  return harness;
}
