import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Enrolment, publicKeyText } from '@halyard/plane/feed/enrolment.ts';
import { signJson } from '@halyard/plane/feed/signed.ts';
import { newToken } from '@halyard/plane/platform/token.ts';
import type { TokenRow } from '@halyard/plane/serving/source.ts';
import { encodeSnapshot, type Feed, type Snapshot } from '@halyard/plane/snapshot/format.ts';
import { deriveSigningKey, type SigningKey } from '@halyard/plane/snapshot/keys.ts';

export const FEED: Feed = { environment: 'production', projects: null };

/** The key that the enrolment trusts, and a key that the enrolment does not trust. */
export const OWN_KEY = deriveSigningKey(Buffer.alloc(32, 1));
export const FOREIGN_KEY = deriveSigningKey(Buffer.alloc(32, 2));

export const SDK_TOKEN = newToken('backend', '*:production.');

export const tokenRow = (secret: string, fields: Partial<TokenRow> = {}): TokenRow => ({
  id: 1,
  hash: hash('sha256', secret),
  type: 'backend',
  environment: 'production',
  projects: null,
  expiresAt: null,
  ...fields,
});

export const featureRow = (name: string, revision: number) => ({
  project: 'default',
  name,
  revision,
  document: JSON.stringify({ name, enabled: true, strategies: [] }),
  segments: [],
  tags: [],
});

export const buildSnapshot = (fields: Partial<Snapshot> = {}): Snapshot => ({
  feed: FEED,
  epoch: 'a',
  revision: 5,
  takenAt: new Date().toISOString(),
  completeSince: 0,
  origins: ['*'],
  tokenRevision: 5,
  tokens: [tokenRow(SDK_TOKEN)],
  endedTokens: [],
  features: [featureRow('first', 5)],
  segments: [],
  ...fields,
});

export const buildHead = (fields: object = {}) => ({
  v: 1,
  feed: FEED,
  epoch: 'a',
  log: 'head',
  rev: 5,
  completeSince: 0,
  tokenRev: 5,
  origins: ['*'],
  now: new Date().toISOString(),
  age: 0,
  ...fields,
});

export const buildFlagsFrame = (name: string, prev: number, rev: number, fields: object = {}) => ({
  v: 1,
  feed: FEED,
  epoch: 'a',
  log: 'flags',
  prev,
  rev,
  completeSince: 0,
  revs: [{ rev, events: [{ feature: featureRow(name, rev) }] }],
  ...fields,
});

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** An upstream that sends whatever a test tells it to, as an attacker between an edge and its server could. */
export async function startHostileUpstream() {
  let snapshot: Buffer = Buffer.alloc(0);
  let snapshotReadCount = 0;
  let token: Respond = (_request, response) => void response.writeHead(500).end();
  let report: Respond = (_request, response) => void response.end('{"missing":[],"questions":[]}');
  const streams = new Set<ServerResponse>();

  const server = createServer((request, response) => {
    const path = request.url?.replace('/api/edge/v1/', '') ?? '';
    if (path === 'snapshot') {
      snapshotReadCount++;
      response.end(snapshot);
    } else if (path === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(response);
      response.on('close', () => streams.delete(response));
    } else if (path.startsWith('tokens/')) token(request, response);
    else report(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get snapshotReadCount() {
      return snapshotReadCount;
    },
    get streams() {
      return streams.size;
    },
    setBytes: (bytes: Buffer) => {
      snapshot = bytes;
    },
    setSnapshot: async (value: Snapshot, key: SigningKey = OWN_KEY) => {
      snapshot = Buffer.concat(await encodeSnapshot(value, key));
      return snapshot;
    },
    onToken: (respond: Respond) => {
      token = respond;
    },
    onReport: (respond: Respond) => {
      report = respond;
    },
    /** Sends an event to all edges: an object is signed first, and a string is sent unchanged. */
    send: (frame: object | string, key: SigningKey = OWN_KEY) => {
      const text = typeof frame === 'string' ? frame : signJson(frame, key);
      const block = text
        .split('\n')
        .map(line => `data: ${line}\n`)
        .join('');
      for (const stream of streams) stream.write(`${block}\n`);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type HostileUpstream = Awaited<ReturnType<typeof startHostileUpstream>>;

export const enrolmentFor = (url: string): Enrolment => ({
  url,
  feed: FEED,
  token: newToken('edge', '*:production.'),
  keys: [publicKeyText(OWN_KEY)],
});
