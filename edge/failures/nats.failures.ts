import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { type BusNames, busNames, directGet } from '../../plane/src/feed/bus.ts';
import { type Enrolment, enrolmentText, readEnrolment } from '../../plane/src/feed/enrolment.ts';
import type { FlagsFrame, Frame } from '../../plane/src/feed/frames.ts';
import { readBatch, readLast } from '../../plane/src/feed/nats.ts';
import { signed } from '../../plane/src/feed/signed.ts';
import { signingKeyOf } from '../../plane/src/snapshot/keys.ts';
import { copyDatabase, discardDatabase, runIn, urlOf } from '../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess, unwatch } from '../../server/src/test/process.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { freePort, makeNatsServer, type NatsServer } from './nats-server.ts';

const ADMIN = '*:*.an-operator-chose-this-secret-0123456789';
const EDGE = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../server/scripts/nats-config.ts', import.meta.url));
const POLL = { timeout: 120_000, interval: 50 };
const SECRET_KEY = Buffer.alloc(32, 7);
const FOREIGN_KEY = signingKeyOf(Buffer.alloc(32, 8));
const FEATURES = '/api/admin/projects/default/features';
const name = `halyard_nats_${randomBytes(4).toString('hex')}`;

let folder: string;
let nats: NatsServer;
let names: BusNames;
let foreign: BusNames;
let enrolment: Enrolment;
let sdkToken: string;
/** To the first server. */
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
    DATABASE_URL: urlOf(name),
    HALYARD_INIT_ADMIN_TOKENS: ADMIN,
    HALYARD_SECRET_KEY: SECRET_KEY.toString('base64'),
    ...env,
  });
  servers.push(server);
  return server;
};

const withNats = () => ({
  HALYARD_NATS_URL: nats.url,
  HALYARD_NATS_NKEY_FILE: join(folder, 'publisher.nk'),
});

const startEdge = async (at = nats, own: Enrolment = enrolment): Promise<RunningServer> => {
  const edge = await startProcess(
    {
      HALYARD_EDGE_ENROLMENT: enrolmentText(own),
      HALYARD_EDGE_NATS_URL: at.url,
      HALYARD_EDGE_NATS_NKEY_FILE: join(folder, `edge-${names.id}.nk`),
    },
    undefined,
    EDGE,
  );
  edges.push(edge);
  return edge;
};

const kill = async (one: RunningServer): Promise<void> => {
  unwatch(one);
  if (one.process.exitCode === null && one.process.signalCode === null) await stopProcess(one, 'SIGKILL');
};

const connectAs = async (file: string, at = nats): Promise<NatsConnection> => {
  const seed = readFileSync(join(folder, `${file}.nk`))
    .toString()
    .trim();
  const nc = await connect({ servers: at.url, authenticator: nkeyAuthenticator(Buffer.from(seed)) });
  connections.push(nc);
  return nc;
};

const read = async (from: RunningServer | undefined) => {
  const response = await request(`${from?.url}/api/client/features`, {
    headers: { authorization: sdkToken, 'unleash-client-spec': '5.2.0' },
  });
  const body = await response.text();
  return { status: response.status, etag: response.headers.get('etag'), body };
};

