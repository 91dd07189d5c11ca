import { enableCompileCache } from 'node:module';

// Before anything else is loaded: a restart spends most of its time compiling what did not change.
enableCompileCache();

const { readServerOptions } = await import('./platform/command-line.ts');
const { readConfig } = await import('./platform/config.ts');
const { unknownVariables } = await import('./platform/variables.ts');

const STOP_WITHIN_MS = 9_000;

readServerOptions();
for (const warning of unknownVariables(process.env)) process.stderr.write(`Warning: ${warning}\n`);

const { exitWith } = await import('./platform/start-errors.ts');

let databaseUrl: string | undefined;
try {
  const config = readConfig(process.env);
  ({ databaseUrl } = config);
  // The server takes 2 s of CPU time to load. An error in the configuration or of the database is reported before that.
  const { checkDatabase } = await import('./platform/db/migrate.ts');
  await checkDatabase(config.databaseUrl);
  const { startServer } = await import('./server.ts');
  const { reportUnhandled } = await import('./platform/unhandled.ts');
  const server = await startServer(config);
  reportUnhandled(server.app);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.app.log.info({ signal }, 'stopping');
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
      server.stop().then(
        () => process.exit(0),
        error => {
          server.app.log.fatal({ err: error }, 'stop failed');
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  exitWith(error, databaseUrl);
}
