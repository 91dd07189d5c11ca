import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { signAnnouncement } from '@halyard/plane/feed/announcement.ts';
import type { EdgeReport } from '@halyard/plane/feed/report.ts';
import { signJson } from '@halyard/plane/feed/signed.ts';
import { newToken } from '@halyard/plane/platform/token.ts';
import { encodeSnapshot, type Snapshot } from '@halyard/plane/snapshot/format.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EdgeConfig } from './config.ts';
import { type Edge, startEdge } from './edge.ts';
import {
  buildFlagsFrame,
  buildHead,
  buildSnapshot,
  enrolmentFor,
  FEED,
  FOREIGN_KEY,
  featureRow,
  type HostileUpstream,
  OWN_KEY,
  SDK_TOKEN,
  startHostileUpstream,
  tokenRow,
} from './test/hostile-upstream.ts';

const POLL = { timeout: 60_000, interval: 20 };
/** The flags in the edge's first snapshot. */
const FIRST = ['first'];

let upstream: HostileUpstream;
let edge: Edge | undefined;
let folder: string;
let lines: string[];

beforeEach(async () => {
  upstream = await startHostileUpstream();
  await upstream.setSnapshot(buildSnapshot());
  folder = mkdtempSync(join(tmpdir(), 'halyard-edge-attack-'));
  lines = [];
});
const stop = async (): Promise<void> => {
  await edge?.stop();
  edge = undefined;
};
afterEach(async () => {
  await stop();
  await upstream.close();
  rmSync(folder, { recursive: true });
});

const start = async (fields: Partial<EdgeConfig> = {}): Promise<Edge> => {
  const write = (level: string) => (values: object, message: string) =>
    void lines.push(
      `${level} ${message} ${JSON.stringify(values, (_key, value) => (value instanceof Error ? value.message : value))}`,
    );
  const startedEdge = await startEdge(
    {
      enrolment: enrolmentFor(upstream.url),
      dataDir: undefined,
      host: '127.0.0.1',
      port: 0,
      maxStreams: 100,
      trustedProxies: [],
      metricsToken: undefined,
      ...fields,
    },
    '0.0.0',
    { info: write('info'), warn: write('warn'), error: write('error') },
  );
  edge ??= startedEdge;
  return startedEdge;
};

const readFeatures = async (token = SDK_TOKEN) => {
  const response = await fetch(`${edge?.url}/api/client/features`, {
    headers: { authorization: token, 'unleash-client-spec': '5.2.0' },
  });
  const body = (await response.json()) as { features?: { name: string }[] };
  return { status: response.status, names: body.features?.map(({ name }) => name) ?? [] };
};
const names = async () => (await readFeatures()).names;

/** Starts an edge and waits until it follows the stream and has the first snapshot. */
const startAndFollow = async (fields: Partial<EdgeConfig> = {}): Promise<void> => {
  await start(fields);
  await expect.poll(names, POLL).toEqual(FIRST);
  await expect.poll(() => upstream.streams, POLL).toBe(1);
};

/** Sends a genuine change after an attack. Once it has arrived, the edge must already have read the attack. */
const expectGenuineChange = async (expected: string[], revision = 6): Promise<void> => {
  await expect
    .poll(async () => {
      upstream.send(buildFlagsFrame('genuine', revision - 1, revision));
      return await names();
    }, POLL)
    .toEqual(expected);
};

