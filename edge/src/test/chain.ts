import { randomBytes } from 'node:crypto';
import { enrolmentText, readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import { expect, inject } from 'vitest';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess, unwatch } from '../../../server/src/test/process.ts';
import { startTcpProxy } from '../../../server/src/test/tcp-proxy.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const MAIN = new URL('../main.ts', import.meta.url).pathname;
const FEATURES = '/api/admin/projects/default/features';
export const POLL = { timeout: 120_000, interval: 50 };

/** Sends a request with a timeout, so that a process that hangs fails its own test rather than all later ones. */
export const request = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, signal: AbortSignal.timeout(POLL.timeout) });

export const kill = async (server: RunningServer): Promise<void> => {
  unwatch(server);
  if (server.process.exitCode === null && server.process.signalCode === null)
    await stopProcess(server, 'SIGKILL');
};

/** Reads what an SDK with this token gets. */
export const read = async (server: RunningServer, token: string) => {
  const response = await request(`${server.url}/api/client/features`, {
    headers: { authorization: token, 'unleash-client-spec': '5.2.0' },
  });
  const body = await response.text();
  return { status: response.status, etag: response.headers.get('etag'), headers: response.headers, body };
};

export const readMetric = async (server: RunningServer, name: string): Promise<number> => {
  const text = await (await request(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

type CreatedToken = { id: number; secret: string; enrolment?: string };

/**
 * A database and a server that edges read from through proxies, one in front of each process, so that a process can come back on
 * a different port.
 */
export async function startChain(env: Record<string, string>) {
  const database = `halyard_chain_${randomBytes(4).toString('hex')}`;
  await copyDatabase(inject('template'), database);
  const start = (extraEnv: Record<string, string>) =>
    startProcess({ DATABASE_URL: getDatabaseUrl(database), HALYARD_INIT_ADMIN_TOKENS: ADMIN, ...extraEnv });
  let server = await start(env);
  const serverProxy = await startTcpProxy('127.0.0.1', server.port);

  const admin = async (method: string, path: string, body?: object) => {
    const response = await request(`${server.url}${path}`, {
      method,
      headers: { authorization: ADMIN, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
    return text === '' ? undefined : JSON.parse(text);
  };
  const createToken = async (fields: object = {}): Promise<CreatedToken> =>
    await admin('POST', '/api/admin/api-tokens', {
      tokenName: `token ${Math.random()}`,
      type: 'backend',
      environment: 'production',
      ...fields,
    });

  return {
    database,
    serverProxy,
    get server() {
      return server;
    },
    admin,
    createToken,
    revoke: (secret: string) => admin('DELETE', `/api/admin/api-tokens/${secret}`),
    createFlag: (flag: string) => admin('POST', FEATURES, { name: flag }),
    enable: (flag: string) => admin('POST', `${FEATURES}/${flag}/environments/production/on`),
    /** Creates a separate enrolment, which reads from this port. */
    enrol: async (port: number): Promise<{ secret: string; enrolment: string }> => {
      const { secret, enrolment = '' } = await createToken({ type: 'edge' });
      const originalEnrolment = readEnrolment(enrolment);
      return { secret, enrolment: enrolmentText({ ...originalEnrolment, url: `http://127.0.0.1:${port}` }) };
    },
    startEdge: (enrolment: string, folder?: string, withinMs?: number): Promise<RunningServer> =>
      startProcess(
        {
          HALYARD_EDGE_ENROLMENT: enrolment,
          ...(folder !== undefined && { HALYARD_DATA_DIR: folder }),
        },
        withinMs,
        MAIN,
      ),
    /** To the edges, the new process is the same server. */
    restartServer: async (extraEnv: Record<string, string>): Promise<void> => {
      await stopProcess(server);
      server = await start(extraEnv);
      serverProxy.moveTo(server.port);
    },
    stop: async (): Promise<void> => {
      await serverProxy.close();
      await stopProcess(server);
      await discardDatabase(database);
    },
  };
}

export type Chain = Awaited<ReturnType<typeof startChain>>;
