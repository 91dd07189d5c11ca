import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runIn } from '../../server/src/test/database.ts';
import type { RunningServer } from '../../server/src/test/process.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';
import { startTcpProxy, type TcpProxy } from '../../server/src/test/tcp-proxy.ts';
import { type Chain, kill, POLL, read, readMetric, request, startChain } from './test/chain.ts';

const AGE = 'halyard_edge_age_seconds';

let chain: Chain;
/** Reads from the server. */
let near: RunningServer;
/** Reads from `near`, through a proxy. */
let far: RunningServer;
let nearProxy: TcpProxy;
let nearEnrolment: string;
let farEnrolment: string;
let farSecret: string;
let sdkToken: string;
let folder: string;

const getFolder = (name: string) => join(folder, name);

const startNear = async (): Promise<void> => {
  near = await chain.startEdge(nearEnrolment, getFolder('near'));
  nearProxy.moveTo(near.port);
};
const startFar = async (): Promise<void> => {
  far = await chain.startEdge(farEnrolment, getFolder('far'));
};
const enrolFar = async (): Promise<void> => {
  ({ enrolment: farEnrolment, secret: farSecret } = await chain.enrol(nearProxy.port));
};

/** Waits until all servers and edges send the same bytes with the same ETag. */
const waitUntilEqual = async (edges: RunningServer[] = [near, far]): Promise<void> => {
  await expect
    .poll(async () => {
      const [first, ...others] = await Promise.all(
        [chain.server, ...edges].map(async server => {
          const { status, etag, body } = await read(server, sdkToken);
          return [status, etag, body].join();
        }),
      );
      return others.every(other => other === first);
    }, POLL)
    .toBe(true);
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'halyard-chain-'));
  chain = await startChain({ HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') });
  nearProxy = await startTcpProxy('127.0.0.1', chain.server.port);
  sdkToken = (await chain.createToken()).secret;
  await chain.createFlag('first');
  ({ enrolment: nearEnrolment } = await chain.enrol(chain.serverProxy.port));
  await enrolFar();
  await startNear();
  await startFar();
});
afterAll(async () => {
  for (const edge of [far, near]) await kill(edge);
  await nearProxy.close();
  await chain.stop();
  rmSync(folder, { recursive: true });
});

test('the server lists both edges, and reports that an SDK behind both edges has not received a change', async () => {
  const edges = async (): Promise<{ state: string; behind: number }[]> =>
    (await chain.admin('GET', '/api/admin/edges')).edges;
  await expect
    .poll(async () => (await edges()).map(({ state }) => state), POLL)
    .toEqual(['connected', 'connected']);
  // The SDK polls again in ten minutes.
  const slowSdk = await startSdk(far.url, sdkToken, 'polling', 600_000);
  await chain.createFlag('not-reached');
  const { events } = await chain.admin(
    'GET',
    '/api/admin/search/events?feature=IS:not-reached&type=IS:feature-created',
  );

  const reach = () => chain.admin('GET', `/api/admin/events/${events[0].id}/reach`);
  await expect.poll(async () => (await reach()).state, POLL).toBe('behind');
  expect((await reach()).missing).toEqual([expect.objectContaining({ application: 'test' })]);
  slowSdk.destroy();
});

test.each(Object.keys(TRANSPORTS) as Transport[])(
  'a change reaches a real SDK behind two edges through %s',
  async transport => {
    const flag = `by-${transport}`;
    await chain.createFlag(flag);
    const sdk = await startSdk(far.url, sdkToken, transport);

    await chain.enable(flag);

    await expect.poll(() => sdk.isEnabled(flag), POLL).toBe(true);
    sdk.destroy();
    await waitUntilEqual();
  },
);

test('an edge feeds only edges with exactly the same feed', async () => {
  await chain.admin('POST', '/api/admin/projects', { id: 'other', name: 'other' });
  for (const fields of [{ environment: 'development' }, { projects: ['default'] }, { projects: ['other'] }]) {
    const { secret } = await chain.createToken({ type: 'edge', ...fields });
    const response = await request(`${near.url}/api/edge/v1/snapshot`, {
      headers: { authorization: secret },
    });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain(
      'This edge feeds only edges with exactly the same feed: environment \\"production\\" and all projects.',
    );
  }
  const sdk = await request(`${near.url}/api/edge/v1/head`, { headers: { authorization: sdkToken } });
  expect(sdk.status).toBe(403);
  const ownResponse = await request(`${near.url}/api/edge/v1/snapshot`, {
    headers: { authorization: farSecret },
  });
  const retry = await request(`${near.url}/api/edge/v1/snapshot`, {
    headers: { authorization: farSecret, 'if-none-match': ownResponse.headers.get('etag') ?? '' },
  });
  expect([ownResponse.status, retry.status]).toEqual([200, 304]);
});

