// A process that sends what other callers would send meanwhile, one request of each kind at a time, and measures how long each takes.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure.ts';
import { type HarmRequest, json, type World } from './attack.ts';

export type ProbeResult = {
  name: string;
  requests: number;
  p95: number;
  /** The slowest request, with the time of day at which it began: what else happened then shows why. */
  slowest: { ms: number; at: string };
  failures: Record<string, number>;
};

type Probe = { name: string; everyMs: number; token: string; request: (n: number) => HarmRequest };

const TIMEOUT_MS = 30_000;

const TOGGLE = '/api/admin/projects/default/features/probed/environments/development';
const GZIP = { 'accept-encoding': 'gzip' };

const probesOf = ({ other, user }: World): Probe[] => {
  const probe = (name: string, everyMs: number, token: string, request: Probe['request']): Probe => {
    return { name, everyMs, token, request };
  };
  return [
    probe('login', 300, '', () => ({ path: '/auth/simple/login', ...json(user) })),
    probe('admin read', 40, other.viewer, () => ({ path: '/api/admin/projects' })),
    probe('toggle', 100, other.editor, n => ({
      path: `${TOGGLE}/${n % 2 === 0 ? 'on' : 'off'}`,
      ...json({}),
    })),
    probe('SDK poll', 40, other.client, () => ({ path: '/api/client/features', headers: GZIP })),
    probe('evaluation', 40, other.frontend, n => ({ path: `/api/frontend?userId=${n}` })),
  ];
};

let isStopped = false;

process.on('message', async (message: World | 'stop') => {
  if (message === 'stop') {
    isStopped = true;
    return;
  }
  const results = await Promise.all(probesOf(message).map(probe => run(probe, message.port)));
  process.send?.(results, () => process.exit(0));
});

async function run({ name, everyMs, token, request }: Probe, port: number): Promise<ProbeResult> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const failures: Record<string, number> = {};
  let slowest = { ms: 0, at: '' };
  for (let n = 0; !isStopped; n++) {
    const start = performance.now();
    const at = new Date().toISOString().slice(11, 19);
    const status = await send(request(n), token, port, agent);
    const ms = performance.now() - start;
    times.push(ms);
    if (ms > slowest.ms) slowest = { ms, at };
    if (!/^[23]/.test(status)) failures[status] = (failures[status] ?? 0) + 1;
    await sleep(everyMs);
  }
  return { name, requests: times.length, p95: percentile(times, 0.95), slowest, failures };
}

function send(
  { method = 'GET', path, headers, body }: HarmRequest,
  token: string,
  port: number,
  agent: Agent,
) {
  return new Promise<string>(resolve => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        timeout: TIMEOUT_MS,
        headers: { ...headers, ...(token === '' ? {} : { authorization: token }) },
      },
      response => {
        response.resume();
        response.on('end', () => resolve(String(response.statusCode)));
        response.on('error', () => resolve('cut off'));
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.end(body);
  });
}
