import { enableCompileCache } from 'node:module';

// Enabled before anything else is loaded, because a restart spends most of its time compiling unchanged code.
enableCompileCache();

const { readServerOptions } = await import('./platform/command-line.ts');
const { readConfig } = await import('./platform/config.ts');
const { unknownVariables } = await import('./platform/variables.ts');

const STOP_WITHIN_MS = 9_000;

const once = (work: () => void) => {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
};

readServerOptions();
for (const warning of unknownVariables(process.env)) process.stderr.write(`Warning: ${warning}\n`);

const { exitWith } = await import('./platform/start-errors.ts');

let databaseUrl: string | undefined;
try {
  const config = readConfig(process.env);
  ({ databaseUrl } = config);
  // Loading the server takes 2 s of CPU time, so configuration and database errors are reported before that.
  const { findStartSnapshots } = await import('./publishing/snapshots/start.ts');
  const snapshots = await findStartSnapshots(config, {
    warn: (fields, message) => process.stderr.write(`Warning: ${message} ${JSON.stringify(fields)}\n`),
  });
  const { startServer } = await import('./server.ts');
  const { reportUnhandled } = await import('./platform/unhandled.ts');
  const server = await startServer(config, snapshots);
  reportUnhandled(server.app);
  const stop = () => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    server.stop().then(
      () => process.exit(0),
      error => {
        server.app.log.fatal({ err: error }, 'stop failed');
        process.exit(1);
      },
    );
  };
  const stopOnce = once(stop);
  process.once('SIGTERM', () => {
    const delaySeconds = config.shutdownDelaySeconds;
    server.app.log.info({ signal: 'SIGTERM', delaySeconds }, 'stopping');
    server.drain();
    setTimeout(stopOnce, delaySeconds * 1_000);
    process.once('SIGTERM', stopOnce);
  });
  // SIGINT is usually Ctrl+C in a terminal, so there is no proxy that must stop sending requests first.
  process.once('SIGINT', () => {
    server.app.log.info({ signal: 'SIGINT' }, 'stopping');
    stopOnce();
  });
} catch (error) {
  exitWith(error, databaseUrl);
}
