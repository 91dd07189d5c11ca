import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure.ts';
import { makeToken } from '../requests.ts';
import { changeFlag } from '../sdk/data.ts';
import type { Row } from './row.ts';
import type { World } from './world.ts';

const MAX_RATIO = { p50: 2, p99: 3 };
const WARM_UP_CHANGES = 20;

/** Opens a stream, passes its chunks to the callback, and returns a function that closes it. */
export function openStream(
  url: string,
  authorization: string,
  onChunk: (chunk: string) => void,
): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>();
  const clientRequest = request(
    url,
    { headers: { authorization, accept: 'text/event-stream' } },
    response => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.setEncoding('utf8').on('data', onChunk);
      resolve(() => clientRequest.destroy());
    },
  );
  clientRequest.on('error', reject).end();
  return promise;
}

/** Measures the latency from commit to SDK stream, and compares the server's stream with an edge's for the same changes. */
export async function measureLatency({ server, client, startEdge }: World, changes: number): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const edge = await startEdge();
  const arrivedAt = { server: 0, edge: 0 };
  const closeStreams = [
    await openStream(
      `${server.url}/api/client/streaming`,
      token,
      () => (arrivedAt.server = performance.now()),
    ),
    await openStream(`${edge.url}/api/client/streaming`, token, () => (arrivedAt.edge = performance.now())),
  ];
  await sleep(2_000);
  const [serverDelays, edgeDelays]: [number[], number[]] = [[], []];
  for (let round = 1; round <= changes + WARM_UP_CHANGES; round++) {
    Object.assign(arrivedAt, { server: 0, edge: 0 });
    await changeFlag(client, 'production', round);
    const committedAt = performance.now();
    while (arrivedAt.server === 0 || arrivedAt.edge === 0) await sleep(1);
    if (round <= WARM_UP_CHANGES) continue;
    serverDelays.push(Math.max(0, arrivedAt.server - committedAt));
    edgeDelays.push(Math.max(0, arrivedAt.edge - committedAt));
  }
  for (const closeStream of closeStreams) closeStream();
  await edge.stop();
  return (
    [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const
  ).map(([name, fraction]) => {
    const [serverMs, edgeMs] = [percentile(serverDelays, fraction), percentile(edgeDelays, fraction)];
    return {
      metric: `commit to SDK through the edge, ${name} of ${changes} (server ${serverMs.toFixed(1)} ms)`,
      value: `${edgeMs.toFixed(1)} ms, ${(edgeMs / serverMs).toFixed(2)} x`,
      limit: `${MAX_RATIO[name]} x`,
      isWithinLimit: edgeMs <= serverMs * MAX_RATIO[name],
    };
  });
}
