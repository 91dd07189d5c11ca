import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../failures/nats-server.ts';

const S3RVER = fileURLToPath(new URL('../../../node_modules/@20minutes/s3rver/lib/cli.js', import.meta.url));
const START = `require(${JSON.stringify(S3RVER)}).parseAsync(['node', 's3rver', ...process.argv.slice(1)])`;

export const BUCKET = 'flags';
/** The key that s3rver accepts. */
export const S3_KEY = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export type TestStore = {
  url: string;
  /** Called before each request. If it returns a status, that is sent instead of the store's response. */
  before: (intercept: Intercept) => void;
  close: () => Promise<void>;
};
export type Intercept = (method: string, path: string) => Promise<number | undefined> | number | undefined;

/**
 * A real S3-compatible server, behind a proxy that checks If-Match and If-None-Match of PUT requests as Amazon S3 does, because
 * s3rver ignores them.
 */
export async function startStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-s3-'));
  mkdirSync(join(folder, BUCKET));
  const port = await findFreePort();
  const args = ['-d', folder, '-a', '127.0.0.1', '-p', String(port), '-s', '--configure-bucket', BUCKET];
  const child: ChildProcess = spawn(process.execPath, ['-e', START, '--', ...args], { stdio: 'inherit' });
  const direct = `http://127.0.0.1:${port}`;
  while (child.exitCode === null && !(await fetch(direct).catch(() => undefined)))
    await new Promise(resolve => setTimeout(resolve, 50));

  let intercept: Intercept = () => undefined;
  /** One conditional write at a time, so that none slips in between another's check and its write. */
  let turn = Promise.resolve();

  /** On a new connection, because the store may be closing an idle one. */
  const send = async (
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    body?: IncomingMessage,
  ): Promise<IncomingMessage> => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
    const whenResponded = once(outgoing, 'response');
    // The store would wait forever for the rest of an aborted body.
    if (body) await Promise.race([pipeline(body, outgoing), whenResponded]);
    else outgoing.end();
    const [response] = await whenResponded;
    return response;
  };
  const fetchEtag = async (path: string): Promise<string | undefined> => {
    const found = await send('HEAD', path, {});
    found.resume();
    return found.statusCode === 200 ? found.headers.etag : undefined;
  };
  const pass = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const response = await send(req.method ?? '', req.url ?? '', req.headers, req);
    res.writeHead(response.statusCode ?? 502, response.headers);
    await pipeline(response, res);
  };
  const passIfMatching = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { 'if-match': match } = req.headers;
    const etag = await fetchEtag(req.url ?? '');
    if (match === undefined ? etag !== undefined : match !== etag) res.writeHead(412).end();
    else await pass(req, res);
  };
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = req;
    const status = await intercept(method, url);
    if (status !== undefined) {
      res.writeHead(status).end();
      return;
    }
    const { 'if-match': match, 'if-none-match': noneMatch } = headers;
    if (method !== 'PUT' || (match ?? noneMatch) === undefined) return await pass(req, res);
    const ownTurn = turn.then(() => passIfMatching(req, res));
    turn = ownTurn.catch(() => {});
    await ownTurn;
  };
  const proxy = createServer((req, res) => {
    // A publisher was killed, or the store was stopped.
    handle(req, res).catch(() => res.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    before: newIntercept => {
      intercept = newIntercept;
    },
    close: async () => {
      proxy.closeAllConnections();
      proxy.close();
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