const metric = async (from: RunningServer | undefined, metricName: string): Promise<number> => {
  const path = from && servers.includes(from) ? '/internal-backstage/prometheus' : '/metrics';
  const text = await (await request(`${from?.url}${path}`)).text();
  return Number(new RegExp(`^${metricName} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
};

const untilLive = (edge: RunningServer) =>
  expect.poll(() => metric(edge, 'halyard_edge_nats_live'), POLL).toBe(1);

const untilEqual = async (edge: RunningServer, server = servers[0]): Promise<void> => {
  await expect
    .poll(async () => {
      const [{ etag, body }, own] = await Promise.all([read(server), read(edge)]);
      return [own.status, own.etag, own.body].join() === [200, etag, body].join();
    }, POLL)
    .toBe(true);
};

/** All frames in the stream, in order. */
const framesIn = async (nc: NatsConnection, of = names): Promise<{ sequence: number; frame: Frame }[]> => {
  const found: { sequence: number; frame: Frame }[] = [];
  for (;;) {
    const from = (found.at(-1)?.sequence ?? 0) + 1;
    const batch = await readBatch(nc, of.framesStream, from, { messages: 500, bytes: 1_000_000 });
    if (batch.length === 0) return found;
    for (const { sequence, data } of batch)
      found.push({ sequence, frame: JSON.parse(Buffer.from(data).toString().split('\n')[0] ?? '') });
  }
};

/** The revision that a server serves, once it has the flag. */
const revisionWith = async (flag: string, server = servers[0]): Promise<number> => {
  await expect.poll(async () => (await read(server)).body, POLL).toContain(`"${flag}"`);
  return Number(/\.(\d+)"$/.exec((await read(server)).etag ?? '')?.[1]);
};

/** Creates a flag and waits until the server serves it, and then the edge. */
const reaches = async (edge: RunningServer, flag: string): Promise<void> => {
  await createFlag(flag);
  await revisionWith(flag);
  await untilEqual(edge);
};

const natsConfig = async (...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, '--folder', folder, ...args], {
    env: { DATABASE_URL: urlOf(name) },
  });
  return stdout;
};

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  folder = mkdtempSync(join(tmpdir(), 'halyard-nats-'));
  const first = await startServer();
  sdkToken = (await createToken()).secret;
  await createFlag('first');
  const created = await createToken({ type: 'edge', tokenName: 'edge' });
  await createToken({ type: 'edge', tokenName: 'other', environment: 'development' });
  enrolment = readEnrolment(created.enrolment ?? '');
  names = busNames(enrolment.feed);
  foreign = busNames({ environment: 'development', projects: null });
  await natsConfig('--region', 'west', '--hub', 'nats-leaf://127.0.0.1:1');
  nats = await makeNatsServer(folder, 'hub', 'hub.conf');
  await nats.start();
  await stopProcess(first);
  servers.length = 0;
  const server = await startServer(withNats());
  proxy = await startTcpProxy('127.0.0.1', server.port);
  enrolment = { ...enrolment, url: `http://127.0.0.1:${proxy.port}` };
});

afterEach(async () => {
  proxy.thaw();
  for (const edge of edges.splice(0)) await kill(edge);
  for (const nc of connections.splice(0)) await nc.close();
});

afterAll(async () => {
  for (const server of servers) await kill(server);
  await proxy.close();
  await nats.kill();
  rmSync(folder, { recursive: true });
  await discardDatabase(name);
});

test('an edge follows its feed through NATS alone, without creating a consumer', async () => {
  expect(statSync(join(folder, 'publisher.nk')).mode & 0o777).toBe(0o600);
  const edge = await startEdge();
  await untilEqual(edge);
  await untilLive(edge);
  expect(await metric(servers[0], 'halyard_nats_leader')).toBe(1);
  const snapshots = await metric(edge, 'halyard_edge_snapshots_total');

  proxy.cut();
  for (let number = 0; number < 20; number++) await createFlag(`through-nats-${number}`);
  const { id, secret } = await createToken();
  await untilEqual(edge);

  const status = async () =>
    (await request(`${edge.url}/api/client/features`, { headers: { authorization: secret } })).status;
  await expect.poll(status, POLL).toBe(200);
  await admin('DELETE', `/api/admin/api-tokens/${id}`);
  await expect.poll(status, POLL).toBe(401);
  // Every change was a frame.
  expect(await metric(edge, 'halyard_edge_snapshots_total')).toBe(snapshots);
  const publisher = await connectAs('publisher');
  for (const stream of [names.framesStream, names.snapshotStream]) {
    const info = await publisher.request(`$JS.API.STREAM.INFO.${stream}`);
    expect(info.json()).toMatchObject({ state: { consumer_count: 0 } });
  }
});

test('after NATS lost everything, HTTP continues and the streams are filled from the database', async () => {
  const edge = await startEdge();
  await untilLive(edge);
  await nats.kill();
  nats.wipe();

  await createFlag('without-nats');
  await untilEqual(edge);
  expect(await metric(servers[0], 'halyard_nats_connected')).toBe(0);

  await nats.start();
  const publisher = await connectAs('publisher');
  const position = async (stream: string, subject: string) =>
    (await readLast(publisher, stream, subject).catch(() => undefined))?.position?.revision;
  const revision = await revisionWith('without-nats');
  await expect.poll(() => position(names.framesStream, names.frames), POLL).toBe(revision);
  await expect.poll(() => position(names.snapshotStream, names.snapshot), POLL).toBe(revision);
  await untilLive(edge);
  proxy.cut();
  await createFlag('after-wipe');
  await untilEqual(edge);
});

test('two servers publish each revision once, while the leader is paused and continues', async () => {
  const second = await startServer(withNats());
  const edge = await startEdge();
  await untilEqual(edge);
  const publisher = await connectAs('publisher');
  const leaders = async () => await Promise.all(servers.map(server => metric(server, 'halyard_nats_leader')));
  expect(await leaders()).toEqual([1, 0]);
  const before = (await framesIn(publisher)).at(-1)?.sequence ?? 0;
  const first = servers[0] as RunningServer;

  for (let round = 0; round < 3; round++) {
    first.process.kill('SIGSTOP');
    try {
      for (let number = 0; number < 10; number++) await createFlag(`paused-${round}-${number}`, second);
      const revision = await revisionWith(`paused-${round}-9`, second);
      const published = async () =>
        (await readLast(publisher, names.framesStream, names.frames))?.position?.revision;
      await expect.poll(published, POLL).toBe(revision);
    } finally {
      first.process.kill('SIGCONT');
    }
    for (let number = 0; number < 10; number++)
      await createFlag(`both-${round}-${number}`, number % 2 === 0 ? first : second);
    await untilEqual(edge, second);
    await untilEqual(edge, first);
  }

  const all = (await framesIn(publisher)).filter(({ sequence }) => sequence >= before);
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, n) => before + n));
  const flags = all.map(({ frame }) => frame).filter((frame): frame is FlagsFrame => frame.log === 'flags');
  expect(flags.length).toBeGreaterThan(6);
  // Each frame continues where the one before it ended: no gap, no duplicate.
  for (const [n, frame] of flags.entries()) if (n > 0) expect(frame.prev).toBe(flags[n - 1]?.rev);
  expect(all.filter(({ frame }) => frame.log === 'head')).toEqual([]);
  await stopProcess(second);
  servers.pop();
});