test.each<[string, () => string]>([
  ['is altered', () => signJson(buildFlagsFrame('x1', 5, 6), OWN_KEY).replaceAll('x1', 'x2')],
  ['is signed with a foreign key', () => signJson(buildFlagsFrame('evil', 5, 6), FOREIGN_KEY)],
  [
    'names the trusted key but has a made-up signature',
    () => `${JSON.stringify(buildFlagsFrame('evil', 5, 6))}\n${OWN_KEY.id} AAAA`,
  ],
  [
    'has the signature of a different frame',
    () =>
      `${JSON.stringify(buildFlagsFrame('evil', 5, 6))}\n${signJson(buildHead(), OWN_KEY).split('\n')[1]}`,
  ],
  ['has no signature', () => JSON.stringify(buildFlagsFrame('evil', 5, 6))],
  ['is not JSON', () => '{{{'],
  [
    'belongs to a different environment',
    () => signJson(buildFlagsFrame('evil', 5, 6, { feed: { ...FEED, environment: 'development' } }), OWN_KEY),
  ],
  [
    'belongs to a feed with different projects',
    () => signJson(buildFlagsFrame('evil', 5, 6, { feed: { ...FEED, projects: ['a'] } }), OWN_KEY),
  ],
  ['is missing fields', () => signJson({ v: 1, feed: FEED, epoch: 'a', log: 'flags' }, OWN_KEY)],
  ['has a negative revision', () => signJson(buildFlagsFrame('evil', -1, 6), OWN_KEY)],
  [
    'is a revocation of a different token',
    () => signJson({ v: 1, log: 'revoked', hash: 'a'.repeat(64) }, OWN_KEY),
  ],
  [
    'is a revocation with a foreign signature',
    () => signJson({ v: 1, log: 'revoked', hash: 'a'.repeat(64) }, FOREIGN_KEY),
  ],
  ['has a later version', () => signJson({ ...buildFlagsFrame('evil', 5, 6), v: 2 }, OWN_KEY)],
  ['belongs to an unknown log', () => signJson({ ...buildHead(), log: 'shutdown' }, OWN_KEY)],
])('ignores a frame that %s', async (_what, frame) => {
  await startAndFollow();

  upstream.send(frame());

  await expectGenuineChange(['first', 'genuine']);
});

test('a newer server may add fields to snapshots, frames and heads', async () => {
  await upstream.setSnapshot({ ...buildSnapshot(), later: 1 } as Snapshot);
  await startAndFollow();

  upstream.send({ ...buildHead(), later: 1 });
  upstream.send(buildFlagsFrame('with-later-fields', 5, 6, { later: { anything: [] } }));

  await expectGenuineChange(['first', 'genuine', 'with-later-fields'], 7);
  expect(lines.join('\n')).not.toContain('ignored');
});

test('ignores a snapshot that is altered, signed with a different key, from a different feed, or older', async () => {
  await startAndFollow();
  const evil = buildSnapshot({ revision: 9, features: [featureRow('evil', 9)] });
  const good = Buffer.concat(await encodeSnapshot(evil, OWN_KEY));
  const attacks: Buffer[] = [
    Buffer.from(good.toString().replaceAll('evil', 'oops')),
    Buffer.concat(await encodeSnapshot(evil, FOREIGN_KEY)),
    Buffer.concat(await encodeSnapshot({ ...evil, feed: { ...FEED, environment: 'development' } }, OWN_KEY)),
    Buffer.concat(
      await encodeSnapshot(buildSnapshot({ revision: 4, features: [featureRow('evil', 4)] }), OWN_KEY),
    ),
    good.subarray(0, -5),
    Buffer.concat([good, Buffer.from('x')]),
    Buffer.alloc(0),
    Buffer.from('\n\n'),
  ];
  for (const bytes of attacks) {
    upstream.setBytes(bytes);
    const readsBefore = upstream.snapshotReadCount;
    await expect
      .poll(() => {
        // A gap makes the edge fetch the snapshot.
        upstream.send(buildHead({ rev: 9 }));
        return upstream.snapshotReadCount;
      }, POLL)
      .toBeGreaterThan(readsBefore);
    expect(await names()).toEqual(FIRST);
  }
  await upstream.setSnapshot(buildSnapshot({ revision: 10, features: [featureRow('later', 10)] }));

  await expect
    .poll(async () => {
      upstream.send(buildHead({ rev: 10 }));
      return await names();
    }, POLL)
    .toEqual(['later']);
});

test('ignores a recorded snapshot from an earlier epoch, but applies the snapshot of a new epoch', async () => {
  const recordedSnapshot = await upstream.setSnapshot(
    buildSnapshot({
      epoch: 'old',
      revision: 90,
      takenAt: '2026-01-01T00:00:00.000Z',
      features: [featureRow('revoked', 90)],
    }),
  );
  const oldHead = buildHead({ epoch: 'old', rev: 90, now: '2026-01-01T00:00:00.000Z' });
  await upstream.setSnapshot(buildSnapshot());
  await startAndFollow({ dataDir: folder });
  upstream.setBytes(recordedSnapshot);
  const reads = upstream.snapshotReadCount;

  upstream.send(oldHead);
  upstream.send(buildFlagsFrame('old', 90, 91, { epoch: 'old' }));
  await expectGenuineChange(['first', 'genuine']);
  expect(upstream.snapshotReadCount).toBe(reads);
  // The gap is genuine, but the snapshot that the edge then reads is an old recording.
  upstream.send(buildHead({ rev: 7 }));
  await expect.poll(() => upstream.snapshotReadCount, POLL).toBeGreaterThan(reads);
  expect(await names()).toEqual(['first', 'genuine']);
  expect(readFileSync(join(folder, 'edge', 'feed.snapshot'), 'utf8')).not.toContain('revoked');

  await upstream.setSnapshot(
    buildSnapshot({ epoch: 'new', revision: 1, features: [featureRow('restored', 1)] }),
  );
  await expect
    .poll(async () => {
      upstream.send(buildHead({ epoch: 'new', rev: 1 }));
      return await names();
    }, POLL)
    .toEqual(['restored']);
});

