import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, residentMb } from '../measure.ts';
import { makeToken } from '../requests.ts';
import type { Row } from './row.ts';
import { type Edge, readFlags, type World } from './world.ts';

const MAX_READY_MS = 1_500;
const MAX_READY_WITHOUT_SERVER_MS = 1_000;
const MAX_MB = 40;

/** Measures how long an edge takes to become ready, and how much memory the flags take. */
export async function measureStart(
  { server, proxy, startEdge, enrol }: World,
  flags: number,
  starts: number,
): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const firstEdge = await startEdge();
  const { folder } = firstEdge;
  const { resident: fullMb } = await measureMemoryMb(firstEdge, token);
  await firstEdge.stop();
  const emptyEdge = await startEdge({ enrolment: (await enrol(['default'])).enrolment });
  const { resident: emptyMb } = await measureMemoryMb(emptyEdge);
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

/** Measures an edge's resident memory and its memory in use, both after garbage collection. */
export async function measureMemoryMb(
  edge: Edge,
  token?: string,
): Promise<{ resident: number; inUse: number }> {
  if (token !== undefined) await (await readFlags(edge.url, token)).arrayBuffer();
  await sleep(1_000);
  edge.process.kill('SIGUSR2');
  await sleep(1_000);
  const bytesInUse = Number(readFileSync(join(edge.folder, 'memory-in-use'), 'utf8'));
  return { resident: residentMb(edge.pid), inUse: Math.round(bytesInUse / 1_048_576) };
}
