import { enableCompileCache } from 'node:module';

// Before anything else is loaded: a restart spends most of its time compiling what did not change.
enableCompileCache();

const { ConfigError, readConfig } = await import('./config.ts');
const { startServer } = await import('./server.ts');
const { asRefusal } = await import('./db/failures.ts');
const { MigrationError } = await import('./db/migration-error.ts');
const { reportUnhandled } = await import('./unhandled.ts');

const STOP_WITHIN_MS = 9_000;

try {
  const server = await startServer(readConfig(process.env));
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
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

/** For the operator's terminal: a stack only for what should not happen. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof MigrationError) return error.message;
  const { message, code, stack } = error as NodeJS.ErrnoException;
  return asRefusal(error)
    ? `Halyard cannot start, PostgreSQL does not let it in: ${message || code}`
    : String(stack);
}