const respond = (request: IncomingMessage, response: ServerResponse, fields: object, key = OWN_KEY): void => {
  const hash = request.url?.split('/').at(-1);
  const body = { v: 1, feed: FEED, epoch: 'a', log: 'token', rev: 5, hash, token: null, ...fields };
  response.end(`${signJson(body, key)}\n`);
};

test('ignores a token response that is an old recording, signed with a different key, or about a different token', async () => {
  await startAndFollow();
  const guest = newToken('backend', '*:production.');
  const guestRow = tokenRow(guest, { id: 2 });
  const attempts: [object, number, key?: typeof OWN_KEY][] = [
    // A genuine response from before the token was revoked.
    [{ token: guestRow, rev: 4 }, 503],
    [{ token: guestRow, epoch: 'old' }, 503],
    [{ token: guestRow, feed: { ...FEED, projects: ['a'] } }, 503],
    [{ token: guestRow, feed: { ...FEED, environment: 'development' } }, 503],
    [{ token: guestRow, hash: 'a'.repeat(64) }, 503],
    [{ token: null, rev: 4 }, 503],
    [{ token: guestRow }, 503, FOREIGN_KEY],
    [{ token: guestRow }, 200],
  ];
  for (const [fields, status, key] of attempts) {
    upstream.onToken((request, response) => respond(request, response, fields, key));
    await expect.poll(async () => (await readFeatures(guest)).status, POLL).toBe(status);
  }
  const unknownToken = newToken('backend', '*:production.');
  upstream.onToken((_request, response) => void response.writeHead(401).end('{"message":"no"}'));
  expect((await readFeatures(unknownToken)).status).toBe(503);
});

test('does not ask upstream about a token that it knows to be revoked', async () => {
  const revokedToken = newToken('backend', '*:production.');
  await upstream.setSnapshot(buildSnapshot({ endedTokens: [tokenRow(revokedToken).hash] }));
  await startAndFollow();
  let lookupCount = 0;
  upstream.onToken((request, response) => {
    lookupCount++;
    respond(request, response, { token: tokenRow(revokedToken, { id: 2 }) });
  });

  expect((await readFeatures(revokedToken)).status).toBe(401);
  expect(lookupCount).toBe(0);
});

test('an edge that a snapshot lists as revoked serves nothing and empties its folder', async () => {
  const enrolment = enrolmentFor(upstream.url);
  await startAndFollow({ enrolment, dataDir: folder });
  await upstream.setSnapshot(
    buildSnapshot({ tokenRevision: 9, endedTokens: [tokenRow(enrolment.token).hash] }),
  );

  upstream.send(buildHead({ tokenRev: 9 }));

  await expect.poll(async () => (await readFeatures()).status, POLL).toBe(401);
  await expect.poll(() => readdirSync(join(folder, 'edge')), POLL).not.toContain('feed.snapshot');
  expect(lines.filter(line => line.includes('edge token revoked'))).toHaveLength(1);
});

test('passes on each key announcement once, so that edges that read from each other do not repeat it forever', async () => {
  const secret = newToken('edge', '*:production.');
  await upstream.setSnapshot(
    buildSnapshot({ tokens: [tokenRow(SDK_TOKEN), tokenRow(secret, { id: 2, type: 'edge' })] }),
  );
  await startAndFollow();
  const connection = new AbortController();
  const response = await fetch(`${edge?.url}/api/edge/v1/stream`, {
    headers: { authorization: secret },
    signal: connection.signal,
  });
  let text = '';
  const reader = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => {});
  await expect.poll(() => text, POLL).toContain('gap');

  const announcement = signAnnouncement(OWN_KEY, undefined);
  for (let n = 0; n < 3; n++) upstream.send(announcement);
  await expectGenuineChange(['first', 'genuine']);

  await expect.poll(() => text, POLL).toContain('genuine');
  expect(text.split(announcement.split('\n')[0] ?? '')).toHaveLength(2);
  connection.abort();
  await reader;
});

