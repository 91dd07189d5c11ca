import { enableCompileCache } from 'node:module';

// Enabled before anything else is loaded: an edge that restarts must be ready within a second.
enableCompileCache();

const { EdgeConfigError, readEdgeConfig } = await import('./config.ts');
const { makeLog } = await import('./log.ts');
const { VERSION } = await import('./version.ts');

const STOP_WITHIN_MS = 9_000;
const log = makeLog(line => process.stdout.write(line));

const HELP = `Usage: halyard edge

Serves flags to SDKs near the applications, without a database. It reads them from the Halyard server
that created its enrolment, and continues with what it has if that server is unreachable.

Environment variables:
  HALYARD_EDGE_ENROLMENT   the string from the server, or a file that contains it in HALYARD_EDGE_ENROLMENT_FILE
  HALYARD_DATA_DIR         a folder for the flags and for unsent metrics, so that the edge starts without the server
  HALYARD_EDGE_UPSTREAM    URL of the server or edge to read from, if it is not the one in the enrolment
  HALYARD_EDGE_NATS_URL    URLs of NATS servers, if the feed is also published to NATS
  HALYARD_EDGE_NATS_NKEY   seed of the nkey for NATS, or a file that contains it in HALYARD_EDGE_NATS_NKEY_FILE
  HOST, PORT               where to listen (127.0.0.1, 4242)
  HALYARD_MAX_STREAMS      maximum number of SDK streams (10000)
  HALYARD_TRUSTED_PROXIES  IP addresses of proxies whose X-Forwarded-For is trusted
  HALYARD_METRICS_TOKEN    token that is required for /metrics
`;

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  process.stdout.write(HELP);
  process.exit(0);
}

if (process.argv.length > 2) {
  // The message does not quote the arguments, because one of them may be an enrolment, which is a secret.
  process.stderr.write(
    'halyard edge has no options. It reads its settings from environment variables. Run halyard edge --help to list them.\n',
  );
  process.exit(2);
}

try {
  const config = readEdgeConfig(process.env);
  const { startEdge } = await import('./edge.ts');
  const edge = await startEdge(config, VERSION, log);
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    edge.stop().then(
      () => process.exit(0),
      error => {
        log.error({ err: error }, 'stop failed');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
} catch (error) {
  const message =
    error instanceof EdgeConfigError ? error.message : String((error as Error).message ?? error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