test('created and revoked tokens take effect behind both edges', async () => {
  const { id, secret } = await chain.createToken();
  expect((await read(far, secret)).status).toBe(200);

  await chain.admin('DELETE', `/api/admin/api-tokens/${id}`);

  await expect.poll(async () => (await read(far, secret)).status, POLL).toBe(401);
  // The lookup of an unknown token passes through both edges.
  const { secret: later } = await chain.createToken();
  expect((await read(far, later)).status).toBe(200);
});

test('the far edge keeps serving while the near edge is down, and then catches up', async () => {
  await waitUntilEqual();
  await kill(near);
  for (let number = 0; number < 30; number++) await chain.createFlag(`cut-${number}`);
  await chain.admin('DELETE', '/api/admin/projects/default/features/cut-3');
  expect((await read(far, sdkToken)).status).toBe(200);

  await startNear();

  await waitUntilEqual();
  expect((await read(far, sdkToken)).body).toContain('cut-29');
});

test('without the server, an edge feeds a new edge from its disk, and neither claims to be current', async () => {
  await waitUntilEqual();
  const responseBefore = await read(far, sdkToken);
  await kill(far);
  await kill(near);
  chain.serverProxy.cut();
  await startNear();
  rmSync(getFolder('far'), { recursive: true });

  await startFar();

  expect(await read(far, sdkToken)).toMatchObject({
    status: 200,
    etag: responseBefore.etag,
    body: responseBefore.body,
  });
  await expect
    .poll(async () => Math.min(await readMetric(near, AGE), await readMetric(far, AGE)), POLL)
    .toBeGreaterThan(16);
  // The stream between the edges stays open, so the age is only due to the missing server.
  await expect
    .poll(async () => Number((await read(far, sdkToken)).headers.get('halyard-age')), POLL)
    .toBeGreaterThan(5);
  const head = await request(`${near.url}/api/edge/v1/head`, { headers: { authorization: farSecret } });
  expect(head.status).toBe(503);

  chain.serverProxy.restore();
  await waitUntilEqual();
  await expect.poll(async () => await readMetric(far, AGE), POLL).toBeLessThan(5);
});

test('an attacker between two edges cannot alter what they exchange', async () => {
  await waitUntilEqual();
  const flag = `genuine-${randomBytes(4).toString('hex')}`;
  const forgedFlag = flag.replace('genuine', 'invaded');
  let alteredResponseCount = 0;
  const attacker = createServer((incoming, response) => {
    const forwardedRequest = openRequest(
      {
        port: near.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, 'accept-encoding': 'identity' },
      },
      forwardedResponse => {
        response.writeHead(forwardedResponse.statusCode ?? 502, forwardedResponse.headers);
        forwardedResponse.on('data', chunk => {
          const text = String(chunk).replaceAll(flag, forgedFlag);
          if (text !== String(chunk)) alteredResponseCount++;
          response.write(text);
        });
        forwardedResponse.on('end', () => response.end());
      },
    );
    forwardedRequest.on('error', () => response.destroy());
    response.on('close', () => forwardedRequest.destroy());
    incoming.pipe(forwardedRequest);
  }).listen(0, '127.0.0.1');
  await once(attacker, 'listening');
  nearProxy.moveTo((attacker.address() as AddressInfo).port);
  await expect.poll(async () => await readMetric(near, 'halyard_edge_streams'), POLL).toBe(1);

  await chain.createFlag(flag);

  await waitUntilEqual([near]);
  await expect.poll(() => far.output(), POLL).toContain('The signature does not match');
  expect(alteredResponseCount).toBeGreaterThan(0);
  expect((await read(far, sdkToken)).body).not.toContain(forgedFlag);
  nearProxy.moveTo(near.port);
  attacker.close();
  attacker.closeAllConnections();
  await waitUntilEqual();
  expect((await read(far, sdkToken)).body).toContain(flag);
});

