// A process with many clients of streams: plain sockets, because thousands of SDKs would take more CPU than the server. Each client
// reconnects with the id of its last event, after the delay that an SDK uses.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, type Request, type Response } from './messages.ts';

type Client = { socket: Socket | undefined; id: string; revision: number; bytes: number; attempts: number };
type Receipt = { client: number; from: number; to: number; at: number };

const OPENING_AT_ONCE = 200;
const clients: Client[] = [];
let target: { port: number; path: string; token: string } = { port: 0, path: '', token: '' };
let receipts: Receipt[] = [];
let hydrations = 0;
let isClosed = false;

const head = ({ id }: Client) =>
  [
    `GET ${target.path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: ${target.token}`,
    'Accept: text/event-stream',
    'unleash-client-spec: 5.2.0',
    ...(id === '' ? [] : [`Last-Event-ID: ${id}`]),
    '\r\n',
  ].join('\r\n');

/** Resolves with the first event, or when the connection failed. */
function open(client: Client, at: number): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(target.port, '127.0.0.1');
    client.socket = socket;
    socket.on('connect', () => socket.write(head(client)));
    socket.on('data', chunk => {
      client.bytes += chunk.length;
      if (!read(client, at, chunk)) return;
      client.attempts = 0;
      resolve();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      client.socket = undefined;
      resolve();
      if (!isClosed && clients[at] === client) void reopen(client, at);
    });
  });
}

/** Like the SDK: 2 s, doubled with every failure, less up to a half. */
async function reopen(client: Client, at: number): Promise<void> {
  const delay = Math.min(30_000, 2_000 * 2 ** client.attempts++);
  await sleep(delay * (0.5 + Math.random() / 2));
  if (!isClosed && clients[at] === client) await open(client, at);
}

/** Reads the ids of events. An id is at the beginning of its frame, so no chunk splits it but the rare one that is full. */
function read(client: Client, at: number, chunk: Buffer): boolean {
  const start = chunk.lastIndexOf('id: ');
  if (start < 0) return false;
  const id = chunk.toString('latin1', start + 4, chunk.indexOf('\n', start));
  const revision = Number(id.split('.').at(-1));
  if (chunk.includes('"type":"hydration"')) hydrations++;
  if (revision > client.revision)
    receipts.push({ client: at, from: client.revision, to: revision, at: now() });
  client.id = id;
  client.revision = revision;
  return true;
}

const none: Response = {
  opened: 0,
  openedInMs: 0,
  lastAt: 0,
  p50: 0,
  p99: 0,
  most: 0,
  receipts: 0,
  mostBytes: 0,
  hydrations: 0,
};

async function respond(request: Request): Promise<Response> {
  switch (request.kind) {
    case 'open': {
      const started = now();
      target = request;
      isClosed = false;
      for (let first = 0; first < request.count; first += OPENING_AT_ONCE) {
        const batch = Array.from({ length: Math.min(OPENING_AT_ONCE, request.count - first) }, () => {
          const client: Client = { socket: undefined, id: '', revision: 0, bytes: 0, attempts: 0 };
          return open(client, clients.push(client) - 1);
        });
        await Promise.all(batch);
      }
      return { ...none, opened: openCount(), openedInMs: now() - started };
    }
    case 'reset':
      receipts = [];
      hydrations = 0;
      for (const client of clients) client.bytes = 0;
      return none;
    case 'wait': {
      while (!clients.every(({ revision }) => revision >= request.revision)) await sleep(2);
      const arrived = receipts.filter(({ from, to }) => from < request.revision && to >= request.revision);
      return { ...none, lastAt: arrived.reduce((last, { at }) => Math.max(last, at), 0) };
    }
    case 'latencies':
      return { ...none, ...latenciesOf(new Map(request.commits)) };
    case 'back': {
      while (openCount() < clients.length || clients.some(({ bytes }) => bytes === 0)) await sleep(20);
      const mostBytes = clients.reduce((most, { bytes }) => Math.max(most, bytes), 0);
      return { ...none, opened: openCount(), lastAt: now(), mostBytes, hydrations };
    }
    case 'close':
      isClosed = true;
      for (const { socket } of clients.splice(0)) socket?.destroy();
      receipts = [];
      return none;
  }
}

const openCount = (): number => clients.filter(({ socket }) => socket !== undefined).length;

function latenciesOf(commits: Map<number, number>) {
  const latencies: number[] = [];
  for (const { from, to, at } of receipts) {
    for (let revision = from + 1; revision <= to; revision++) {
      const committed = commits.get(revision);
      if (committed !== undefined) latencies.push(Math.max(0, at - committed));
    }
  }
  const sorted = Float64Array.from(latencies).sort();
  const part = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: part(0.5), p99: part(0.99), most: part(1), receipts: sorted.length };
}

process.on('message', (request: Request) => {
  void respond(request).then(response => process.send?.(response));
});
process.on('disconnect', () => process.exit());
