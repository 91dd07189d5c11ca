import { hash } from 'node:crypto';
import { join } from 'node:path';
import { directGet } from '@halyard/plane/feed/bus.ts';
import { readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import type { NatsConnection } from '@nats-io/transport-node';
import { beforeAll, expect, test } from 'vitest';
import type { RunningServer } from '../../server/src/test/process.ts';
import { POLL, useNats } from './nats-world.ts';

// An attacker has taken over a production edge: its edge token, its nkey and everything that it reads. The foreign feed is the
// development feed. What a compromised edge can send to the edges that read from it is tested in edge/src/attacks.test.ts.
const world = useNats();
const {
  admin,
  createToken,
  createFlag,
  startEdge,
  connectAs,
  metric,
  read,
  request,
  waitUntilEqual,
  waitUntilLive,
} = world;

type Attack = { name: string; attack: () => Promise<unknown> };

const run = async (attacks: Attack[], through: string): Promise<void> => {
  for (const { name, attack } of attacks)
    await attack().catch(cause => {
      throw new Error(`${through}: ${name}`, { cause });
    });
  process.stdout.write(`${attacks.length} attacks through ${through}\n`);
};

const SECRET_FLAG = 'only-in-development';
let spy: NatsConnection;
let publisher: NatsConnection;
/** Everything that the compromised edge has seen. */
let seenTexts: string[];
let foreignToken: { id: number; secret: string };
let foreignEdge: { id: number; secret: string; enrolment?: string };
/** The victim reads the foreign feed, and the sibling reads the same feed as the compromised edge. */
let victim: RunningServer;
let sibling: RunningServer;

/** Reads what the edge with the foreign feed serves. */
const readVictim = async () => {
  const response = await request(`${victim.url}/api/client/features`, {
    headers: { authorization: foreignToken.secret, 'unleash-client-spec': '5.2.0' },
  });
  return await response.text();
};

const requestFromNats = async (subject: string, payload: string | object = ''): Promise<string> => {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const response = await spy.request(subject, text, { timeout: 300 }).catch(() => undefined);
  const replyText = response && !response.headers?.code ? Buffer.from(response.data).toString() : '';
  seenTexts.push(replyText);
  return replyText;
};

const call = async (method: string, path: string, body?: object): Promise<number> => {
  const response = await request(`${world.servers[0]?.url}${path}`, {
    method,
    headers: {
      authorization: world.enrolment.token,
      'unleash-client-spec': '5.2.0',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  seenTexts.push(await response.text());
  return response.status;
};

const readStreamInfo = async (stream: string) =>
  (await publisher.request(`$JS.API.STREAM.INFO.${stream}`)).json<{
    config: object;
    state: { messages: number; last_seq: number; consumer_count: number };
  }>();

/** Reads everything that an attack could have written in NATS. */
const readStored = async () => {
  const { names, foreignNames } = world;
  const streams = (await publisher.request('$JS.API.STREAM.NAMES')).json<{ streams: string[] }>().streams;
  const states = await Promise.all(
    [names.framesStream, foreignNames.framesStream].map(async stream => {
      const { config, state } = await readStreamInfo(stream);
      const { messages, last_seq: last, consumer_count: consumers } = state;
      return { stream, config, messages, last, consumers };
    }),
  );
  return { streams: streams.toSorted(), states };
};

let enrolment: string;

beforeAll(async () => {
  foreignToken = await createToken({ environment: 'development' });
  foreignEdge = await createToken({ environment: 'development', type: 'edge', tokenName: 'victim' });
  enrolment = foreignEdge.enrolment ?? '';
  await createFlag(SECRET_FLAG);
  await admin('POST', `/api/admin/projects/default/features/${SECRET_FLAG}/environments/development/on`);
});

const start = async (): Promise<void> => {
  victim = await startEdge(undefined, readEnrolment(enrolment), {
    HALYARD_EDGE_NATS_NKEY_FILE: join(world.folder, `edge-${world.foreignNames.id}.nk`),
  });
  sibling = await startEdge();
  await waitUntilLive(victim);
  await waitUntilLive(sibling);
  await waitUntilEqual(sibling);
  await expect.poll(readVictim, POLL).toContain(SECRET_FLAG);
  spy = await connectAs(`edge-${world.names.id}`);
  publisher = await connectAs('publisher');
  seenTexts = [];
};

test('a compromised edge cannot read a different feed through NATS, or write to any feed', async () => {
  await start();
  const { names, foreignNames } = world;
  const subscribeTo = (subject: string): Attack => ({
    name: `subscribe to ${subject}`,
    attack: async () =>
      void spy.subscribe(subject, {
        callback: (error, message) => {
          if (!error) seenTexts.push(`${message.subject} ${Buffer.from(message.data).toString()}`);
        },
      }),
  });
  const send = (subject: string): Attack => ({
    name: `publish to ${subject}`,
    attack: async () => void spy.publish(subject, 'forged'),
  });
  const api = (apiCall: string, payload: string | object = ''): Attack => ({
    name: apiCall,
    attack: async () => expect(await requestFromNats(`$JS.API.${apiCall}`, payload)).toBe(''),
  });
  const get = (stream: string, payload: object): Attack => ({
    name: `direct get from ${stream}: ${JSON.stringify(payload)}`,
    attack: async () => expect(await requestFromNats(directGet(stream), payload)).toBe(''),
  });
  const reply = (to: string): Attack => ({
    name: `direct get with the reply subject ${to}`,
    attack: async () =>
      void spy.publish(directGet(names.framesStream), JSON.stringify({ seq: 1, batch: 10 }), { reply: to }),
  });
  const consumer = { deliver_policy: 'all', ack_policy: 'none' };
  const push = { ...consumer, deliver_subject: names.frames };
  const allFeeds = [names, foreignNames];
  const attacks: Attack[] = [
    ...[
      foreignNames.frames,
      foreignNames.head,
      foreignNames.snapshot,
      'halyard.>',
      '>',
      '$JS.>',
      '$SYS.>',
      '*.*.*',
    ].map(subscribeTo),
    ...allFeeds.flatMap(({ frames, head, snapshot }) => [frames, head, snapshot]).map(send),
    send('$JS.API.ACK'),
    get(foreignNames.framesStream, { seq: 1 }),
    get(foreignNames.framesStream, { last_by_subj: foreignNames.frames }),
    get(foreignNames.snapshotStream, { last_by_subj: foreignNames.snapshot }),
    get(names.framesStream, { last_by_subj: foreignNames.frames }),
    get(`${foreignNames.framesStream}.${foreignNames.frames}`, {}),
    api(`STREAM.MSG.GET.${foreignNames.framesStream}`, { seq: 1 }),
    api(`STREAM.MSG.DELETE.${names.framesStream}`, { seq: 1 }),
    ...['STREAM.LIST', 'STREAM.NAMES', 'INFO'].map(apiCall => api(apiCall)),
    api('STREAM.CREATE.OTHER', { name: 'OTHER', subjects: ['other'], storage: 'memory' }),
    api('STREAM.CREATE.COPY', {
      name: 'COPY',
      storage: 'memory',
      sources: [{ name: foreignNames.framesStream }],
    }),
    ...allFeeds.flatMap(({ framesStream }) =>
      ['INFO', 'PURGE', 'DELETE'].map(operation => api(`STREAM.${operation}.${framesStream}`)),
    ),
    api(`STREAM.UPDATE.${names.framesStream}`, { name: names.framesStream, subjects: [foreignNames.frames] }),
    ...allFeeds.flatMap(({ framesStream }) => [
      api(`CONSUMER.CREATE.${framesStream}`, { stream_name: framesStream, config: consumer }),
      api(`CONSUMER.CREATE.${framesStream}.spy`, { stream_name: framesStream, config: push }),
    ]),
    api(`CONSUMER.LIST.${names.framesStream}`),
    ...[
      foreignNames.frames,
      foreignNames.head,
      foreignNames.snapshot,
      names.frames,
      names.head,
      names.snapshot,
    ].map(reply),
  ];
  expect(attacks.length).toBeGreaterThanOrEqual(40);
  // The compromised edge can read its own feed, so its credentials work and the attacks below fail only because it lacks permissions.
  expect(await requestFromNats(directGet(names.framesStream), { last_by_subj: names.frames })).toContain(
    '"v":1',
  );
  seenTexts = [];
  const stateBefore = { nats: await readStored(), victim: await readVictim(), sibling: await read(sibling) };

  await run(attacks, 'NATS');
  await spy.flush();

  expect(await readStored()).toEqual(stateBefore.nats);
  expect(await readVictim()).toBe(stateBefore.victim);
  expect(await read(sibling)).toEqual(stateBefore.sibling);
  // A change in each feed still arrives, and only in its own feed.
  await createFlag('after-nats');
  await waitUntilEqual(sibling);
  await expect.poll(readVictim, POLL).toContain('after-nats');
  expect(seenTexts.filter(text => text.includes('development') || text.includes(foreignNames.id))).toEqual(
    [],
  );
  for (const edge of [victim, sibling]) expect(await metric(edge, 'halyard_edge_nats_live')).toBe(1);
});

test("replies that a compromised edge injects into other edges' requests change nothing", async () => {
  await start();
  const { names } = world;
  let injectedReplyCount = 0;
  // The edge can read its own account's inboxes, so it makes NATS send genuine old frames to these inboxes.
  spy.subscribe('_INBOX.>', {
    callback: (error, { subject }) => {
      if (error || injectedReplyCount > 500) return;
      injectedReplyCount++;
      const payload = JSON.stringify({ seq: 1, batch: 5 });
      spy.publish(directGet(names.framesStream), payload, { reply: subject });
    },
  });
  await spy.flush();

  const freshEdge = await startEdge();
  for (let n = 0; n < 5; n++) await createFlag(`while-injecting-${n}`);
  await waitUntilEqual(freshEdge);
  await waitUntilEqual(sibling);

  expect(injectedReplyCount).toBeGreaterThan(0);
  expect((await read(freshEdge)).status).toBe(200);
});

test('a compromised edge cannot read or change a different feed through the servers', async () => {
  await start();
  const hashSecret = (secret: string) => hash('sha256', secret);
  const report = (fields: object) =>
    call('POST', '/api/edge/v1/report', {
      edge: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      version: '0.1.0',
      epoch: 'forged',
      revision: 2_000_000,
      age: 0,
      clients: 1,
      isIgnoring: false,
      isStopping: false,
      heard: [],
      requests: [],
      uses: [],
      ...fields,
    });
  const bucket = {
    token: foreignToken.id,
    application: 'forged',
    hour: Math.floor(Date.now() / 3_600_000),
    features: [{ name: SECRET_FLAG, yes: 1_000, no: 0, seenAt: Date.now() }],
  };
  const sighting = {
    token: foreignToken.id,
    id: 'forged',
    application: 'forged',
    instance: 'forged',
    epoch: '',
    revision: 1,
    isExact: true,
    isStreaming: false,
    interval: 15,
    age: 0,
  };
  const instance = {
    token: foreignToken.id,
    application: 'forged',
    instanceId: 'forged',
    sdkVersion: null,
    isFrontend: false,
    seenAt: Date.now(),
  };
  const rejectedAttack = (method: string, path: string, body?: object): Attack => ({
    name: `${method} ${path}`,
    attack: async () => expect([401, 403, 404]).toContain(await call(method, path, body)),
  });
  const allowedAttack = (name: string, attack: () => Promise<unknown>): Attack => ({ name, attack });
  const features = '/api/admin/projects/default/features';
  const attacks: Attack[] = [
    ...[
      'client/features',
      'client/streaming',
      'client/delta',
      'frontend',
      'admin/api-tokens',
      'admin/edges',
    ].map(path => rejectedAttack('GET', `/api/${path}?environment=development`)),
    rejectedAttack('GET', `${features}/${SECRET_FLAG}`),
    rejectedAttack('POST', features, { name: 'forged' }),
    rejectedAttack('POST', `${features}/${SECRET_FLAG}/environments/development/off`),
    rejectedAttack('DELETE', `/api/admin/api-tokens/${foreignEdge.id}`),
    rejectedAttack('POST', '/api/admin/api-tokens', {
      tokenName: 'forged',
      type: 'edge',
      environment: 'development',
    }),
    rejectedAttack('POST', '/api/client/metrics', { appName: 'forged', bucket: {} }),
    allowedAttack('head of a different environment', () =>
      call('GET', '/api/edge/v1/head?environment=development'),
    ),
    allowedAttack('snapshot of a different environment', () =>
      call('GET', '/api/edge/v1/snapshot?environment=development&projects=*'),
    ),
    allowedAttack('look up a foreign SDK token', () =>
      call('GET', `/api/edge/v1/tokens/${hashSecret(foreignToken.secret)}`),
    ),
    allowedAttack('look up a foreign edge token', () =>
      call('GET', `/api/edge/v1/tokens/${hashSecret(foreignEdge.secret)}`),
    ),
    allowedAttack('counts of a foreign token', () =>
      report({ batch: { sequence: 1, buckets: [bucket], instances: [instance] } }),
    ),
    allowedAttack('an instance of a foreign token', () => report({ heard: [sighting] })),
    allowedAttack('evaluations in a different environment', () =>
      report({ requests: [{ environment: 'development', revision: 1, requests: 1_000 }] }),
    ),
    allowedAttack('use of a foreign token', () => report({ uses: [foreignToken.id] })),
    allowedAttack('end of every other edge', async () => {
      const { edges } = await admin('GET', '/api/admin/edges');
      for (const { id } of edges) await report({ edge: String(id).split('.').at(-1), isStopping: true });
    }),
  ];
  const victimBefore = await readVictim();
  const listConnected = async (): Promise<string[]> => {
    const { edges } = await admin('GET', '/api/admin/edges');
    return edges
      .filter(({ state }: { state: string }) => state === 'connected')
      .map(({ tokenName }: { tokenName: string }) => tokenName);
  };
  await expect.poll(listConnected, POLL).toContain('victim');

  await run(attacks, 'the servers');

  const signedTexts = seenTexts.filter(text => text.startsWith('{"v":1'));
  expect(signedTexts.map(text => JSON.parse(text.split('\n')[0] ?? '').feed.environment)).toEqual(
    Array.from({ length: 4 }, () => 'production'),
  );
  expect(signedTexts.filter(text => text.includes('"token":null'))).toHaveLength(2);
  // A lookup response repeats the requested hash, so finding the hash there does not mean that a secret has leaked.
  for (const text of seenTexts.filter(seenText => !seenText.includes('"log":"token"')))
    for (const { secret } of [foreignEdge, foreignToken]) expect(text).not.toContain(hashSecret(secret));
  expect(await readVictim()).toBe(victimBefore);
  const counts = await admin('GET', `/api/admin/client-metrics/features/${SECRET_FLAG}/raw`);
  expect(
    counts.data.filter(({ environment }: { environment: string }) => environment === 'development'),
  ).toEqual([]);
  expect(await listConnected()).toContain('victim');
});