test('evaluations behind both edges are counted once, no matter what is interrupted', async () => {
  const hour = new Date();
  const report = async (to: RunningServer, yes: number): Promise<void> => {
    const response = await request(`${to.url}/api/client/metrics`, {
      method: 'POST',
      headers: { authorization: sdkToken, 'content-type': 'application/json' },
      body: JSON.stringify({
        appName: 'shop',
        instanceId: 'one',
        bucket: {
          start: hour.toISOString(),
          stop: new Date().toISOString(),
          toggles: { first: { yes, no: 1, variants: {} } },
        },
      }),
    });
    expect(response.status).toBe(202);
  };
  const readCounts = async (): Promise<number> => {
    const usage = await chain.admin('GET', '/api/admin/client-metrics/features/first/raw');
    return usage.data.reduce((sum: number, { yes }: { yes: number }) => sum + yes, 0);
  };
  chain.serverProxy.cut();
  await report(far, 1);
  await report(near, 10);
  // Both reports arrive, and both responses are lost on their way.
  chain.serverProxy.restore();
  nearProxy.closeAfter('/api/edge/v1/report');
  await expect.poll(readCounts, POLL).toBe(11);
  chain.serverProxy.closeAfter('/api/edge/v1/report');
  await report(far, 100);
  await report(near, 1_000);
  await expect.poll(readCounts, POLL).toBe(1_111);

  await kill(near);
  await report(far, 10_000);
  await startNear();

  await expect.poll(readCounts, POLL).toBe(11_111);
  const applications = await chain.admin('GET', '/api/admin/metrics/applications');
  expect(applications.applications).toContainEqual(expect.objectContaining({ appName: 'shop' }));
});

test('edges that read only from each other become outdated, and recover once the server is back', async () => {
  await waitUntilEqual();
  chain.serverProxy.moveTo(far.port);

  try {
    await expect
      .poll(async () => Math.min(await readMetric(near, AGE), await readMetric(far, AGE)), POLL)
      .toBeGreaterThan(10);
    await expect.poll(() => `${near.output()}${far.output()}`, POLL).toContain('reads from itself');
    expect((await read(far, sdkToken)).status).toBe(200);
  } finally {
    chain.serverProxy.moveTo(chain.server.port);
  }
  await chain.createFlag('after-the-circle');
  await expect.poll(async () => (await read(far, sdkToken)).body, POLL).toContain('after-the-circle');
});

/** More revocations than a snapshot lists. */
const revokeOthers = async (): Promise<void> =>
  await runIn(
    chain.database,
    `insert into api_tokens (name, hint, type, environment, all_projects, hash, revoked_at)
     select 'revoked', '', 'backend', 'production', true, sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour'
     from generate_series(1, 1100)`,
  );

test('an edge finds out through the near edge that its token was revoked, even after 1,100 other revocations', async () => {
  await waitUntilEqual();

  await chain.revoke(farSecret);

  await expect.poll(async () => (await read(far, sdkToken)).status, POLL).toBe(401);
  await expect.poll(() => readdirSync(join(getFolder('far'), 'edge')), POLL).toEqual(['metrics.json']);
  expect((await read(near, sdkToken)).status).toBe(200);
  await kill(far);

  // This edge is down when its token is revoked.
  await enrolFar();
  await startFar();
  await waitUntilEqual();
  await expect.poll(() => readdirSync(join(getFolder('far'), 'edge')), POLL).toContain('feed.snapshot');
  await kill(far);
  await chain.revoke(farSecret);
  await revokeOthers();
  nearProxy.cut();
  await startFar();
  expect((await read(far, sdkToken)).status).toBe(200);
  nearProxy.restore();
  await expect.poll(async () => (await read(far, sdkToken)).status, POLL).toBe(401);
  await expect.poll(() => readdirSync(join(getFolder('far'), 'edge')), POLL).toEqual(['metrics.json']);
  expect((await read(near, sdkToken)).status).toBe(200);
  await kill(far);
});

test('an edge that was down when its token was revoked finds out from the server, even after 1,100 other revocations', async () => {
  const { enrolment, secret } = await chain.enrol(chain.serverProxy.port);
  const folder = getFolder('returning');
  const firstEdge = await chain.startEdge(enrolment, folder);
  await expect.poll(() => readdirSync(join(folder, 'edge')), POLL).toContain('feed.snapshot');
  await kill(firstEdge);
  await chain.revoke(secret);
  await revokeOthers();

  chain.serverProxy.cut();
  const secondEdge = await chain.startEdge(enrolment, folder);
  expect((await read(secondEdge, sdkToken)).status).toBe(200);

  chain.serverProxy.restore();

  await expect.poll(async () => (await read(secondEdge, sdkToken)).status, POLL).toBe(401);
  await expect.poll(() => readdirSync(join(folder, 'edge')), POLL).toEqual(['metrics.json']);
  await kill(secondEdge);
});

test('an edge whose own token is revoked feeds no other edges, while those behind it keep their flags', async () => {
  await enrolFar();
  await startFar();
  await waitUntilEqual();
  const { token } = JSON.parse(Buffer.from(nearEnrolment.split('.')[1] ?? '', 'base64url').toString());

  await chain.revoke(token);

  await expect.poll(async () => (await read(near, sdkToken)).status, POLL).toBe(401);
  await expect.poll(() => far.output(), POLL).toContain('was revoked, so it feeds no other edges');
  expect((await read(far, sdkToken)).status).toBe(200);
});
