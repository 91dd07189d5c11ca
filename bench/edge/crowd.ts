import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percentile } from '../measure.ts';
import { changeFlag } from '../sdk/data.ts';
import { openStream } from './latency.ts';
import type { Row } from './row.ts';
import type { World } from './world.ts';

const BARE_STREAM = fileURLToPath(new URL('bare-stream.ts', import.meta.url));
const ROUNDS = 30;
const MAX_RATIO = 2;

/**
 * Simulates edges with plain connections, all of which read the snapshot simultaneously and then consume the stream. The baseline is
 * a process that does nothing but write the frame to the same number of connections.
 */
export async function measureManyEdges({ server, client, enrol }: World, count: number): Promise<Row[]> {
  const { secret } = await enrol();
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const headers = { authorization: secret, 'accept-encoding': 'gzip' };
  const readSnapshot = async (): Promise<boolean> => {
    const clientRequest = get(`${server.url}/api/edge/v1/snapshot`, { agent, headers });
    const [response] = await once(clientRequest, 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode === 200 && response.complete;
  };
  const startedAt = performance.now();
  const results = await Promise.all(Array.from({ length: count }, () => readSnapshot().catch(() => false)));
  const snapshotMs = performance.now() - startedAt;
  const failures = results.filter(isComplete => !isComplete).length;

  let frame = '';
  let [arrivals, lastArrivalAt] = [0, 0];
  const onChunk = (chunk: string): void => {
    if (!chunk.includes('"log":"flags"')) return;
    frame ||= chunk;
    arrivals++;
    lastArrivalAt = performance.now();
  };
  const bareProcess = fork(BARE_STREAM, { stdio: 'inherit' });
  const [port] = (await once(bareProcess, 'message')) as [number];
  const closeStreams: (() => void)[] = [];
  const urls = [`${server.url}/api/edge/v1/stream`, `http://127.0.0.1:${port}/`];
  for (const url of urls)
    closeStreams.push(
      ...(await Promise.all(Array.from({ length: count }, () => openStream(url, secret, onChunk)))),
    );
  await sleep(3_000);
  const times = { server: [] as number[], bare: [] as number[] };
  const measure = async (target: 'server' | 'bare', send: () => unknown): Promise<void> => {
    arrivals = 0;
    await send();
    const sentAt = performance.now();
    while (arrivals < count) await sleep(1);
    times[target].push(lastArrivalAt - sentAt);
  };
  for (let round = 1; round <= ROUNDS; round++) {
    await measure('server', () => changeFlag(client, 'production', 1_000 + round));
    await measure('bare', () => bareProcess.send(frame));
  }
  for (const closeStream of closeStreams) closeStream();
  bareProcess.kill();
  const [serverMs, bareMs] = [percentile(times.server, 0.5), percentile(times.bare, 0.5)];
  return [
    {
      metric: `${count} edges read the snapshot at the same time, in ${(snapshotMs / 1_000).toFixed(1)} s`,
      value: `${failures} failed`,
      limit: '0',
      isWithinLimit: failures === 0,
    },
    {
      metric: `commit until the last of ${count} edges has the frame, p50 of ${ROUNDS} (bare loop ${bareMs.toFixed(0)} ms)`,
      value: `${serverMs.toFixed(0)} ms, ${(serverMs / bareMs).toFixed(2)} x`,
      limit: `${MAX_RATIO} x`,
      isWithinLimit: serverMs <= bareMs * MAX_RATIO,
    },
  ];
}