test('a revision that a restored database has lost begins a new epoch in NATS', async () => {
  const edge = await startEdge();
  await untilEqual(edge);
  await untilLive(edge);
  const before = await read(edge);
  await reaches(edge, 'lost');
  const revision = Number(/\.(\d+)"$/.exec(before.etag ?? '')?.[1]);
  // Nobody but NATS remembers.
  await kill(servers[0] as RunningServer);
  servers.length = 0;
  await runIn(
    name,
    'begin',
    `delete from sdk_features where environment = 'production' and revision > ${revision}`,
    `update sdk_revisions set revision = ${revision} where environment = 'production'`,
    'commit',
  );

  const server = await startServer(withNats());
  const publisher = await connectAs('publisher');

  const epochs = async () => {
    const last = await readLast(publisher, names.framesStream, names.frames);
    return last?.position?.epoch;
  };
  const old = before.etag?.replace(/^(W\/)?"/, '').split('.')[0];
  await expect.poll(async () => (await read(server)).etag?.includes(old ?? '-'), POLL).toBe(false);
  await expect.poll(async () => (await epochs()) !== old, POLL).toBe(true);
  proxy.moveTo(server.port);
  await untilEqual(edge);
  proxy.cut();
  await reaches(edge, 'after-restore');
  proxy.moveTo(server.port);
});

test('what nobody signed is not believed', async () => {
  const edge = await startEdge();
  await untilEqual(edge);
  await untilLive(edge);
  const publisher = await connectAs('publisher');
  const last = await readLast(publisher, names.framesStream, names.frames);
  const revision = await revisionWith('after-restore');
  const { epoch } = last?.position ?? { epoch: '' };
  const forged: FlagsFrame = {
    v: 1,
    feed: enrolment.feed,
    log: 'flags',
    epoch,
    prev: revision,
    rev: revision + 1,
    completeSince: 0,
    revs: [
      {
        rev: revision + 1,
        events: [
          {
            feature: {
              project: 'default',
              name: 'forged',
              revision: revision + 1,
              document: '{"name":"forged","enabled":true}',
              segments: [],
              tags: [],
            },
          },
        ],
      },
    ],
  };
  const own = signingKeyOf(SECRET_KEY);
  const attacks = [
    signed(forged, FOREIGN_KEY),
    signed(forged, FOREIGN_KEY).replace(FOREIGN_KEY.id, own.id),
    signed(forged, own).replace('"enabled\\":true', '"enabled\\":false'),
    signed({ ...forged, feed: { environment: 'development', projects: null } }, own),
    signed({ ...forged, epoch: 'other' }, own).slice(0, -9),
    'x'.repeat(1_000),
    '\n',
  ];
  const before = await read(edge);

  for (const attack of attacks) {
    publisher.publish(names.frames, attack);
    publisher.publish(names.head, attack);
  }

  await expect
    .poll(() => metric(edge, 'halyard_edge_nats_rejected_total'), POLL)
    .toBeGreaterThanOrEqual(2 * attacks.length);
  expect(await read(edge)).toEqual(before);
  // An edge that has nothing starts from neither a forged snapshot nor forged frames, but from the server.
  const snapshot = await readLast(publisher, names.snapshotStream, names.snapshot);
  for (const data of [Buffer.from('x'), gzipSync('{}\nx y\n'), snapshot?.data.slice(0, -40) ?? '']) {
    publisher.publish(names.snapshot, data);
    await publisher.flush();
    const fresh = await startEdge();
    await untilEqual(fresh);
    expect((await read(fresh)).body).not.toContain('forged');
  }
  // The server replaces them.
  await createFlag('after-attack');
  await untilEqual(edge);
  const stored = async () =>
    (await readLast(publisher, names.snapshotStream, names.snapshot))?.position?.revision;
  await expect.poll(stored, POLL).toBe(await revisionWith('after-attack'));
});

test("an edge's account can neither publish nor read a different feed", async () => {
  const edge = await connectAs(`edge-${names.id}`);
  const publisher = await connectAs('publisher');
  const received: string[] = [];
  const got = (error: Error | null, { subject }: { subject: string }): void => {
    if (!error) received.push(subject);
  };
  const ask = (subject: string, payload = '') =>
    edge.request(subject, payload, { timeout: 500 }).then(
      ({ data, headers }) => (headers?.code ? '' : Buffer.from(data).toString()),
      () => '',
    );

  // Its own feed can be read.
  expect(await ask(directGet(names.framesStream), JSON.stringify({ last_by_subj: names.frames }))).toContain(
    '"v":1',
  );

  const answers: string[] = [];
  for (const one of [names, foreign])
    for (const subject of [one.frames, one.head, one.snapshot]) edge.publish(subject, 'x');
  for (const subject of [
    foreign.frames,
    foreign.head,
    foreign.snapshot,
    names.snapshot,
    'halyard.>',
    '>',
    '$JS.>',
  ])
    edge.subscribe(subject, { callback: got });
  for (const stream of [foreign.framesStream, foreign.snapshotStream]) {
    answers.push(await ask(directGet(stream), JSON.stringify({ seq: 1 })));
    answers.push(await ask(`${directGet(stream)}.${foreign.frames}`));
    answers.push(await ask(`$JS.API.STREAM.MSG.GET.${stream}`, JSON.stringify({ seq: 1 })));
    answers.push(await ask(`$JS.API.STREAM.INFO.${stream}`));
  }
  answers.push(await ask(directGet(names.framesStream), JSON.stringify({ last_by_subj: foreign.frames })));
  for (const call of [
    'STREAM.LIST',
    'STREAM.NAMES',
    'INFO',
    `STREAM.DELETE.${names.framesStream}`,
    `STREAM.PURGE.${names.framesStream}`,
  ])
    answers.push(await ask(`$JS.API.${call}`));
  const consumer = { stream_name: names.framesStream, config: { deliver_policy: 'all', ack_policy: 'none' } };
  answers.push(await ask(`$JS.API.CONSUMER.CREATE.${names.framesStream}`, JSON.stringify(consumer)));
  // A foreign reply subject must not make the server write into a different feed.
  for (const reply of [foreign.frames, foreign.snapshot, names.snapshot])
    edge.publish(directGet(names.framesStream), JSON.stringify({ seq: 1, batch: 10 }), { reply });
  await edge.flush();
  await createFlag('while-spying');
  const last = async () => {
    const found = await readLast(publisher, foreign.framesStream, foreign.frames);
    return Buffer.from(found?.data ?? '').toString();
  };
  await expect.poll(last, POLL).toContain('while-spying');

  expect(answers.filter(text => text !== '')).toEqual([]);
  expect(received).toEqual([]);
  // Nothing but what the server published is in the foreign stream.
  for (const { frame } of await framesIn(publisher, foreign))
    expect(frame).toMatchObject({ v: 1, feed: { environment: 'development' } });
});

test('an edge without disk starts from NATS while all servers are down', async () => {
  const expected = await read(servers[0]);
  const publisher = await connectAs('publisher');
  await createFlag('newest');
  const revision = await revisionWith('newest');
  const stored = async () =>
    (await readLast(publisher, names.framesStream, names.frames))?.position?.revision;
  await expect.poll(stored, POLL).toBe(revision);
  const newest = await read(servers[0]);
  await kill(servers[0] as RunningServer);
  servers.length = 0;

  const edge = await startEdge();

  await expect.poll(async () => (await read(edge)).body, POLL).toBe(newest.body);
  expect(newest.body).not.toBe(expected.body);
  expect((await request(`${edge.url}/ready`)).status).toBe(200);
  const server = await startServer(withNats());
  proxy.moveTo(server.port);
});

test('an edge follows a new signing key through NATS alone, and no longer believes the old one', async () => {
  const edge = await startEdge();
  await untilEqual(edge);
  await untilLive(edge);
  proxy.cut();
  const NEW_KEY = Buffer.alloc(32, 9).toString('base64');
  const restart = async (env: Record<string, string>): Promise<RunningServer> => {
    await stopProcess(servers[0] as RunningServer);
    servers.length = 0;
    return await startServer({ ...withNats(), ...env });
  };
  const replaced = () => edge.output().split('signing keys replaced').length - 1;

  await restart({ HALYARD_SECRET_KEY: NEW_KEY, HALYARD_OLD_SECRET_KEYS: SECRET_KEY.toString('base64') });
  await reaches(edge, 'by-the-new-key');
  expect(replaced()).toBe(1);

  await restart({ HALYARD_SECRET_KEY: NEW_KEY });
  await reaches(edge, 'without-the-old-key');
  await expect.poll(replaced, POLL).toBe(2);

  // Whoever has the old key cannot speak for the servers any more.
  const before = await read(edge);
  const old = await restart({});
  await createFlag('by-the-old-key');
  await expect.poll(() => metric(edge, 'halyard_edge_nats_rejected_total'), POLL).toBeGreaterThan(0);
  await revisionWith('by-the-old-key', old);
  expect((await read(edge)).body).toBe(before.body);
  proxy.moveTo(old.port);
});

test('an edge that only NATS reaches replaces its frames by a snapshot that is a little older', async () => {
  const edge = await startEdge();
  await untilEqual(edge);
  await untilLive(edge);
  proxy.cut();
  const snapshots = await metric(edge, 'halyard_edge_snapshots_total');
  const failures = await metric(edge, 'halyard_edge_upstream_failures_total');

  let created = 0;
  await expect
    .poll(async () => {
      for (let number = 0; number < 50; number++) await createFlag(`many-${created++}`);
      return await metric(edge, 'halyard_edge_snapshots_total');
    }, POLL)
    .toBeGreaterThan(snapshots);

  expect(created).toBeGreaterThan(1_000);
  expect(await metric(edge, 'halyard_edge_upstream_failures_total')).toBe(failures);
  await untilEqual(edge);
});

test('a leaf node with mirrors serves its region while the hub is down', async () => {
  // The configuration has a fixed port for leaf nodes, so this test chooses a free one.
  const port = await freePort();
  await natsConfig('--region', 'west', '--hub', `nats-leaf://127.0.0.1:${port}`);
  const hub = readFileSync(join(folder, 'hub.conf'), 'utf8').replace(
    'port: 7422',
    `listen: "127.0.0.1:${port}"`,
  );
  writeFileSync(join(folder, 'hub.conf'), hub);
  await nats.kill();
  await nats.start();
  const leaf = await makeNatsServer(folder, 'leaf', 'leaf-west.conf');
  await leaf.start();
  try {
    const created = await natsConfig('--region', 'west', '--create-mirrors', leaf.url);
    expect(created).toContain(`${names.framesStream}: created`);
    expect(await natsConfig('--region', 'west', '--create-mirrors', leaf.url)).toContain('created');
    const edge = await startEdge(leaf);
    await untilEqual(edge);
    await untilLive(edge);
    proxy.cut();
    await createFlag('through-the-leaf');
    await untilEqual(edge);
    const revision = await revisionWith('through-the-leaf');
    const admins = await connectAs('leaf-west', leaf);
    const mirrored = async () =>
      (await readLast(admins, names.framesStream, names.frames))?.position?.revision;
    await expect.poll(mirrored, POLL).toBe(revision);
    const mirroredSnapshot = async () =>
      (await readLast(admins, names.snapshotStream, names.snapshot))?.position?.epoch;
    await expect.poll(mirroredSnapshot, POLL).toBeDefined();
    const expected = await read(servers[0]);

    await nats.kill();

    const fresh = await startEdge(leaf);
    await expect.poll(async () => (await read(fresh)).body, POLL).toBe(expected.body);
  } finally {
    await leaf.kill();
  }
});
