import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure.ts';
import { makeToken } from '../requests.ts';
import { changeFlag } from '../sdk/data.ts';
import type { Row } from './main.ts';
import type { World } from './world.ts';

const MAX_RATIO = { p50: 2, p99: 3 };
const WARM_UP = 20;

/** An open stream, and when its last bytes arrived. */
export function openStream(
  url: string,
  authorization: string,
  onBytes: (text: string) => void,
): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>();
  const sent = request(url, { headers: { authorization, accept: 'text/event-stream' } }, response => {
    if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
    response.setEncoding('utf8').on('data', onBytes);
    resolve(() => sent.destroy());
  });
  sent.on('error', reject).end();
  return promise;
}

/** From the commit of a change until its event arrives, on a stream of the server and on one of the edge, for the same changes. */
export async function measureLatency({ server, client, startEdge }: World, changes: number): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const edge = await startEdge();
  const arrived = { server: 0, edge: 0 };
  const close = [
    await openStream(`${server.url}/api/client/streaming`, token, () => (arrived.server = performance.now())),
    await openStream(`${edge.url}/api/client/streaming`, token, () => (arrived.edge = performance.now())),
  ];
  await sleep(2_000);
  const [own, through]: [number[], number[]] = [[], []];
  for (let round = 1; round <= changes + WARM_UP; round++) {
    Object.assign(arrived, { server: 0, edge: 0 });
    await changeFlag(client, 'production', round);
    const committed = performance.now();
    while (arrived.server === 0 || arrived.edge === 0) await sleep(1);
    if (round <= WARM_UP) continue;
    own.push(Math.max(0, arrived.server - committed));
    through.push(Math.max(0, arrived.edge - committed));
  }
  for (const end of close) end();
  await edge.stop();
  return (
    [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const
  ).map(([name, part]) => {
    const [a, b] = [percentile(own, part), percentile(through, part)];
    return {
      what: `commit to SDK through the edge, ${name} of ${changes} (server ${a.toFixed(1)} ms)`,
      value: `${b.toFixed(1)} ms, ${(b / a).toFixed(2)} x`,
      limit: `${MAX_RATIO[name]} x`,
      isMet: b <= a * MAX_RATIO[name],
    };
  });
}
