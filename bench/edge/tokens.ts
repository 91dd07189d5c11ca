import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newToken } from '@halyard/plane/platform/token.ts';
import { percentile } from '../measure.ts';
import { mustSend } from '../requests.ts';
import { buildRequest } from '../sdk/load.ts';
import type { Row } from './row.ts';
import { readStatus, type World } from './world.ts';

const MAX_REJECTION_MS = 1_000;
const MAX_LOOKUPS_PER_S = 10;
const MAX_GROWTH_MB = 10;
const CONCURRENCY = 4;
const CONNECTIONS = 16;

/** Measures how long the server and two edges still accept a token after its revocation is confirmed. */
export async function measureRevocations({ server, startEdge }: World, count: number): Promise<Row[]> {
  const edges = [await startEdge(), await startEdge()];
  const urls = [server.url, ...edges.map(({ url }) => url)];
  const [allDelays, serverDelays]: [number[], number[]] = [[], []];
  const revoke = async (): Promise<void> => {
    const { id, secret } = (await mustSend(server.url, 'POST', '/api/admin/api-tokens', {
      tokenName: 'bench',
      type: 'backend',
      environment: 'production',
      projects: ['default'],
    })) as { id: number; secret: string };
    // An edge that has looked up many tokens responds with 503 until upstream announces the new token.
    for (const url of urls) while ((await readStatus(url, secret)) !== 200) await sleep(2);
    await mustSend(server.url, 'DELETE', `/api/admin/api-tokens/${id}`);
    const startedAt = performance.now();
    const waitForRejection = async (url: string): Promise<number> => {
      while ((await readStatus(url, secret)) !== 401) await sleep(2);
      return performance.now() - startedAt;
    };
    const delays = await Promise.all(urls.map(waitForRejection));
    allDelays.push(Math.max(...delays));
    serverDelays.push(delays[0] ?? 0);
  };
  let remaining = count;
  const revokeTokens = async (): Promise<void> => {
    while (remaining-- > 0) await revoke();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, revokeTokens));
  for (const edge of edges) await edge.stop();
  const formatDelays = (times: number[]) =>
    [0.5, 0.99].map(fraction => percentile(times, fraction).toFixed(0)).join(' / ');
  const p99 = percentile(allDelays, 0.99);
  return [
    {
      metric: `revoked token rejected by the server and 2 edges, p50 / p99 of ${count} (server alone ${formatDelays(serverDelays)} ms)`,
      value: `${formatDelays(allDelays)} ms`,
      limit: `${MAX_REJECTION_MS} ms`,
      isWithinLimit: p99 <= MAX_REJECTION_MS,
    },
  ];
}

/**
 * Sends unknown tokens with valid checksums, and measures how many of them the edge looks up upstream and how much memory they
 * use.
 */
export async function measureRandomTokens(
  { server, startEdge, memoryProbe }: World,
  count: number,
): Promise<Row[]> {
  let lookupCount = 0;
  const countingProxy = createServer(clientSocket => {
    const serverSocket = connect(Number(new URL(server.url).port), '127.0.0.1');
    clientSocket.on(
      'data',
      data => (lookupCount += data.toString('latin1').split('GET /api/edge/v1/tokens/').length - 1),
    );
    clientSocket.on('error', () => serverSocket.destroy()).pipe(serverSocket);
    serverSocket.on('error', () => clientSocket.destroy()).pipe(clientSocket);
  }).listen(0, '127.0.0.1');
  await once(countingProxy, 'listening');
  const edge = await startEdge({
    upstream: `http://127.0.0.1:${(countingProxy.address() as AddressInfo).port}`,
  });
  const statuses = new Map<string, number>();
  const attack = async (requests: number): Promise<void> => {
    let remaining = requests;
    const sendTokens = async (): Promise<void> => {
      const socket = connect(edge.port, '127.0.0.1');
      for (; remaining-- > 0; ) {
        socket.write(buildRequest(newToken('backend', 'default:production.')));
        const [bytes] = (await once(socket, 'data')) as [Buffer];
        const status = bytes.toString('latin1', 9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      socket.destroy();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sendTokens));
  };
  await attack(count / 2);
  const memoryAtHalf = await memoryProbe.measure(edge.pid);
  const [lookupsBefore, startedAt] = [lookupCount, performance.now()];
  await attack(count / 2);
  const rate = ((lookupCount - lookupsBefore) * 1_000) / (performance.now() - startedAt);
  const memoryAtEnd = await memoryProbe.measure(edge.pid);
  const growth = memoryAtEnd.inUse - memoryAtHalf.inUse;
  await edge.stop();
  countingProxy.close();
  const statusCounts = [...statuses].map(([status, times]) => `${times} x ${status}`).join(', ');
  return [
    {
      metric: `upstream lookups for ${count} random tokens (${statusCounts})`,
      value: `${rate.toFixed(1)} per s`,
      limit: `${MAX_LOOKUPS_PER_S} per s`,
      // The rate limiter's bucket may be full at first, which allows a few more lookups.
      isWithinLimit:
        rate <= MAX_LOOKUPS_PER_S * 1.05 && [...statuses.keys()].every(status => /401|503|429/.test(status)),
    },
    {
      metric: `growth of memory in use during the second half (resident: ${memoryAtHalf.resident}, then ${memoryAtEnd.resident} MB)`,
      value: `${growth} MB`,
      limit: `${MAX_GROWTH_MB} MB`,
      isWithinLimit: growth <= MAX_GROWTH_MB,
    },
  ];
}
