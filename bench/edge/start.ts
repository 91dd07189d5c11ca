import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure.ts';
import { makeToken } from '../requests.ts';
import type { Row } from './row.ts';
import { type Edge, readFlags, type World } from './world.ts';

const MAX_READY_MS = 1_500;
const MAX_READY_WITHOUT_SERVER_MS = 1_000;
const MAX_MB = 40;

/** Measures how long an edge takes to become ready, and how much memory the flags take. */
export async function measureStart(
  { server, proxy, startEdge, enrol, memoryProbe }: World,
  flags: number,
  starts: number,
): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const firstEdge = await startEdge();
  const { folder } = firstEdge;
  await (await readFlags(firstEdge.url, token)).arrayBuffer();
  await sleep(1_000);
  const { resident: fullMb } = await memoryProbe.measure(firstEdge.pid);
  await firstEdge.stop();
  const emptyEdge = await startEdge({ enrolment: (await enrol(['default'])).enrolment });
  await sleep(1_000);
  const { resident: emptyMb } = await memoryProbe.measure(emptyEdge.pid);
  await emptyEdge.stop();

  const measure = async (source: string, limit: number, start: () => Promise<Edge>): Promise<Row> => {
    const [readyTimes, cpuTimes]: [number[], number[]] = [[], []];
    for (let n = 0; n < starts; n++) {
      const edge = await start();
      readyTimes.push(edge.readyMs);
      cpuTimes.push(edge.cpuMs);
      await edge.stop('SIGKILL');
    }
    const ms = percentile(readyTimes, 0.5);
    return {
      metric: `ready ${source}, p50 of ${starts} (${percentile(cpuTimes, 0.5).toFixed(0)} ms of CPU time)`,
      value: `${ms.toFixed(0)} ms`,
      limit: `${limit} ms`,
      isWithinLimit: ms <= limit,
    };
  };
  const rows = [
    await measure('from the server, no disk', MAX_READY_MS, () => startEdge()),
    await measure('from disk', MAX_READY_MS, () => startEdge({ folder })),
  ];
  proxy.cut();
  rows.push(
    await measure('from disk, server unreachable', MAX_READY_WITHOUT_SERVER_MS, () => startEdge({ folder })),
  );
  proxy.restore();
  return [
    ...rows,
    {
      metric: `memory for ${flags} flags after one response (empty edge: ${emptyMb} MB)`,
      value: `${fullMb - emptyMb} MB`,
      limit: `${MAX_MB} MB`,
      isWithinLimit: fullMb - emptyMb <= MAX_MB,
    },
  ];
}
