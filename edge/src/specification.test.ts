import { readEnrolment } from '@halyard/plane/feed/enrolment.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, useHarness } from '../../server/src/test/harness.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';
import { putDocuments } from '../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../server/src/test/sdk-server.ts';
import { buildState, evaluate, listCases, SPECIFICATIONS } from '../../server/src/test/specification.ts';
import { type Edge, startEdge } from './edge.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const POLL = { timeout: 60_000, interval: 20 };
/** Whether to evaluate all specification files with every transport. */
const IS_LONG = process.env.CAMPAIGN === 'long';
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
let edge: Edge;
/** Reads from the first edge. */
let second: Edge;
let token: string;
let removedFlags: string[] = [];
let removedSegments: number[] = [];

const start = async (url: string): Promise<Edge> => {
  const response = await fetch(`${server.url}/api/admin/api-tokens`, {
    method: 'POST',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ tokenName: `edge of ${url}`, type: 'edge', environment: 'production' }),
  });
  const { enrolment } = (await response.json()) as { enrolment: string };
  return await startEdge(
    {
      enrolment: { ...readEnrolment(enrolment), url },
      dataDir: undefined,
      host: '127.0.0.1',
      port: 0,
      maxStreams: 100,
      trustedProxies: [],
      metricsToken: undefined,
    },
    'test',
    SILENT,
  );
};

beforeAll(async () => {
  token = await server.token('production');
  edge = await start(server.url);
  second = await start(edge.url);
});
afterAll(async () => {
  await second.stop();
  await edge.stop();
});

/** Replaces all flags of the environment, and waits until both edges have them. */
const put = async (specification: (typeof SPECIFICATIONS)[number]): Promise<void> => {
  const { features = [], segments = [] } = buildState(specification);
  const names = new Set(features.map(({ name }) => name));
  const ids = new Set(segments.map(({ id }) => id));
  const revision = await putDocuments(harness.db, 'production', {
    features,
    segments,
    removed: removedFlags.filter(path => !names.has(path.replace('default/', ''))),
    removedSegments: removedSegments.filter(id => !ids.has(id)),
  });
  removedFlags = [...names].map(name => `default/${name}`);
  removedSegments = [...ids];
  for (const { url } of [edge, second])
    await expect
      .poll(async () => {
        const response = await fetch(`${url}/metrics`);
        return Number(/^halyard_edge_revision (\d+)$/m.exec(await response.text())?.[1]);
      }, POLL)
      .toBeGreaterThanOrEqual(revision);
};

const filesFor = (transport: Transport) =>
  transport === 'polling' || IS_LONG ? SPECIFICATIONS : SPECIFICATIONS.slice(0, 2);
const filesBehindTwo = IS_LONG ? SPECIFICATIONS : SPECIFICATIONS.slice(-2);

// The edge gets the snapshot of an environment that has never had a flag, and only then the first flags.
test('an edge for an empty environment is ready', async () => {
  for (const { url } of [edge, second])
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, POLL).toBe(200);
});

describe.each(Object.keys(TRANSPORTS) as Transport[])('through an edge, by %s', transport => {
  test.each(filesFor(transport))('evaluates $name', async specification => {
    await put(specification);
    const sdk = await startSdk(edge.url, token, transport);

    const results = evaluate(sdk, specification);
    sdk.destroy();

    expect(results).toHaveLength(listCases(specification).length);
    expect(results.filter(({ asSpecified }) => !asSpecified)).toEqual([]);
  });
});

describe.each(Object.keys(TRANSPORTS) as Transport[])('through two edges, by %s', transport => {
  test.each(filesBehindTwo)('evaluates $name', async specification => {
    await put(specification);
    const sdk = await startSdk(second.url, token, transport);

    const results = evaluate(sdk, specification);
    sdk.destroy();

    expect(results).toHaveLength(listCases(specification).length);
    expect(results.filter(({ asSpecified }) => !asSpecified)).toEqual([]);
  });
});

test('the frontend API and OFREP return the same results as the server', async () => {
  const frontend = await server.token('production', undefined, 'frontend');
  const evaluate = async (url: string, path: string, init: RequestInit, secret: string) => {
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: secret, 'content-type': 'application/json' },
    });
    return { status: response.status, body: await response.text() };
  };
  const requests: [string, RequestInit, string][] = [
    ['/api/frontend?userId=7', {}, frontend],
    ['/ofrep/v1/evaluate/flags', { method: 'POST', body: '{"context":{"targetingKey":"7"}}' }, token],
  ];
  for (const [path, init, secret] of requests) {
    const [edgeResponse, serverResponse] = await Promise.all([
      evaluate(edge.url, path, init, secret),
      evaluate(server.url, path, init, secret),
    ]);
    expect(edgeResponse.status).toBe(200);
    expect(withoutStream(edgeResponse.body)).toEqual(withoutStream(serverResponse.body));
  }
});

/** The stream URL contains a secret of the process. */
const withoutStream = (body: string): object => {
  const { eventStreams: _, ...rest } = JSON.parse(body);
  return rest;
};
