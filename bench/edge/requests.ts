import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { percentile, readCpuUs } from '../measure.ts';
import { makeToken } from '../requests.ts';
import { buildRequest, measureResponseLength, sendMany } from '../sdk/load.ts';
import type { Row } from './row.ts';
import { readFlags, type World } from './world.ts';

const SERVE_SCRIPT = fileURLToPath(new URL('../sdk/serve.ts', import.meta.url));
/** With smaller batches, evaluation times differed by 20 % from run to run. */
const BATCH_SIZE = 400;
const MIN_EDGE_TO_SERVER_RATIO = 0.95;

/** Measures the requests per CPU second of an edge and of a server with background jobs disabled, in alternating batches. */
export async function measureRequests({ url, server, startEdge }: World, requests: number): Promise<Row[]> {
  const projects = ['project-0'];
  const token = await makeToken(server.url, 'backend', 'production', projects);
  const frontendToken = await makeToken(server.url, 'frontend', 'production', projects);
  const edge = await startEdge();
  const serverProcess = fork(SERVE_SCRIPT, [], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' },
  });
  const [port] = (await once(serverProcess, 'message')) as [number];
  const etag = (await readFlags(edge.url, token)).headers.get('etag') ?? '';
  const targets = { server: { pid: serverProcess.pid ?? 0, port }, edge: { pid: edge.pid, port: edge.port } };
  const cases = {
    '304': buildRequest(token, etag),
    '200 with 1,000 flags': buildRequest(token),
    'evaluation of 1,000 flags': buildRequest(frontendToken, '', '/api/frontend?userId=7&sessionId=bench'),
  };
  const rows: Row[] = [];
  for (const [name, text] of Object.entries(cases)) {
    const costs = { server: [] as number[], edge: [] as number[] };
    const rounds = Math.max(6, Math.round(requests / BATCH_SIZE));
    for (let round = 0; round < rounds; round++) {
      for (const target of round % 2 === 0 ? (['server', 'edge'] as const) : (['edge', 'server'] as const)) {
        const { pid, port: targetPort } = targets[target];
        const length = await measureResponseLength({ port: targetPort, text });
        const cpuUsBefore = await readCpuUs(pid);
        await sendMany({ port: targetPort, text }, BATCH_SIZE, length);
        // Discard the first third as warm-up.
        if (round >= rounds / 3) costs[target].push(((await readCpuUs(pid)) - cpuUsBefore) / BATCH_SIZE);
      }
    }
    const [serverRate, edgeRate] = [1e6 / percentile(costs.server, 0.5), 1e6 / percentile(costs.edge, 0.5)];
    rows.push({
      metric: `${name}, requests per CPU second (server ${serverRate.toFixed(0)})`,
      value: `${edgeRate.toFixed(0)}, ${((100 * edgeRate) / serverRate).toFixed(0)} %`,
      limit: `${100 * MIN_EDGE_TO_SERVER_RATIO} %`,
      isWithinLimit: edgeRate >= serverRate * MIN_EDGE_TO_SERVER_RATIO,
    });
  }
  serverProcess.kill();
  await edge.stop();
  return rows;
}
