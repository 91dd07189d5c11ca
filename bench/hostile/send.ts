import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { HostileRequest } from './requests.ts';

export type Outcome = { status: number | undefined; ms: number; problem?: string };

const GIVE_UP_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The response of the server. No status if the server or the test closed the connection. */
export async function send(port: number, request: HostileRequest): Promise<Outcome> {
  const started = performance.now();
  const outcome = await deliver(port, request);
  return { ...outcome, ms: performance.now() - started };
}

async function deliver(port: number, request: HostileRequest): Promise<Omit<Outcome, 'ms'>> {
  switch (request.delivery) {
    case 'whole':
    case 'several at once':
      return await exchange(port, request);
    default:
      return await breakOff(port, request);
  }
}

/** A complete request and its response. */
async function exchange(port: number, request: HostileRequest): Promise<Omit<Outcome, 'ms'>> {
  return await new Promise(resolve => {
    const { method, path, headers, body } = request;
    const sent = httpRequest({
      agent,
      host: '127.0.0.1',
      port,
      method,
      // Node's client rejects these itself; every other byte is sent as it is.
      path: path.replace(/[^\x21-\xff]/g, '%20'),
      headers: {
        ...headers,
        // Without it the client would send a GET with a body in chunks.
        ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      },
      setHost: headers.host === undefined,
      insecureHTTPParser: true,
      timeout: GIVE_UP_MS,
    });
    sent.on('response', (response: IncomingMessage) => {
      if (String(response.headers['content-type']).startsWith('text/event-stream')) {
        // It has no end.
        resolve({ status: response.statusCode });
        sent.destroy();
        return;
      }
      response.on('data', () => {});
      response.on('end', () => resolve({ status: response.statusCode }));
      response.on('error', error => resolve({ status: response.statusCode, problem: String(error) }));
    });
    sent.on('timeout', () => {
      resolve({ status: undefined, problem: `no response within ${GIVE_UP_MS} ms` });
      sent.destroy();
    });
    // The server may reject a request before it has read all of it, and close the connection.
    sent.on('error', () => resolve({ status: undefined }));
    sent.end(body);
  });
}

/** A request that ends before it should; only that the server survives it matters. */
async function breakOff(port: number, request: HostileRequest): Promise<Omit<Outcome, 'ms'>> {
  return await new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' });
    const done = () => {
      socket.destroy();
      resolve({ status: undefined });
    };
    socket.on('error', done);
    socket.on('close', done);
    socket.setTimeout(500, done);
    socket.on('connect', () => {
      const body = request.body ?? Buffer.from('{"name":"half"}');
      const length = request.delivery === 'wrong length' ? Math.max(0, body.length - 5) : body.length + 100;
      const lines = Object.entries({
        host: 'localhost',
        ...request.headers,
        'content-length': String(length),
      })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('');
      socket.write(`${request.method} ${request.path} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
      if (request.delivery === 'abandoned') return done();
      socket.write(body.subarray(0, Math.ceil(body.length / 2)), () => {
        if (request.delivery === 'cut off in the body') done();
        else socket.end(body.subarray(Math.ceil(body.length / 2)));
      });
    });
  });
}

export function closeConnections(): void {
  agent.destroy();
}