test('ends an SDK stream that lacks a revision only if the edge itself has that revision', async () => {
  let reports = 0;
  let revision = 6;
  upstream.onReport((_request, response) => {
    reports++;
    response.end(JSON.stringify({ missing: [], questions: [{ environment: 'production', revision }] }));
  });
  await startAndFollow();
  const response = await fetch(`${edge?.url}/api/client/streaming`, {
    headers: { authorization: SDK_TOKEN, 'unleash-connection-id': 'one' },
  });
  let isOpen = true;
  const reader = (async () => {
    for await (const _chunk of response.body ?? []);
    isOpen = false;
  })();
  const reportsBefore = reports;
  await expect.poll(() => reports, POLL).toBeGreaterThan(reportsBefore + 2);
  expect(isOpen).toBe(true);

  revision = 5;
  await expect.poll(() => isOpen, POLL).toBe(false);
  await reader;
});

test('ignores a 40 MB snapshot that no trusted key has signed', async () => {
  await startAndFollow();
  let sentHeadCount = 0;
  upstream.onReport((_request, response) => void response.writeHead(503).end());
  const bomb = Buffer.concat([Buffer.from('{"v":1}\nkey signature\n'), Buffer.alloc(40_000_000, 'x')]);
  upstream.setBytes(bomb);
  await expect
    .poll(() => {
      upstream.send(buildHead({ rev: 9 }));
      sentHeadCount++;
      return lines.join('\n');
    }, POLL)
    .toContain('is not trusted');
  expect(sentHeadCount).toBeGreaterThan(0);
  expect(await names()).toEqual(FIRST);
});

test('keeps its metrics if a proxy responds with 200 in place of the server, and later delivers them despite huge registrations', async () => {
  const reports: EdgeReport[] = [];
  let isServer = false;
  upstream.onReport((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const body = gunzipSync(Buffer.concat(chunks));
      const isLarge = body.length > 4 * 1_024 * 1_024;
      if (isLarge) response.writeHead(413);
      else if (isServer) reports.push(JSON.parse(body.toString()));
      response.end(isServer ? '{"missing":[],"questions":[]}' : '{}');
    });
  });
  await startAndFollow({ dataDir: folder });
  const post = async (path: string, body: object) => {
    const response = await fetch(`${edge?.url}/api/client/${path}`, {
      method: 'POST',
      headers: { authorization: SDK_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(202);
    await response.text();
  };
  for (let number = 0; number < 400; number++)
    await post('register', {
      appName: '漢'.repeat(200),
      instanceId: `${number}`.padEnd(200, '漢'),
      strategies: Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(200, '策')),
      started: new Date().toISOString(),
      interval: 1_000,
    });
  const now = new Date().toISOString();
  await post('metrics', {
    appName: 'shop',
    instanceId: 'one',
    bucket: { start: now, stop: now, toggles: { first: { yes: 7, no: 0, variants: {} } } },
  });
  await expect
    .poll(() => readFileSync(join(folder, 'edge', 'metrics.json'), 'utf8'), POLL)
    .toContain('sealed');
  isServer = true;

  const batchesBySequence = () =>
    new Map(reports.flatMap(({ batch }) => (batch ? [[batch.sequence, batch] as const] : [])));
  await expect
    .poll(
      () =>
        [...batchesBySequence().values()].flatMap(({ buckets }) =>
          buckets.flatMap(bucket => bucket.features.map(({ yes }) => yes)),
        ),
      POLL,
    )
    .toEqual([7]);
  await expect
    .poll(
      () =>
        new Set(
          [...batchesBySequence().values()].flatMap(({ instances }) =>
            instances.map(instance => instance.instanceId),
          ),
        ).size,
      POLL,
    )
    .toBe(401);
  expect(lines.join('\n')).not.toContain('dropped');
});

test('two edges cannot share a folder, and an edge that cannot write to its folder serves without it', async () => {
  await startAndFollow({ dataDir: folder });
  await expect(start({ dataDir: folder })).rejects.toThrow('Another edge uses the folder');
  await stop();
  await startAndFollow({ dataDir: folder });
  await stop();
  expect(readdirSync(folder)).toContain('edge');

  const file = join(folder, 'file');
  writeFileSync(file, '');
  await startAndFollow({ dataDir: file });
  upstream.send(buildFlagsFrame('genuine', 5, 6));
  await expect.poll(names, POLL).toEqual(['first', 'genuine']);
  expect(lines.join('\n')).toContain('unsent metrics not written');
});
