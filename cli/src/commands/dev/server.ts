import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeNetworkQueues } from '@halyard/plane/platform/admission/network-queues.ts';
import { buildSdkApp } from '@halyard/plane/serving/app.ts';
import { SLICE_LIMITS } from '@halyard/plane/serving/evaluation/slices.ts';
import { keepCurrent } from '@halyard/plane/serving/state/keep-current.ts';
import { makeServingState } from '@halyard/plane/serving/state/serving.ts';
import { STREAM_LIMITS } from '@halyard/plane/serving/streaming/limits.ts';
import { Registry } from 'prom-client';
import { failure } from '../../errors.ts';
import type { Override } from './documents.ts';
import { isFlagName, isOverride } from './overrides.ts';
import { renderPage } from './page.ts';
import { type LocalSource, TOKENS } from './source.ts';

const MAX_BODY_LENGTH = 64 * 1_024;
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

export type PageHandlers = {
  /** Returns the flags that the page shows. */
  listFlags: () => object;
  setOverride: (name: string, override: Override | null) => void;
};

/** Serves SDKs and the page, on this machine only. */
export async function serve(local: LocalSource, port: number, handlers: PageHandlers) {
  const state = makeServingState(local.source);
  const metrics = new Registry();
  const log = { error: (fields: object) => void fields, warn: () => {} };
  const stop = await keepCurrent(state, local.listen, log, metrics);
  const sdk = await buildSdkApp(state, {
    securityHeaders: { 'x-content-type-options': 'nosniff' },
    log,
    metrics,
    streams: STREAM_LIMITS,
    evaluation: SLICE_LIMITS,
    trustedProxies: [],
    reports: { register: () => {}, report: () => undefined, reportBulk: () => undefined },
    positions: {
      recordContact: () => undefined,
      streamOpened: () => {},
      streamClosed: () => {},
      confirmCurrent: () => {},
      countEvaluation: () => {},
      setReconnectClients: () => {},
    },
    networkQueues: makeNetworkQueues(),
    admission: new Map(),
  });
  await sdk.ready();
  const server = createServer((request, response) => {
    const reason = rejectionReason(request);
    if (reason !== undefined) return respond(response, 403, { message: reason });
    const path = (request.url ?? '/').split('?')[0];
    if (path === '/' || path?.startsWith('/dev/')) return void servePage(request, response, path, handlers);
    replaceToken(request);
    sdk.routing(request, response);
  });
  const stopServing = () => Promise.all([stop(), sdk.close()]);
  await listen(server, port).catch(async (error: unknown) => {
    // Stops the data plane, because its timers would keep the process alive.
    await stopServing();
    throw error;
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await stopServing();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw failure(
      isTaken ? `Port ${port} is in use.` : `Cannot listen on port ${port}: ${(error as Error).message}.`,
      'Choose a different port with --port.',
    );
  }
}

/**
 * Returns the reason to reject a request, if there is one. Any page that the developer visits can send requests to this server. The
 * Host header reveals a page whose host name resolves to this machine, and the Origin header reveals every other page.
 */
function rejectionReason({
  headers: { host = '', origin, 'sec-fetch-site': site },
}: IncomingMessage): string | undefined {
  if (!LOCAL_HOST.test(host))
    return `The Host header must be localhost or 127.0.0.1, not "${host.slice(0, 100)}".`;
  if (origin === undefined)
    return site === 'cross-site' ? 'Pages on other sites cannot use local flags.' : undefined;
  const originUrl = URL.parse(origin);
  if (originUrl && LOCAL_HOST.test(originUrl.host)) return undefined;
  return `The origin is "${origin.slice(0, 100)}". Only pages at localhost or 127.0.0.1 can use local flags.`;
}

/** Replaces a request's token. Applications can keep theirs, because it is not checked and has no effect here. */
function replaceToken(request: IncomingMessage): void {
  const isFrontend = /^\/+api\/+frontend/.test(request.url ?? '');
  request.headers.authorization = isFrontend ? TOKENS.frontend : TOKENS.backend;
}

async function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  path: string | undefined,
  handlers: PageHandlers,
): Promise<void> {
  const route = `${request.method} ${path}`;
  if (route === 'GET /dev/flags') return respond(response, 200, handlers.listFlags());
  if (route === 'GET /') {
    const nonce = randomBytes(16).toString('base64');
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    return void response
      .writeHead(200, {
        ...HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
      })
      .end(renderPage(nonce));
  }
  if (route !== 'PUT /dev/overrides')
    return respond(response, 404, { message: `${route.slice(0, 100)} does not exist.` });
  const { host, origin, 'content-type': type = '' } = request.headers;
  // Pages on other local ports can read flags, but not change overrides. Requiring JSON stops a form on such a page too.
  if (origin !== undefined && origin !== `http://${host}`)
    return respond(response, 403, { message: 'Only the halyard dev page can change overrides.' });
  if (!/^application\/json\b/.test(type))
    return respond(response, 415, { message: 'The body must be JSON.' });
  const { name, override } = Object(await readBody(request)) as { name?: unknown; override?: unknown };
  if (!isFlagName(name) || !(override === null || isOverride(override)))
    return respond(response, 400, { message: 'The body must be { name, override }.' });
  try {
    handlers.setOverride(name, override);
    respond(response, 200, {});
  } catch (error) {
    respond(response, 409, { message: (error as Error).message });
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_BODY_LENGTH) return undefined;
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}
