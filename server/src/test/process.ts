import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';

export type RunningServer = {
  process: ChildProcess;
  port: number;
  url: string;
  /** Everything that the process has written so far. */
  output: () => string;
};

export const SOURCE_MAIN = new URL('../main.ts', import.meta.url).pathname;
/** Matters only for a process that hangs, because a test notices immediately if a process exits. */
const READY_TIMEOUT_MS = 180_000;
/** Servers that must be running and free of unhandled errors after each test (test/watch-servers.ts). */
export const watchedServers = new Set<RunningServer>();

/** Stops watching a server that the test expects to exit or to report an unhandled error. */
export const unwatch = (server: RunningServer): void => {
  watchedServers.delete(server);
};

/**
 * The next port to try, below the ports that the operating system uses for outgoing connections. Workers have adjacent process ids,
 * so their ranges start far apart.
 */
let nextPort = 20_000 + ((process.pid * 97) % 12_000);

/** Returns a port that no server uses, because a different server's ready response would be mistaken for the new server's. */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** Returns this test run's bundle (test/server-bundle.ts), which takes 1.1 s of CPU time to start. The sources take 2.5 s. */
const getDefaultMain = (): string => process.env.SERVER_BUNDLE ?? SOURCE_MAIN;

/** Starts the real server as a separate process. */
export function spawnServer(
  env: Record<string, string>,
  main = getDefaultMain(),
  args: string[] = [],
): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      PATH: process.env.PATH,
      ...COMPILE_CACHE,
      // The cache is removed with the bundle, which has a different path in every run.
      ...(main === process.env.SERVER_BUNDLE && { NODE_COMPILE_CACHE: join(dirname(main), 'compiled') }),
      // A test sends all its requests as a single caller, which would reach the limit.
      HALYARD_WRITES_PER_MINUTE: '0',
      HALYARD_SHUTDOWN_DELAY_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', chunk => chunks.push(String(chunk)));
  child.stderr.on('data', chunk => chunks.push(String(chunk)));
  return { child, output: () => chunks.join('') };
}

export async function startProcess(
  env: Record<string, string>,
  withinMs = READY_TIMEOUT_MS,
  main = getDefaultMain(),
  args: string[] = [],
): Promise<RunningServer> {
  const port = await findFreePort();
  const startedAt = performance.now();
  const { child, output } = spawnServer({ HOST: '127.0.0.1', PORT: String(port), ...env }, main, args);
  const url = `http://127.0.0.1:${port}`;
  while (performance.now() - startedAt < withinMs && child.exitCode === null) {
    const ready = await fetch(`${url}/ready`).catch(() => undefined);
    if (ready?.status === 200) {
      const server = { process: child, port, url, output };
      watchedServers.add(server);
      return server;
    }
    await new Promise(resolve => setTimeout(resolve, 30));
  }
  child.kill('SIGKILL');
  // Another program took the port, so this tries the next one.
  if (/EADDRINUSE|another process uses this port/.test(output()))
    return await startProcess(env, withinMs, main, args);
  throw new Error(`The server did not become ready:\n${output()}`);
}

/** Sends the signal and returns the exit code and how long it took. */
export async function stopProcess(server: { process: ChildProcess }, signal: NodeJS.Signals = 'SIGTERM') {
  const startedAt = performance.now();
  const exit = once(server.process, 'exit');
  server.process.kill(signal);
  const [code] = await exit;
  return { code: code as number | null, ms: performance.now() - startedAt };
}
