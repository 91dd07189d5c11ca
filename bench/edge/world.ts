import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { bundle } from '../../scripts/package/bundle.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../server/src/test/process.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { readCpuUs } from '../measure.ts';
import { createMemoryProbe, type MemoryProbe } from '../memory.ts';
import { mustSend } from '../requests.ts';
import { fillDocuments } from '../sdk/data.ts';
import { type Server, startServer } from '../server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export type Edge = RunningServer & {
  pid: number;
  /** The time from the start of the process until /ready returns 200. */
  readyMs: number;
  cpuMs: number;
  folder: string;
  stop: (signal?: NodeJS.Signals) => Promise<void>;
};

type StartOptions = { folder?: string; upstream?: string; enrolment?: string; env?: Record<string, string> };

/** A server with a separate database and flags in production, and functions that start and enrol edges. */
export type World = {
  url: URL;
  client: pg.Client;
  server: Server;
  /** Forwards connections from the edges to the server, and can cut them. */
  proxy: TcpProxy;
  startEdge: (start?: StartOptions) => Promise<Edge>;
  /** Creates an edge token, and returns its secret and enrolment. */
  enrol: (projects?: string[]) => Promise<{ secret: string; enrolment: string }>;
  /** Measures the memory of an edge. */
  memoryProbe: MemoryProbe;
  remove: () => Promise<void>;
};

export async function makeWorld(flags: number): Promise<World> {
  process.setMaxListeners(0);
  process.env.HALYARD_SECRET_KEY = randomBytes(32).toString('base64');
  const name = `halyard_edge_bench_${randomBytes(4).toString('hex')}`;
  const url = new URL(getDatabaseUrl(name));
  const baseFolder = mkdtempSync(join(tmpdir(), 'halyard-edge-bench-'));
  await bundle({ root: ROOT, folder: baseFolder, entries: { edge: 'edge/src/main.ts' }, maps: 'none' });
  // The published package has this file too. Without it, Node.js would parse each script twice to find out that it is a module.
  writeFileSync(join(baseFolder, 'package.json'), '{"type":"module"}');
  await createDatabase(name);
  const server = await startServer(url);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await fillDocuments(client, flags);
  const proxy = await startTcpProxy('127.0.0.1', Number(new URL(server.url).port));
  const memoryProbe = createMemoryProbe();
  const runningEdges = new Set<Edge>();
  process.once('exit', () => {
    for (const { process: child } of runningEdges) child.kill('SIGKILL');
  });

  const enrol: World['enrol'] = async projects =>
    (await mustSend(server.url, 'POST', '/api/admin/api-tokens', {
      tokenName: 'bench edge',
      type: 'edge',
      environment: 'production',
      ...(projects && { projects }),
    })) as { secret: string; enrolment: string };
  const { enrolment: defaultEnrolment } = await enrol();

  return {
    url,
    client,
    server,
    proxy,
    enrol,
    memoryProbe,
    startEdge: async ({
      folder = mkdtempSync(join(baseFolder, 'data-')),
      upstream = `http://127.0.0.1:${proxy.port}`,
      enrolment = defaultEnrolment,
      env = {},
    } = {}) => {
      const startedAt = performance.now();
      const runningProcess = await startProcess(
        {
          HALYARD_EDGE_ENROLMENT: enrolment,
          HALYARD_EDGE_UPSTREAM: upstream,
          HALYARD_DATA_DIR: folder,
          NODE_COMPILE_CACHE: join(baseFolder, 'compiled'),
          ...memoryProbe.env,
          ...env,
        },
        undefined,
        join(baseFolder, 'edge.js'),
      );
      const readyMs = performance.now() - startedAt;
      const pid = runningProcess.process.pid ?? 0;
      const edge: Edge = {
        ...runningProcess,
        pid,
        readyMs,
        cpuMs: (await readCpuUs(pid)) / 1_000,
        folder,
        stop: async (signal = 'SIGTERM') => {
          runningEdges.delete(edge);
          await stopProcess(runningProcess, signal);
        },
      };
      runningEdges.add(edge);
      return edge;
    },
    remove: async () => {
      for (const edge of runningEdges) await edge.stop('SIGKILL');
      await proxy.close();
      await client.end();
      await server.stop();
      await dropDatabase(name);
      rmSync(baseFolder, { recursive: true });
      memoryProbe.remove();
    },
  };
}

/** Returns the status that an SDK gets with this token. */
export async function readStatus(url: string, token: string): Promise<number> {
  const { status, body } = await readFlags(url, token);
  await body?.cancel();
  return status;
}

/** Waits until the edge serves the same bytes with the same ETag as the server. Returns false if that takes longer than a minute. */
export async function waitForEqualFlags(server: string, edge: string, token: string): Promise<boolean> {
  for (let n = 0; n < 600; n++) {
    const [fromServer, fromEdge] = await Promise.all([readFlags(server, token), readFlags(edge, token)]);
    const [serverBody, edgeBody] = await Promise.all([fromServer.text(), fromEdge.text()]);
    if (serverBody === edgeBody && fromServer.headers.get('etag') === fromEdge.headers.get('etag'))
      return true;
    await sleep(100);
  }
  return false;
}

/** Reads the flags as the Node.js SDK does. */
export const readFlags = (url: string, token: string, etag?: string): Promise<Response> =>
  fetch(`${url}/api/client/features`, {
    headers: {
      authorization: token,
      'unleash-client-spec': '5.2.0',
      ...(etag !== undefined && { 'if-none-match': etag }),
    },
  });
