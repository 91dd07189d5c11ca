// A process that attacks the server, or sends what other callers would send meanwhile. The parent says which, and when to stop.
import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTACKS, type Attack, type HarmRequest, json, type World } from './attacks.ts';

export type Order = { world: World; attack?: { name: string; connections: number } };
/** How long each request of one kind took, in ms, and the outcomes of all requests or of those that failed. */
export type Outcome = { name: string; times: number[]; counts: Record<string, number> };

/** Limits a run in which the server rejects requests as fast as they arrive. */
const MAX_REQUESTS = 500_000;
const LEAVES_AFTER_MS = 1_000;
const TRICKLES_EVERY_MS = 1_000;
const PAUSE_AFTER_ERROR_MS = 50;
const TIMEOUT_MS = 30_000;
const TOGGLE = '/api/admin/projects/default/features/probed/environments/development';

type Probe = { name: string; everyMs: number; token: string; request: (n: number) => HarmRequest };

const probesOf = ({ other, user }: World): Probe[] => {
  const probe = (name: string, everyMs: number, token: string, request: Probe['request']): Probe => {
    return { name, everyMs, token, request };
  };
  const toggle = (n: number) => ({ path: `${TOGGLE}/${n % 2 === 0 ? 'on' : 'off'}`, ...json({}) });
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
let sent = 0;

// Ends together with the campaign.
process.once('disconnect', () => process.exit());

process.on('message', async (message: Order | 'stop') => {
  if (message === 'stop') {
    isStopped = true;
    return;
  }
  const { world, attack } = message;
  const outcomes = attack
    ? [await attackWith(attack.name, attack.connections, world)]
    : await Promise.all(probesOf(world).map(probe => run(probe, world.port)));
  process.send?.(outcomes, () => process.exit(0));
});

/** Does not wait for open responses at the end. */
async function attackWith(name: string, connections: number, world: World): Promise<Outcome> {
  const attack = ATTACKS.find(one => one.name === name);
  if (!attack) throw new Error(`There is no attack "${name}"`);
  // Not the network of the probes, which come from 127.0.0.1.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress: '127.0.0.2' });
  const counts: Record<string, number> = {};
  const loop = async () => {
    while (!isStopped && sent < MAX_REQUESTS) {
      const next = attack.request(sent++, world);
      const outcome = await send(next, world.attacker[attack.caller], world.port, agent, attack.client);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (!/^\d/.test(outcome)) await sleep(PAUSE_AFTER_ERROR_MS);
    }
  };
  for (let n = 0; n < connections; n++) void loop();
  while (!isStopped) await sleep(20);
  return { name, times: [], counts };
}

async function run({ name, everyMs, token, request: next }: Probe, port: number): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, timeout: TIMEOUT_MS });
  const times: number[] = [];
  const counts: Record<string, number> = {};
  for (let n = 0; !isStopped; n++) {
    const start = performance.now();
    const status = await send(next(n), token, port, agent);
    times.push(performance.now() - start);
    if (!/^[23]/.test(status)) counts[status] = (counts[status] ?? 0) + 1;
    await sleep(everyMs);
  }
  return { name, times, counts };
}

/** The status, or why there was none. */
function send(
  { method = 'GET', path, headers = {}, body }: HarmRequest,
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
      }, LEAVES_AFTER_MS).unref();
    }
    if (client === 'trickles') trickle(outgoing, Buffer.from(body ?? ''));
    else outgoing.end(body);
  });
}

/** Sends a byte of the body every second, until the server gives up. */
function trickle(outgoing: ClientRequest, body: Buffer): void {
  let written = 0;
  const timer = setInterval(() => {
    if (outgoing.destroyed || written === body.length) return clearInterval(timer);
    outgoing.write(body.subarray(written, ++written));
  }, TRICKLES_EVERY_MS);
  outgoing.flushHeaders();
}
