// Starts the real server as a process, and a proxy in front of its database. Only files in this folder import server sources. The
// tests use the server through its pages and its public API.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../../server/src/test/database.ts';
import { startProcess, stopProcess } from '../../../server/src/test/process.ts';
import { startTcpProxy } from '../../../server/src/test/tcp-proxy.ts';

export type ConsoleServer = {
  url: string;
  adminToken: string;
  databaseUrl: string;
  stop: () => Promise<void>;
};

const SECRET_KEY = randomBytes(32).toString('base64');

const newDatabaseName = (): string => `halyard_console_${randomBytes(6).toString('hex')}`;

/** Starts a server with a proxy in front of its database, so that a test can cut and restore the connection. */
export async function startServerBehindProxy(template: string) {
  const name = newDatabaseName();
  const url = new URL(getDatabaseUrl(name));
  const proxy = await startTcpProxy(url.hostname, Number(url.port || 5432));
  url.host = `127.0.0.1:${proxy.port}`;
  const server = await startServer(template, { DATABASE_URL: url.href }, name);
  return {
    ...server,
    cutDatabase: proxy.cut,
    restoreDatabase: proxy.restore,
    stop: async () => {
      proxy.restore();
      await server.stop();
      await proxy.close();
    },
  };
}

/** Starts a server with the built console on a copy of the template. The URL has `localhost`, which browsers trust like HTTPS. */
export async function startServer(
  template: string,
  env: Record<string, string> = {},
  name = newDatabaseName(),
): Promise<ConsoleServer> {
  const adminToken = `*:*.${randomBytes(24).toString('hex')}`;
  await copyDatabase(template, name);
  const running = await startOn(name, { HALYARD_INIT_ADMIN_TOKENS: adminToken, ...env });
  return {
    url: `http://localhost:${running.port}`,
    adminToken,
    databaseUrl: getDatabaseUrl(name),
    stop: async () => {
      await stopProcess(running);
      await discardDatabase(name);
    },
  };
}

const startOn = (database: string, env: Record<string, string>) =>
  startProcess({
    DATABASE_URL: getDatabaseUrl(database),
    HALYARD_SECRET_KEY: SECRET_KEY,
    // Tests deliver to receivers on this machine.
    HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
    // Several servers run at a time, and PostgreSQL accepts only 100 connections for all of them together.
    HALYARD_POOL_SIZE: '4',
    LOG_LEVEL: 'warn',
    ...env,
  });

/** Starts a server that can be killed and restarted. A load balancer keeps the URL the same. */
export async function startRestartableServer(template: string) {
  const name = newDatabaseName();
  const env = { HALYARD_INIT_ADMIN_TOKENS: `*:*.${randomBytes(24).toString('hex')}` };
  await copyDatabase(template, name);
  let running = await startOn(name, env);
  const target = { url: running.url };
  const loadBalancer = await startLoadBalancer(target);
  return {
    url: loadBalancer.url,
    adminToken: env.HALYARD_INIT_ADMIN_TOKENS,
    databaseUrl: getDatabaseUrl(name),
    kill: () => stopProcess(running, 'SIGKILL'),
    restart: async () => {
      running = await startOn(name, env);
      target.url = running.url;
    },
    stop: async () => {
      await loadBalancer.close();
      await stopProcess(running);
      await discardDatabase(name);
    },
  };
}

/** A load balancer between the browser and Halyard, which can simulate failures. */
export type LoadBalancer = {
  url: string;
  /** `down` accepts no connections. `updated` serves a different version of the console, which lacks this version's files. */
  state: 'up' | 'down' | 'updated';
  /** Requests to these paths fail with this status. 502 means that the load balancer cannot reach the server. */
  broken?: { paths: RegExp; status: 500 | 502 };
  /** How many of the next API requests are rejected with 429, as a busy server would do. */
  requestsToReject: number;
  /** How many of the next writes lose their response. The server still applies these writes. */
  responsesToLose: number;
  /** Closes all connections, including event streams. */
  cut: () => void;
  close: () => Promise<void>;
};

/** Starts a load balancer for the target, whose URL may change when the server restarts. */
export async function startLoadBalancer(target: { url: string }): Promise<LoadBalancer> {
  const loadBalancer: LoadBalancer = {
    url: '',
    state: 'up',
    requestsToReject: 0,
    responsesToLose: 0,
    cut: () => {},
    close: async () => {},
  };
  const server = createServer((request, response) => {
    const { method, url: path = '', headers } = request;
    if (loadBalancer.state === 'down') return request.socket.destroy();
    if (loadBalancer.broken?.paths.test(path)) return response.writeHead(loadBalancer.broken.status).end();
    if (loadBalancer.state === 'updated' && path.startsWith('/assets/')) return response.writeHead(404).end();
    if (loadBalancer.state === 'updated' && path === '/index.html')
      return response.writeHead(200).end('<script type="module" src="/assets/main-new.js"></script>');
    if (path.startsWith('/api/admin/') && loadBalancer.requestsToReject > 0) {
      loadBalancer.requestsToReject--;
      return response.writeHead(429, { 'Retry-After': '1' }).end();
    }
    const { port } = new URL(target.url);
    const isLost = method !== 'GET' && path.startsWith('/api/admin/') && loadBalancer.responsesToLose-- > 0;
    const forwarded = forward({ host: '127.0.0.1', port, method, path, headers }, from => {
      if (isLost) {
        from.resume();
        return void from.on('end', () => request.socket.destroy());
      }
      response.writeHead(from.statusCode ?? 502, from.headers);
      from.on('error', () => response.destroy());
      from.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    return request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  loadBalancer.url = `http://localhost:${port}`;
  loadBalancer.cut = () => server.closeAllConnections();
  loadBalancer.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return loadBalancer;
}
