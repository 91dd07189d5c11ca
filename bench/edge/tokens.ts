import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newToken } from '../../plane/src/platform/token.ts';
import { percentile } from '../measure.ts';
import { must } from '../requests.ts';
import { requestText } from '../sdk/load.ts';
import type { Row } from './main.ts';
import { memoryOf } from './start.ts';
import { statusOf, type World } from './world.ts';

const REJECTED_WITHIN_MS = 1_000;
const MAX_QUESTIONS_PER_S = 10;
const MAX_GROWTH_MB = 10;
const AT_A_TIME = 4;
const CONNECTIONS = 16;

/** From the response to a revocation until the server and two edges reject the token. */
export async function measureRevocations({ server, startEdge }: World, count: number): Promise<Row[]> {
  const edges = [await startEdge(), await startEdge()];
  const places = [server.url, ...edges.map(({ url }) => url)];
  const [everywhere, byServer]: [number[], number[]] = [[], []];
  const revoke = async (): Promise<void> => {
    const { id, secret } = (await must(server.url, 'POST', '/api/admin/api-tokens', {
      tokenName: 'bench',
      type: 'backend',
      environment: 'production',
      projects: ['default'],
    })) as { id: number; secret: string };
    // An edge that has asked about many tokens responds with 503 until upstream announces the new one.
    for (const place of places) while ((await statusOf(place, secret)) !== 200) await sleep(2);
    await must(server.url, 'DELETE', `/api/admin/api-tokens/${id}`);
    const began = performance.now();
    const untilRejected = async (place: string): Promise<number> => {
      while ((await statusOf(place, secret)) !== 401) await sleep(2);
      return performance.now() - began;
    };
    const delays = await Promise.all(places.map(untilRejected));
    everywhere.push(Math.max(...delays));
    byServer.push(delays[0] ?? 0);
  };
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) await revoke();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  for (const edge of edges) await edge.stop();
  const ms = (list: number[]) => [0.5, 0.99].map(part => percentile(list, part).toFixed(0)).join(' / ');
  const p99 = percentile(everywhere, 0.99);
  return [
    {
      what: `revoked token rejected by the server and 2 edges, p50 / p99 of ${count} (server alone ${ms(byServer)} ms)`,
      value: `${ms(everywhere)} ms`,
      limit: `${REJECTED_WITHIN_MS} ms`,
      isMet: p99 <= REJECTED_WITHIN_MS,
    },
  ];
}

/**
 * Sends unknown tokens with valid checksums, and measures how many of them the edge asks upstream about, and how much memory they
 * use.
 */
export async function measureRandomTokens({ server, startEdge }: World, count: number): Promise<Row[]> {
  let questions = 0;
  const counting = createServer(near => {
    const far = connect(Number(new URL(server.url).port), '127.0.0.1');
    near.on(
      'data',
      data => (questions += data.toString('latin1').split('GET /api/edge/v1/tokens/').length - 1),
    );
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(counting, 'listening');
  const edge = await startEdge({ upstream: `http://127.0.0.1:${(counting.address() as AddressInfo).port}` });
  const statuses = new Map<string, number>();
  const attack = async (requests: number): Promise<void> => {
    let left = requests;
    const one = async (): Promise<void> => {
      const socket = connect(edge.port, '127.0.0.1');
      for (; left-- > 0; ) {
        socket.write(requestText(newToken('backend', 'default:production.')));
        const [bytes] = (await once(socket, 'data')) as [Buffer];
        const status = bytes.toString('latin1', 9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      socket.destroy();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
  };
  await attack(count / 2);
  const half = await memoryOf(edge);
  const [before, began] = [questions, performance.now()];
  await attack(count / 2);
  const rate = ((questions - before) * 1_000) / (performance.now() - began);
  const growth = (await memoryOf(edge)) - half;
  await edge.stop();
  counting.close();
  const seen = [...statuses].map(([status, times]) => `${times} x ${status}`).join(', ');
  return [
    {
      what: `questions about ${count} random tokens (${seen})`,
      value: `${rate.toFixed(1)} per s`,
      limit: `${MAX_QUESTIONS_PER_S} per s`,
      // The rate limiter's bucket may be full at the beginning.
      isMet: rate <= MAX_QUESTIONS_PER_S * 1.05 && [...statuses.keys()].every(one => /401|503|429/.test(one)),
    },
    {
      what: 'memory in the second half of them',
      value: `${growth} MB more`,
      limit: `${MAX_GROWTH_MB} MB`,
      isMet: growth <= MAX_GROWTH_MB,
    },
  ];
}
