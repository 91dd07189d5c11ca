import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuUsOf, percentile } from '../measure.ts';
import { makeToken } from '../requests.ts';
import { keptLength, requestText, sendMany } from '../sdk/load.ts';
import type { Row } from './main.ts';
import { readFlags, type World } from './world.ts';

const SERVE = fileURLToPath(new URL('../sdk/serve.ts', import.meta.url));
const BATCH = 400;
const LEAST_SHARE = 0.95;
/** An evaluation takes 30 times the CPU time of a 304. */
const EVALUATION_BATCH = 40;

/** Requests per CPU second of an edge and of a server without jobs, in batches that alternate. */
export async function measureRequests({ url, server, startEdge }: World, requests: number): Promise<Row[]> {
  const projects = ['project-0'];
  const token = await makeToken(server.url, 'backend', 'production', projects);
  const frontend = await makeToken(server.url, 'frontend', 'production', projects);
  const edge = await startEdge();
  const served = fork(SERVE, [], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url.href, LOG_LEVEL: 'warn' },
  });
  const [port] = (await once(served, 'message')) as [number];
  const etag = (await readFlags(edge.url, token)).headers.get('etag') ?? '';
  const places = { server: { pid: served.pid ?? 0, port }, edge: { pid: edge.pid, port: edge.port } };
  const cases = {
    '304': requestText(token, etag),
    'body of 1,000 flags': requestText(token),
    'evaluation of 1,000 flags': requestText(frontend, '', '/api/frontend?userId=7&sessionId=bench'),
  };
  const rows: Row[] = [];
  for (const [what, text] of Object.entries(cases)) {
    const cost = { server: [] as number[], edge: [] as number[] };
    const batches = Math.max(6, Math.round(requests / BATCH));
    const batch = text.includes('/api/frontend') ? EVALUATION_BATCH : BATCH;
    for (let round = 0; round < batches; round++) {
      for (const which of round % 2 === 0 ? (['server', 'edge'] as const) : (['edge', 'server'] as const)) {
        const { pid, port: to } = places[which];
        const length = await keptLength({ port: to, text });
        const before = await cpuUsOf(pid);
        await sendMany({ port: to, text }, batch, length);
        // The first third warms up.
        if (round >= batches / 3) cost[which].push(((await cpuUsOf(pid)) - before) / batch);
      }
    }
    const [own, through] = [1e6 / percentile(cost.server, 0.5), 1e6 / percentile(cost.edge, 0.5)];
    rows.push({
      what: `${what}, requests per CPU second (server ${own.toFixed(0)})`,
      value: `${through.toFixed(0)}, ${((100 * through) / own).toFixed(0)} %`,
      limit: `${100 * LEAST_SHARE} %`,
      isMet: through >= own * LEAST_SHARE,
    });
  }
  served.kill();
  await edge.stop();
  return rows;
}
