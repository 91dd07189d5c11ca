import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { startTcpProxy, type TcpProxy } from '../server/src/test/tcp-proxy.ts';

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
export const ADMIN_TOKEN = `*:*.${randomBytes(24).toString('hex')}`;

export type Server = { url: string; pid: number; isRunning: () => boolean; stop: () => Promise<void> };

type ServerOptions = {
  port?: number | undefined;
  shutdownDelaySeconds?: number;
  env?: Record<string, string>;
};

export async function startServer(
  database: URL,
  { port: fixedPort, shutdownDelaySeconds = 0, env = {} }: ServerOptions = {},
): Promise<Server> {
  const port = fixedPort ?? (await findFreePort());
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      DATABASE_URL: database.href,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
      HALYARD_WRITES_PER_MINUTE: '0',
      HALYARD_SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds),
      ...env,
    },
    stdio: ['ignore', 2, 2],
  });
  const url = `http://127.0.0.1:${port}`;
  const reportExit = (code: number | null, signal: string | null) =>
    console.error(`server exited: ${signal ?? `code ${code}`}`);
  child.once('exit', reportExit);
  // The server must not outlive this process.
  process.once('exit', () => child.kill('SIGKILL'));
  process.once('SIGTERM', () => process.exit(143));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const stop = async () => {
    child.off('exit', reportExit);
    if (!isRunning()) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  for (let n = 0; n < 1_200 && child.exitCode === null; n++) {
    const ready = await fetch(`${url}/ready`).catch(() => undefined);
    const { pid } = child;
    if (ready?.status === 200 && pid !== undefined) {
      return { url, pid, isRunning, stop };
    }
    await sleep(100);
  }
  await stop();
  throw new Error('The server did not start within 2 minutes');
}

export type ProxiedServers = {
  proxy: TcpProxy;
  servers: Server[];
  /** Starts a server to replace one that was killed, on the same port. */
  restart: (index: number) => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts a proxy in front of the database that can cut or freeze its connections. */
export async function startProxy(database: URL): Promise<{ proxy: TcpProxy; throughProxy: URL }> {
  const proxy = await startTcpProxy(database.hostname, Number(database.port || 5432));
  const throughProxy = new URL(database);
  throughProxy.host = `127.0.0.1:${proxy.port}`;
  return { proxy, throughProxy };
}

/** Starts two servers that share one database proxy, which can cut or freeze their connections. */
export async function startProxiedServers(database: URL): Promise<ProxiedServers> {
  const { proxy, throughProxy } = await startProxy(database);
  const servers = [await startServer(throughProxy), await startServer(throughProxy)];
  const ports = servers.map(server => Number(new URL(server.url).port));
  return {
    proxy,
    servers,
    restart: async index => {
      servers[index] = await startServer(throughProxy, { port: ports[index] });
    },
    stop: async () => {
      for (const server of servers) await server.stop();
    },
  };
}

/** Reads the search index's lag in seconds from the metrics. If its parts lag differently, the largest lag counts. */
async function readIndexLag(server: string): Promise<number> {
  const response = await fetch(`${server}/internal-backstage/prometheus`);
  const text = await response.text();
  const partLags = [...text.matchAll(/^halyard_event_index_lag_seconds{part="\w+"} (\S+)/gm)];
  if (partLags.length === 0) throw new Error('The metrics do not contain the lag of the search index');
  return Math.max(...partLags.map(match => Number(match[1])));
}

/** Waits until the server has indexed the log, so that a benchmark does not measure that work. */
export async function waitForIndex(server: string): Promise<void> {
  const start = performance.now();
  while ((await readIndexLag(server)) > 0) {
    if (performance.now() - start > 3_600_000)
      throw new Error('The search index is not complete after 1 hour');
    await sleep(1_000);
  }
  console.error(`search index complete after ${((performance.now() - start) / 1_000).toFixed(0)} s`);
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Prints processors, memory, versions and load of this machine. */
export async function printMachine(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string; buffers: string }>(
    `select current_setting('server_version') as version, current_setting('shared_buffers') as buffers`,
  );
  console.log(
    `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, ` +
      `PostgreSQL ${rows[0]?.version}, shared_buffers ${rows[0]?.buffers}, load ${loadavg()[0]?.toFixed(1)} at the start\n`,
  );
}
