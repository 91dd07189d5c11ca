import { createInitialAdminTokens } from './api-tokens/create.ts';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { type Db, openDb } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import type { App } from './http/app.ts';
import { type Log, migrateJobs, startWorker } from './worker/jobs.ts';

export type Server = { app: App; stop: () => Promise<void> };

/** Brings the database up to date, then serves requests and runs jobs until it is stopped. */
export async function startServer(config: Config): Promise<Server> {
  const db: Db = openDb({
    url: config.databaseUrl,
    poolSize: config.poolSize,
    onError: error => app.log.warn({ err: error }, 'database connection lost'),
  });
  const app = await buildApp(db, config);
  await migrateDatabase(db, config.databaseUrl, app.log);
  await createInitialAdminTokens(db, config.initAdminTokens);
  await app.listen({ host: config.host, port: config.port });
  const stopWorker = await startWorker(config.databaseUrl, db, app.log);

  return {
    app,
    stop: async () => {
      await app.close();
      await stopWorker();
      await db.destroy();
    },
  };
}

/** Applies what is pending, to our tables and to those of the job engine; a new version of either comes as a migration. */
export async function migrateDatabase(db: Db, databaseUrl: string, log: Log): Promise<string[]> {
  const applied = await migrate(db);
  if (applied.length > 0) {
    await migrateJobs(databaseUrl, log);
    log.info({ applied }, 'migrated');
  }
  return applied;
}
