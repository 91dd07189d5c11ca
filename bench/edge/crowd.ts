import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percentile } from '../measure.ts';
import { changeFlag } from '../sdk/data.ts';
import { openStream } from './latency.ts';
import type { Row } from './main.ts';
import type { World } from './world.ts';

const BARE = fileURLToPath(new URL('bare-stream.ts', import.meta.url));
const ROUNDS = 30;
const MAX_RATIO = 2;

/**
 * Plain connections instead of edges. All read the snapshot at the same moment and then follow the stream; the same number on a
 * bare loop is the baseline.
 */
export async function measureCrowd({ server, client, enrol }: World, count: number): Promise<Row[]> {
  const { secret } = await enrol();
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const headers = { authorization: secret, 'accept-encoding': 'gzip' };
  const hydrate = async (): Promise<boolean> => {
    const sent = get(`${server.url}/api/edge/v1/snapshot`, { agent, headers });
    const [response] = await once(sent, 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode === 200 && response.complete;
  };
  const began = performance.now();
  const results = await Promise.all(Array.from({ length: count }, () => hydrate().catch(() => false)));
  const hydrated = performance.now() - began;
  const failures = results.filter(isDone => !isDone).length;

  let frame = '';
  let [arrived, last] = [0, 0];
  const onBytes = (text: string): void => {
    if (!text.includes('"log":"flags"')) return;
    frame ||= text;
    arrived++;
    last = performance.now();
  };
  const bare = fork(BARE, { stdio: 'inherit' });
  const [port] = (await once(bare, 'message')) as [number];
  const close: (() => void)[] = [];
  const urls = [`${server.url}/api/edge/v1/stream`, `http://127.0.0.1:${port}/`];
  for (const url of urls)
    close.push(...(await Promise.all(Array.from({ length: count }, () => openStream(url, secret, onBytes)))));
  await sleep(3_000);
  const times = { server: [] as number[], bare: [] as number[] };
  const measure = async (which: 'server' | 'bare', send: () => unknown): Promise<void> => {
    arrived = 0;
    await send();
    const sentAt = performance.now();
    while (arrived < count) await sleep(1);
    times[which].push(last - sentAt);
  };
  for (let round = 1; round <= ROUNDS; round++) {
    await measure('server', () => changeFlag(client, 'production', 1_000 + round));
    await measure('bare', () => bare.send(frame));
  }
  for (const end of close) end();
  bare.kill();
  const [own, loop] = [percentile(times.server, 0.5), percentile(times.bare, 0.5)];
  return [
    {
      what: `${count} edges read the snapshot at the same time, in ${(hydrated / 1_000).toFixed(1)} s`,
      value: `${failures} failed`,
      limit: '0',
      isMet: failures === 0,
    },
    {
      what: `commit until the last of ${count} edges has the frame, p50 of ${ROUNDS} (bare loop ${loop.toFixed(0)} ms)`,
      value: `${own.toFixed(0)} ms, ${(own / loop).toFixed(2)} x`,
      limit: `${MAX_RATIO} x`,
      isMet: own <= loop * MAX_RATIO,
    },
  ];
}
