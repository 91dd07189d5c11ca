import { randomBytes } from 'node:crypto';
import { expect, inject } from 'vitest';
import { enrolmentText, readEnrolment } from '../../../plane/src/feed/enrolment.ts';
import { copyDatabase, discardDatabase, urlOf } from '../../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess, unwatch } from '../../../server/src/test/process.ts';
import { startTcpProxy } from '../../../server/src/test/tcp-proxy.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const MAIN = new URL('../main.ts', import.meta.url).pathname;
const FEATURES = '/api/admin/projects/default/features';
export const POLL = { timeout: 120_000, interval: 50 };

/** A process that hangs fails its own test rather than all later ones. */
export const request = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, signal: AbortSignal.timeout(POLL.timeout) });

export const kill = async (one: RunningServer): Promise<void> => {
  unwatch(one);
  if (one.process.exitCode === null && one.process.signalCode === null) await stopProcess(one, 'SIGKILL');
};

/** What an SDK with this token gets. */
export const read = async (from: RunningServer, token: string) => {
  const response = await request(`${from.url}/api/client/features`, {
    headers: { authorization: token, 'unleash-client-spec': '5.2.0' },
  });
  const body = await response.text();
  return { status: response.status, etag: response.headers.get('etag'), headers: response.headers, body };
};

export const metricOf = async (from: RunningServer, name: string): Promise<number> => {
  const text = await (await request(`${from.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

type Created = { id: number; secret: string; enrolment?: string };

/**
 * A database and a server that edges read from through proxies, one before each process, so that a process can come back on a
 * different port.
 */
export async function startChain(env: Record<string, string>) {
  const database = `halyard_chain_${randomBytes(4).toString('hex')}`;
  await copyDatabase(inject('template'), database);
  const start = (more: Record<string, string>) =>
    startProcess({ DATABASE_URL: urlOf(database), HALYARD_INIT_ADMIN_TOKENS: ADMIN, ...more });
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
  const createToken = async (fields: object = {}): Promise<Created> =>
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
    /** An enrolment of its own, which reads from this port. */
    enrol: async (port: number): Promise<{ secret: string; enrolment: string }> => {
      const { secret, enrolment = '' } = await createToken({ type: 'edge' });
      const given = readEnrolment(enrolment);
      return { secret, enrolment: enrolmentText({ ...given, url: `http://127.0.0.1:${port}` }) };
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
    /** Edges reach the new process as the same server. */
    restartServer: async (more: Record<string, string>): Promise<void> => {
      await stopProcess(server);
      server = await start(more);
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
