import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BusNames, busNames } from '@halyard/plane/feed/bus.ts';
import { type Enrolment, enrolmentText, readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import type { Frame } from '@halyard/plane/feed/frames.ts';
import { readBatch } from '@halyard/plane/feed/nats.ts';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess, unwatch } from '../../server/src/test/process.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { makeNatsServer, makeNatsServers, type NatsServer } from './nats-server.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const EDGE = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../server/scripts/nats-config.ts', import.meta.url));
export const POLL = { timeout: 120_000, interval: 50 };
export const SECRET_KEY = Buffer.alloc(32, 7);
const FEATURES = '/api/admin/projects/default/features';

/**
 * A database, a server that publishes to NATS, and NATS servers: one, or a cluster in which each has every stream. With `tls`,
 * they accept only TLS, with a certificate from a CA that this test creates.
 */
export function useNats({ nodes = 1, tls = false } = {}) {
  const database = `halyard_nats_${randomBytes(4).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'halyard-nats-'));
  const authority = join(folder, 'authority.pem');
  let cluster: NatsServer[] = [];
  let names: BusNames;
  let foreignNames: BusNames;
  let enrolment: Enrolment;
  let sdkToken: string;
  /** Forwards the edges' requests to the first server. */
  let proxy: TcpProxy;
  const servers: RunningServer[] = [];
  const edges: RunningServer[] = [];
  const connections: NatsConnection[] = [];

  const request = (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { ...init, signal: AbortSignal.timeout(POLL.timeout) });

  const admin = async (method: string, path: string, body?: object, server = servers[0]) => {
    const response = await request(`${server?.url}${path}`, {
      method,
      headers: { authorization: ADMIN, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
    return text === '' ? undefined : JSON.parse(text);
  };

  const createToken = (fields: object = {}): Promise<{ id: number; secret: string; enrolment?: string }> =>
    admin('POST', '/api/admin/api-tokens', {
      tokenName: `token ${Math.random()}`,
      type: 'backend',
      environment: 'production',
      ...fields,
    });

  const createFlag = (flag: string, server = servers[0]) => admin('POST', FEATURES, { name: flag }, server);

  const startServer = async (env: Record<string, string> = {}): Promise<RunningServer> => {
    const server = await startProcess({
      DATABASE_URL: getDatabaseUrl(database),
      HALYARD_INIT_ADMIN_TOKENS: ADMIN,
      HALYARD_SECRET_KEY: SECRET_KEY.toString('base64'),
      ...env,
    });
    servers.push(server);
    return server;
  };

  const firstNode = (): NatsServer => {
    const [node] = cluster;
    if (!node) throw new Error('NATS was not started');
    return node;
  };
  const authorityEnv = (): Record<string, string> => (tls ? { NODE_EXTRA_CA_CERTS: authority } : {});
  const withNats = (): Record<string, string> => ({
    HALYARD_NATS_URL: cluster.map(({ url }) => url).join(),
    HALYARD_NATS_NKEY_FILE: join(folder, 'publisher.nk'),
    HALYARD_NATS_REPLICAS: String(nodes),
    ...authorityEnv(),
  });

  const startEdge = async (
    natsUrls: string = cluster.map(({ url }) => url).join(),
    ownEnrolment: Enrolment = enrolment,
    env: Record<string, string> = authorityEnv(),
  ): Promise<RunningServer> => {
    const edge = await startProcess(
      {
        HALYARD_EDGE_ENROLMENT: enrolmentText(ownEnrolment),
        HALYARD_EDGE_NATS_URL: natsUrls,
        HALYARD_EDGE_NATS_NKEY_FILE: join(folder, `edge-${names.id}.nk`),
        ...env,
      },
      undefined,
      EDGE,
    );
    edges.push(edge);
    return edge;
  };

  const kill = async (server: RunningServer): Promise<void> => {
    unwatch(server);
    if (server.process.exitCode === null && server.process.signalCode === null)
      await stopProcess(server, 'SIGKILL');
  };

  const connectAs = async (file: string, urls?: string): Promise<NatsConnection> => {
    const seed = readFileSync(join(folder, `${file}.nk`))
      .toString()
      .trim();
    const nc = await connect({
      servers: urls ?? cluster.map(({ url }) => url),
      authenticator: nkeyAuthenticator(Buffer.from(seed)),
      maxReconnectAttempts: -1,
      ...(tls && { tls: { caFile: authority } }),
    });
    connections.push(nc);
    return nc;
  };

  const read = async (server: RunningServer | undefined) => {
    const response = await request(`${server?.url}/api/client/features`, {
      headers: { authorization: sdkToken, 'unleash-client-spec': '5.2.0' },
    });
    const body = await response.text();
    return { status: response.status, etag: response.headers.get('etag'), body };
  };

  const metric = async (process: RunningServer | undefined, metricName: string): Promise<number> => {
    const path = process && servers.includes(process) ? '/internal-backstage/prometheus' : '/metrics';
    const text = await (await request(`${process?.url}${path}`)).text();
    return Number(new RegExp(`^${metricName} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  };

  const waitUntilLive = (edge: RunningServer) =>
    expect.poll(() => metric(edge, 'halyard_edge_nats_live'), POLL).toBe(1);

  const waitUntilEqual = async (edge: RunningServer, server = servers[0]): Promise<void> => {
    await expect
      .poll(async () => {
        const [{ etag, body }, edgeResponse] = await Promise.all([read(server), read(edge)]);
        return (
          [edgeResponse.status, edgeResponse.etag, edgeResponse.body].join() === [200, etag, body].join()
        );
      }, POLL)
      .toBe(true);
  };

  /** Reads all frames in the stream, in order. */
  const framesIn = async (
    nc: NatsConnection,
    feedNames = names,
  ): Promise<{ sequence: number; frame: Frame }[]> => {
    const frames: { sequence: number; frame: Frame }[] = [];
    for (;;) {
      const firstSequence = (frames.at(-1)?.sequence ?? 0) + 1;
      const batch = await readBatch(nc, feedNames.framesStream, firstSequence, {
        messages: 500,
        bytes: 1_000_000,
      });
      if (batch.length === 0) return frames;
      for (const { sequence, data } of batch)
        frames.push({ sequence, frame: JSON.parse(Buffer.from(data).toString().split('\n')[0] ?? '') });
    }
  };

  /** Waits until a server serves the flag, and returns the revision. */
  const waitForRevision = async (flag: string, server = servers[0]): Promise<number> => {
    await expect.poll(async () => (await read(server)).body, POLL).toContain(`"${flag}"`);
    return Number(/\.(\d+)"$/.exec((await read(server)).etag ?? '')?.[1]);
  };

  /** Creates a flag, and waits until the server and then the edge serve it. */
  const expectToReach = async (edge: RunningServer, flag: string): Promise<void> => {
    await createFlag(flag);
    await waitForRevision(flag);
    await waitUntilEqual(edge);
  };

  const natsConfig = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, '--folder', folder, ...args], {
      env: { DATABASE_URL: getDatabaseUrl(database) },
    });
    return stdout;
  };

  beforeAll(async () => {
    await copyDatabase(inject('template'), database);
    const withoutNats = await startServer();
    sdkToken = (await createToken()).secret;
    await createFlag('first');
    const edgeToken = await createToken({ type: 'edge', tokenName: 'edge' });
    await createToken({ type: 'edge', tokenName: 'other', environment: 'development' });
    enrolment = readEnrolment(edgeToken.enrolment ?? '');
    names = busNames(enrolment.feed);
    foreignNames = busNames({ environment: 'development', projects: null });
    await natsConfig();
    if (tls) makeCertificates(folder, authority);
    cluster =
      nodes > 1
        ? await makeNatsServers(folder, nodes, 'hub.conf')
        : [await makeNatsServer(folder, 'hub', 'hub.conf', tls ? { tls: folder } : {})];
    await Promise.all(cluster.map(node => node.start()));
    await stopProcess(withoutNats);
    servers.length = 0;
    const server = await startServer(withNats());
    proxy = await startTcpProxy('127.0.0.1', server.port);
    enrolment = { ...enrolment, url: `http://127.0.0.1:${proxy.port}` };
  });

  afterEach(async () => {
    proxy.restore();
    for (const edge of edges.splice(0)) await kill(edge);
    for (const nc of connections.splice(0)) await nc.close();
  });

  afterAll(async () => {
    for (const server of servers) await kill(server);
    await proxy.close();
    for (const node of cluster) await node.kill();
    rmSync(folder, { recursive: true });
    await discardDatabase(database);
  });

  return {
    database,
    folder,
    servers,
    request,
    admin,
    createToken,
    createFlag,
    startServer,
    withNats,
    startEdge,
    kill,
    connectAs,
    read,
    metric,
    waitUntilLive,
    waitUntilEqual,
    framesIn,
    waitForRevision,
    expectToReach,
    natsConfig,
    get nats() {
      return firstNode();
    },
    get cluster() {
      return cluster;
    },
    get names() {
      return names;
    },
    get foreignNames() {
      return foreignNames;
    },
    get enrolment() {
      return enrolment;
    },
    get proxy() {
      return proxy;
    },
  };
}

/** Creates a CA and has it sign a certificate for localhost. */
function makeCertificates(folder: string, authority: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-subj', '/CN=authority', '-keyout', 'authority.key', '-out', authority);
  const signingArgs = [
    '-CA',
    authority,
    '-CAkey',
    'authority.key',
    '-addext',
    'subjectAltName=DNS:localhost',
  ];
  const serverArgs = ['-subj', '/CN=localhost', '-keyout', 'nats.key', '-out', 'nats.pem'];
  openssl(
    'req',
    '-x509',
    ...key,
    ...signingArgs,
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    ...serverArgs,
  );
}
