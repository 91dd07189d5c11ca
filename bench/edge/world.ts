import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { bundle } from '../../scripts/package/bundle.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../server/src/test/process.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { cpuUsOf } from '../measure.ts';
import { must } from '../requests.ts';
import { fillDocuments } from '../sdk/data.ts';
import { type Server, startServer } from '../server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Collects garbage on a signal, so that memory can be compared. */
const NODE_OPTIONS = `--expose-gc --import=data:text/javascript,process.on('SIGUSR2',()=>{gc();gc()})`;

export type Edge = RunningServer & {
  pid: number;
  /** From the start of the process until /ready says 200. */
  readyMs: number;
  cpuMs: number;
  folder: string;
  stop: (signal?: NodeJS.Signals) => Promise<void>;
};

type Start = { folder?: string; upstream?: string; enrolment?: string; env?: Record<string, string> };

/** A server with a separate database and 10,000 flags in production, which can start edges. */
export type World = {
  url: URL;
  client: pg.Client;
  server: Server;
  /** Between edges and the server. */
  proxy: TcpProxy;
  startEdge: (start?: Start) => Promise<Edge>;
  /** Creates an edge token, and returns its secret and enrolment. */
  enrol: (projects?: string[]) => Promise<{ secret: string; enrolment: string }>;
  remove: () => Promise<void>;
};

export async function makeWorld(flags: number): Promise<World> {
  process.setMaxListeners(0);
  process.env.HALYARD_SECRET_KEY = randomBytes(32).toString('base64');
  const name = `halyard_edge_bench_${randomBytes(4).toString('hex')}`;
  const url = new URL(urlOf(name));
  const base = mkdtempSync(join(tmpdir(), 'halyard-edge-bench-'));
  await bundle({ root: ROOT, folder: base, entries: { edge: 'edge/src/main.ts' }, maps: 'none' });
  // The package has this file too. Without it, Node.js would parse each file twice to find out that it is a module.
  writeFileSync(join(base, 'package.json'), '{"type":"module"}');
  await createDatabase(name);
  const server = await startServer(url);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await fillDocuments(client, flags);
  const proxy = await startTcpProxy('127.0.0.1', Number(new URL(server.url).port));
  const running = new Set<Edge>();
  process.once('exit', () => {
    for (const { process: child } of running) child.kill('SIGKILL');
  });

  const enrol: World['enrol'] = async projects =>
    (await must(server.url, 'POST', '/api/admin/api-tokens', {
      tokenName: 'bench edge',
      type: 'edge',
      environment: 'production',
      ...(projects && { projects }),
    })) as { secret: string; enrolment: string };
  const { enrolment: usual } = await enrol();

  return {
    url,
    client,
    server,
    proxy,
    enrol,
    startEdge: async ({
      folder = mkdtempSync(join(base, 'data-')),
      upstream = `http://127.0.0.1:${proxy.port}`,
      enrolment = usual,
      env = {},
    } = {}) => {
      const began = performance.now();
      const started = await startProcess(
        {
          HALYARD_EDGE_ENROLMENT: enrolment,
          HALYARD_EDGE_UPSTREAM: upstream,
          HALYARD_DATA_DIR: folder,
          NODE_COMPILE_CACHE: join(base, 'compiled'),
          NODE_OPTIONS,
          ...env,
        },
        undefined,
        join(base, 'edge.js'),
      );
      const readyMs = performance.now() - began;
      const pid = started.process.pid ?? 0;
      const edge: Edge = {
        ...started,
        pid,
        readyMs,
        cpuMs: (await cpuUsOf(pid)) / 1_000,
        folder,
        stop: async (signal = 'SIGTERM') => {
          running.delete(edge);
          await stopProcess(started, signal);
        },
      };
      running.add(edge);
      return edge;
    },
    remove: async () => {
      for (const edge of running) await edge.stop('SIGKILL');
      await proxy.close();
      await client.end();
      await server.stop();
      await dropDatabase(name);
      rmSync(base, { recursive: true });
    },
  };
}

/** What an SDK with this token gets. */
export async function statusOf(url: string, token: string): Promise<number> {
  const { status, body } = await readFlags(url, token);
  await body?.cancel();
  return status;
}

/** Waits until the edge serves the same bytes with the same ETag as the server. Returns false if it does not in time. */
export async function untilEqual(server: string, edge: string, token: string): Promise<boolean> {
  for (let n = 0; n < 600; n++) {
    const [own, through] = await Promise.all([readFlags(server, token), readFlags(edge, token)]);
    const [a, b] = await Promise.all([own.text(), through.text()]);
    if (a === b && own.headers.get('etag') === through.headers.get('etag')) return true;
    await sleep(100);
  }
  return false;
}

/** Reads the flags as the SDK for Node.js does. */
export const readFlags = (url: string, token: string, etag?: string): Promise<Response> =>
  fetch(`${url}/api/client/features`, {
    headers: {
      authorization: token,
      'unleash-client-spec': '5.2.0',
      ...(etag !== undefined && { 'if-none-match': etag }),
    },
  });
