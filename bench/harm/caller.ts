// A process that either attacks the server or sends what other callers would send during the attack. The parent process decides which, and
// when to stop.
import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTACKS, type Attack, type AttackRequest, json, type World } from './attacks.ts';

export type CallerTask = { world: World; attack?: { name: string; connections: number } };
/** How long each request of one kind took, in ms, and how often each outcome occurred. Probes count only failures. */
export type Outcome = { name: string; times: number[]; counts: Record<string, number> };

/** Limits a run in which the server rejects requests as fast as they arrive. */
const MAX_REQUESTS = 500_000;
const LEAVE_AFTER_MS = 1_000;
const TRICKLE_EVERY_MS = 1_000;
const PAUSE_AFTER_ERROR_MS = 50;
const TIMEOUT_MS = 30_000;
const TOGGLE_PATH = '/api/admin/projects/default/features/probed/environments/development';

type Probe = { name: string; everyMs: number; token: string; request: (n: number) => AttackRequest };

const buildProbes = ({ other, user }: World): Probe[] => {
  const probe = (name: string, everyMs: number, token: string, request: Probe['request']): Probe => {
    return { name, everyMs, token, request };
  };
  const toggle = (n: number) => ({ path: `${TOGGLE_PATH}/${n % 2 === 0 ? 'on' : 'off'}`, ...json({}) });
  const poll = { path: '/api/client/features', headers: { 'accept-encoding': 'gzip' } };
  return [
    probe('login', 300, '', () => ({ path: '/auth/simple/login', ...json(user) })),
    probe('admin read', 40, other.viewer, () => ({ path: '/api/admin/projects' })),
    probe('toggle', 100, other.editor, toggle),
    probe('SDK poll', 40, other.client, () => poll),
    probe('evaluation', 40, other.frontend, n => ({ path: `/api/frontend?userId=${n}` })),
  ];
};

let isStopped = false;
let sentRequestCount = 0;

// Without this, the process would outlive the campaign.
process.once('disconnect', () => process.exit());

process.on('message', async (message: CallerTask | 'stop') => {
  if (message === 'stop') {
    isStopped = true;
    return;
  }
  const { world, attack } = message;
  const outcomes = attack
    ? [await runAttack(attack.name, attack.connections, world)]
    : await Promise.all(buildProbes(world).map(probe => runProbe(probe, world.port)));
  process.send?.(outcomes, () => process.exit(0));
});

/** Sends requests until the campaign stops it, without waiting for the last responses. */
async function runAttack(name: string, connections: number, world: World): Promise<Outcome> {
  const attack = ATTACKS.find(candidate => candidate.name === name);
  if (!attack) throw new Error(`There is no attack "${name}"`);
  // The probes come from 127.0.0.1, so this address counts as a different network.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress: '127.0.0.2' });
  const counts: Record<string, number> = {};
  const loop = async () => {
    while (!isStopped && sentRequestCount < MAX_REQUESTS) {
      const harmRequest = attack.request(sentRequestCount++, world);
      const outcome = await send(
        harmRequest,
        world.attacker[attack.caller],
        world.port,
        agent,
        attack.client,
      );
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (!/^\d/.test(outcome)) await sleep(PAUSE_AFTER_ERROR_MS);
    }
  };
  for (let n = 0; n < connections; n++) void loop();
  while (!isStopped) await sleep(20);
  return { name, times: [], counts };
}

async function runProbe(
  { name, everyMs, token, request: makeRequest }: Probe,
  port: number,
): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, timeout: TIMEOUT_MS });
  const times: number[] = [];
  const counts: Record<string, number> = {};
  for (let n = 0; !isStopped; n++) {
    const start = performance.now();
    const status = await send(makeRequest(n), token, port, agent);
    times.push(performance.now() - start);
    if (!/^[23]/.test(status)) counts[status] = (counts[status] ?? 0) + 1;
    await sleep(everyMs);
  }
  return { name, times, counts };
}

/** Sends a request, and returns its status or the reason why there is none. */
function send(
  { method = 'GET', path, headers = {}, body }: AttackRequest,
  token: string,
  port: number,
  agent: Agent,
  client: Attack['client'] = 'reads',
): Promise<string> {
  return new Promise(resolve => {
    const authorization = token === '' ? {} : { authorization: token };
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent,
      headers: { ...authorization, ...length, ...headers },
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.on('response', response => {
      const status = String(response.statusCode);
      response.on('error', () => resolve(`${status} cut off`));
      // A stalled client holds its connection until the server closes it.
      if (client === 'stalls') {
        response.pause();
        outgoing.socket?.once('close', () => resolve(`${status} cut off`));
      } else response.resume();
      response.on('end', () => resolve(status));
    });
    if (client === 'leaves') {
      setTimeout(() => {
        outgoing.destroy();
        resolve('left');
      }, LEAVE_AFTER_MS).unref();
    }
    if (client === 'trickles') trickle(outgoing, Buffer.from(body ?? ''));
    else outgoing.end(body);
  });
}

/** Sends a byte of the body every second, until the server gives up. */
function trickle(outgoing: ClientRequest, body: Buffer): void {
  let writtenBytes = 0;
  const timer = setInterval(() => {
    if (outgoing.destroyed || writtenBytes === body.length) return clearInterval(timer);
    outgoing.write(body.subarray(writtenBytes, ++writtenBytes));
  }, TRICKLE_EVERY_MS);
  outgoing.flushHeaders();
}
