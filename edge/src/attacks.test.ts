import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announcementOf } from '../../plane/src/feed/announcement.ts';
import type { EdgeReport } from '../../plane/src/feed/report.ts';
import { signed } from '../../plane/src/feed/signed.ts';
import { newToken } from '../../plane/src/platform/token.ts';
import { encodeSnapshot } from '../../plane/src/snapshot/format.ts';
import type { EdgeConfig } from './config.ts';
import { type Edge, startEdge } from './edge.ts';
import {
  enrolmentFor,
  FEED,
  FOREIGN_KEY,
  featureRow,
  flagsOf,
  type HostileUpstream,
  headOf,
  OWN_KEY,
  SDK_TOKEN,
  snapshotOf,
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
  await upstream.setSnapshot(snapshotOf());
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
  const started = await startEdge(
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
  edge ??= started;
  return started;
};

const read = async (token = SDK_TOKEN) => {
  const response = await fetch(`${edge?.url}/api/client/features`, {
    headers: { authorization: token, 'unleash-client-spec': '5.2.0' },
  });
  const body = (await response.json()) as { features?: { name: string }[] };
  return { status: response.status, names: body.features?.map(({ name }) => name) ?? [] };
};
const names = async () => (await read()).names;

/** Starts an edge and waits until it follows the stream and has the first snapshot. */
const started = async (fields: Partial<EdgeConfig> = {}): Promise<void> => {
  await start(fields);
  await expect.poll(names, POLL).toEqual(FIRST);
  await expect.poll(() => upstream.streams, POLL).toBe(1);
};

/** Sends a genuine change after an attack. Once it has arrived, the edge must have read the attack too. */
const genuine = async (expected: string[], revision = 6): Promise<void> => {
  await expect
    .poll(async () => {
      upstream.send(flagsOf('genuine', revision - 1, revision));
      return await names();
    }, POLL)
    .toEqual(expected);
};

test.each<[string, () => string]>([
  ['is altered', () => signed(flagsOf('x1', 5, 6), OWN_KEY).replaceAll('x1', 'x2')],
  ['is signed with a foreign key', () => signed(flagsOf('evil', 5, 6), FOREIGN_KEY)],
  ['names the key and is not signed', () => `${JSON.stringify(flagsOf('evil', 5, 6))}\n${OWN_KEY.id} AAAA`],
  [
    'has the signature of a different frame',
    () => `${JSON.stringify(flagsOf('evil', 5, 6))}\n${signed(headOf(), OWN_KEY).split('\n')[1]}`,
  ],
  ['has no signature', () => JSON.stringify(flagsOf('evil', 5, 6))],
  ['is not JSON', () => '{{{'],
  [
    'is of a different environment',
    () => signed(flagsOf('evil', 5, 6, { feed: { ...FEED, environment: 'development' } }), OWN_KEY),
  ],
  [
    'is of a feed with other projects',
    () => signed(flagsOf('evil', 5, 6, { feed: { ...FEED, projects: ['a'] } }), OWN_KEY),
  ],
  ['lacks fields', () => signed({ v: 1, feed: FEED, epoch: 'a', log: 'flags' }, OWN_KEY)],
  ['has a negative revision', () => signed(flagsOf('evil', -1, 6), OWN_KEY)],
  [
    'is a revocation of a different token',
    () => signed({ v: 1, log: 'revoked', hash: 'a'.repeat(64) }, OWN_KEY),
  ],
  [
    'is a revocation with a foreign signature',
    () => signed({ v: 1, log: 'revoked', hash: 'a'.repeat(64) }, FOREIGN_KEY),
  ],
  ['is of a later version', () => signed({ ...flagsOf('evil', 5, 6), v: 2 }, OWN_KEY)],
  ['is of an unknown log', () => signed({ ...headOf(), log: 'shutdown' }, OWN_KEY)],
])('ignores a frame that %s', async (_what, frame) => {
  await started();

  upstream.send(frame());

  await genuine(['first', 'genuine']);
});

test('ignores a snapshot that is altered, signed with a different key, of a different feed, or older', async () => {
  await started();
  const evil = snapshotOf({ revision: 9, features: [featureRow('evil', 9)] });
  const good = Buffer.concat(await encodeSnapshot(evil, OWN_KEY));
  const attacks: Buffer[] = [
    Buffer.from(good.toString().replaceAll('evil', 'oops')),
    Buffer.concat(await encodeSnapshot(evil, FOREIGN_KEY)),
    Buffer.concat(await encodeSnapshot({ ...evil, feed: { ...FEED, environment: 'development' } }, OWN_KEY)),
    Buffer.concat(
      await encodeSnapshot(snapshotOf({ revision: 4, features: [featureRow('evil', 4)] }), OWN_KEY),
    ),
    good.subarray(0, -5),
    Buffer.concat([good, Buffer.from('x')]),
    Buffer.alloc(0),
    Buffer.from('\n\n'),
  ];
  for (const bytes of attacks) {
    upstream.setBytes(bytes);
    const before = upstream.snapshotReads;
    await expect
      .poll(() => {
        // A gap makes the edge fetch the snapshot.
        upstream.send(headOf({ rev: 9 }));
        return upstream.snapshotReads;
      }, POLL)
      .toBeGreaterThan(before);
    expect(await names()).toEqual(FIRST);
  }
  await upstream.setSnapshot(snapshotOf({ revision: 10, features: [featureRow('later', 10)] }));

  await expect
    .poll(async () => {
      upstream.send(headOf({ rev: 10 }));
      return await names();
    }, POLL)
    .toEqual(['later']);
});

test('a recorded snapshot of an earlier epoch does not set the edge back, and a new epoch applies immediately', async () => {
  const recorded = await upstream.setSnapshot(
    snapshotOf({
      epoch: 'old',
      revision: 90,
      takenAt: '2026-01-01T00:00:00.000Z',
      features: [featureRow('revoked', 90)],
    }),
  );
  const oldHead = headOf({ epoch: 'old', rev: 90, now: '2026-01-01T00:00:00.000Z' });
  await upstream.setSnapshot(snapshotOf());
  await started({ dataDir: folder });
  upstream.setBytes(recorded);
  const reads = upstream.snapshotReads;

  upstream.send(oldHead);
  upstream.send(flagsOf('old', 90, 91, { epoch: 'old' }));
  await genuine(['first', 'genuine']);
  expect(upstream.snapshotReads).toBe(reads);
  // The gap is genuine, but the snapshot is an old recording.
  upstream.send(headOf({ rev: 7 }));
  await expect.poll(() => upstream.snapshotReads, POLL).toBeGreaterThan(reads);
  expect(await names()).toEqual(['first', 'genuine']);
  expect(readFileSync(join(folder, 'edge', 'feed.snapshot'), 'utf8')).not.toContain('revoked');

  await upstream.setSnapshot(
    snapshotOf({ epoch: 'new', revision: 1, features: [featureRow('restored', 1)] }),
  );
  await expect
    .poll(async () => {
      upstream.send(headOf({ epoch: 'new', rev: 1 }));
      return await names();
    }, POLL)
    .toEqual(['restored']);
});

const answer = (request: IncomingMessage, response: ServerResponse, fields: object): void => {
  const hash = request.url?.split('/').at(-1);
  const body = { v: 1, feed: FEED, epoch: 'a', log: 'token', rev: 5, hash, token: null, ...fields };
  response.end(`${signed(body, OWN_KEY)}\n`);
};

test('ignores a token response that is an old recording, signed with a different key, or about a different token', async () => {
  await started();
  const guest = newToken('backend', '*:production.');
  const guestRow = tokenRow(guest, { id: 2 });
  const attempts: [object, number][] = [
    // A genuine response from before the token was revoked.
    [{ token: guestRow, rev: 4 }, 503],
    [{ token: guestRow, epoch: 'old' }, 503],
    [{ token: guestRow, feed: { ...FEED, projects: ['a'] } }, 503],
    [{ token: guestRow, feed: { ...FEED, environment: 'development' } }, 503],
    [{ token: guestRow, hash: 'a'.repeat(64) }, 503],
    [{ token: null, rev: 4 }, 503],
    [{ token: guestRow }, 200],
  ];
  for (const [fields, status] of attempts) {
    upstream.onToken((request, response) => answer(request, response, fields));
    await expect.poll(async () => (await read(guest)).status, POLL).toBe(status);
  }
  const unknown = newToken('backend', '*:production.');
  upstream.onToken((_request, response) => void response.writeHead(401).end('{"message":"no"}'));
  expect((await read(unknown)).status).toBe(503);
});

test('does not ask upstream about a token that it knows to be revoked', async () => {
  const revoked = newToken('backend', '*:production.');
  await upstream.setSnapshot(snapshotOf({ endedTokens: [tokenRow(revoked).hash] }));
  await started();
  let asked = 0;
  upstream.onToken((request, response) => {
    asked++;
    answer(request, response, { token: tokenRow(revoked, { id: 2 }) });
  });

  expect((await read(revoked)).status).toBe(401);
  expect(asked).toBe(0);
});

test('an edge that a snapshot lists as revoked serves nothing and empties its folder', async () => {
  const enrolment = enrolmentFor(upstream.url);
  await started({ enrolment, dataDir: folder });
  await upstream.setSnapshot(snapshotOf({ tokenRevision: 9, endedTokens: [tokenRow(enrolment.token).hash] }));

  upstream.send(headOf({ tokenRev: 9 }));

  await expect.poll(async () => (await read()).status, POLL).toBe(401);
  await expect.poll(() => readdirSync(join(folder, 'edge')), POLL).not.toContain('feed.snapshot');
  expect(lines.filter(line => line.includes('edge token revoked'))).toHaveLength(1);
});

test('passes on each announcement of keys once, so that edges that read from each other do not repeat it for ever', async () => {
  const secret = newToken('edge', '*:production.');
  await upstream.setSnapshot(
    snapshotOf({ tokens: [tokenRow(SDK_TOKEN), tokenRow(secret, { id: 2, type: 'edge' })] }),
  );
  await started();
  const connection = new AbortController();
  const response = await fetch(`${edge?.url}/api/edge/v1/stream`, {
    headers: { authorization: secret },
    signal: connection.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => {});
  await expect.poll(() => text, POLL).toContain('gap');

  const announcement = announcementOf(OWN_KEY, undefined);
  for (let time = 0; time < 3; time++) upstream.send(announcement);
  await genuine(['first', 'genuine']);

  await expect.poll(() => text, POLL).toContain('genuine');
  expect(text.split(announcement.split('\n')[0] ?? '')).toHaveLength(2);
  connection.abort();
  await reading;
});

test('ends no stream for a revision that the edge itself does not have', async () => {
  let reports = 0;
  let revision = 6;
  upstream.onReport((_request, response) => {
    reports++;
    response.end(JSON.stringify({ missing: [], questions: [{ environment: 'production', revision }] }));
  });
  await started();
  const response = await fetch(`${edge?.url}/api/client/streaming`, {
    headers: { authorization: SDK_TOKEN, 'unleash-connection-id': 'one' },
  });
  let isOpen = true;
  const reading = (async () => {
    for await (const _chunk of response.body ?? []);
    isOpen = false;
  })();
  const before = reports;
  await expect.poll(() => reports, POLL).toBeGreaterThan(before + 2);
  expect(isOpen).toBe(true);

  revision = 5;
  await expect.poll(() => isOpen, POLL).toBe(false);
  await reading;
});

test('does not read an unsigned body', async () => {
  await started();
  let sent = 0;
  upstream.onReport((_request, response) => void response.writeHead(503).end());
  const bomb = Buffer.concat([Buffer.from('{"v":1}\nkey signature\n'), Buffer.alloc(40_000_000, 'x')]);
  upstream.setBytes(bomb);
  await expect
    .poll(() => {
      upstream.send(headOf({ rev: 9 }));
      sent++;
      return lines.join('\n');
    }, POLL)
    .toContain('is not trusted');
  expect(sent).toBeGreaterThan(0);
  expect(await names()).toEqual(FIRST);
});

test('keeps counts if something other than a server accepts a report, and delivers them despite huge registrations', async () => {
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
  await started({ dataDir: folder });
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
      strategies: Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(200, '策')),
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

  const counted = () =>
    new Map(reports.flatMap(({ batch }) => (batch ? [[batch.sequence, batch] as const] : [])));
  await expect
    .poll(
      () =>
        [...counted().values()].flatMap(({ buckets }) =>
          buckets.flatMap(one => one.features.map(({ yes }) => yes)),
        ),
      POLL,
    )
    .toEqual([7]);
  await expect
    .poll(
      () =>
        new Set([...counted().values()].flatMap(({ instances }) => instances.map(one => one.instanceId)))
          .size,
      POLL,
    )
    .toBe(401);
  expect(lines.join('\n')).not.toContain('dropped');
});

test('two edges cannot share a folder, and an edge that cannot write to its folder serves without it', async () => {
  await started({ dataDir: folder });
  await expect(start({ dataDir: folder })).rejects.toThrow('Another edge uses the folder');
  await stop();
  await started({ dataDir: folder });
  await stop();
  expect(readdirSync(folder)).toContain('edge');

  const file = join(folder, 'file');
  writeFileSync(file, '');
  await started({ dataDir: file });
  upstream.send(flagsOf('genuine', 5, 6));
  await expect.poll(names, POLL).toEqual(['first', 'genuine']);
  expect(lines.join('\n')).toContain('unsent metrics not written');
});
