import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, residentMb } from '../measure.ts';
import { makeToken } from '../requests.ts';
import type { Row } from './main.ts';
import { type Edge, readFlags, type World } from './world.ts';

const READY_WITHIN_MS = 1_500;
const READY_ALONE_WITHIN_MS = 1_000;
const MAX_MB = 40;

/** How long an edge takes from its start until it is ready, and how much memory the flags take. */
export async function measureStart(
  { server, proxy, startEdge, enrol }: World,
  flags: number,
  starts: number,
): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const first = await startEdge();
  const { folder } = first;
  const full = await memoryOf(first, token);
  await first.stop();
  const nothing = await startEdge({ enrolment: (await enrol(['default'])).enrolment });
  const empty = await memoryOf(nothing);
  await nothing.stop();

  const measure = async (from: string, limit: number, start: () => Promise<Edge>): Promise<Row> => {
    const [wall, cpu]: [number[], number[]] = [[], []];
    for (let n = 0; n < starts; n++) {
      const edge = await start();
      wall.push(edge.readyMs);
      cpu.push(edge.cpuMs);
      await edge.stop('SIGKILL');
    }
    const ms = percentile(wall, 0.5);
    return {
      what: `ready ${from}, p50 of ${starts} (${percentile(cpu, 0.5).toFixed(0)} ms of CPU time)`,
      value: `${ms.toFixed(0)} ms`,
      limit: `${limit} ms`,
      isMet: ms <= limit,
    };
  };
  const rows = [
    await measure('from the server, no disk', READY_WITHIN_MS, () => startEdge()),
    await measure('from disk', READY_WITHIN_MS, () => startEdge({ folder })),
  ];
  proxy.cut();
  rows.push(
    await measure('from disk, server unreachable', READY_ALONE_WITHIN_MS, () => startEdge({ folder })),
  );
  proxy.thaw();
  return [
    ...rows,
    {
      what: `memory for ${flags} flags, after one body (an empty edge: ${empty} MB)`,
      value: `${full - empty} MB`,
      limit: `${MAX_MB} MB`,
      isMet: full - empty <= MAX_MB,
    },
  ];
}

/** Memory without garbage. */
export async function memoryOf(edge: Edge, token?: string): Promise<number> {
  if (token !== undefined) await (await readFlags(edge.url, token)).arrayBuffer();
  await sleep(1_000);
  edge.process.kill('SIGUSR2');
  await sleep(1_000);
  return residentMb(edge.pid);
}
