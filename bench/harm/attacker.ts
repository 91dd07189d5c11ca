// A process that sends the requests of one attack, as many at a time as it has connections. The parent starts it and says when to stop.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Attack, HarmRequest, World } from './attack.ts';
import { ATTACKS } from './attacks.ts';

export type AttackOrder = { name: string; connections: number; world: World };
export type AttackResult = { statuses: Record<string, number> };

/** Not the network of the probes, which come from 127.0.0.1. */
const NETWORK = '127.0.0.2';
/** Limits a run in which the server rejects requests as fast as they arrive. */
const MAX_REQUESTS = 500_000;
const LEAVES_AFTER_MS = 1_000;
const TRICKLES_EVERY_MS = 1_000;
const PAUSE_AFTER_ERROR_MS = 50;

const statuses: Record<string, number> = {};
let isStopped = false;
let sent = 0;

process.on('message', (message: AttackOrder | 'stop') => {
  if (message === 'stop') {
    isStopped = true;
    process.send?.({ statuses } satisfies AttackResult, () => process.exit(0));
    return;
  }
  const attack = ATTACKS.find(({ name }) => name === message.name);
  if (!attack) throw new Error(`There is no attack "${message.name}"`);
  const agent = new Agent({ keepAlive: true, maxSockets: message.connections, localAddress: NETWORK });
  for (let n = 0; n < message.connections; n++) void loop(attack, message.world, agent);
});

async function loop(attack: Attack, world: World, agent: Agent): Promise<void> {
  while (!isStopped && sent < MAX_REQUESTS) {
    const outcome = await send(attack, attack.request(sent++, world), world, agent);
    statuses[outcome] = (statuses[outcome] ?? 0) + 1;
    if (!/^\d/.test(outcome)) await new Promise(resolve => setTimeout(resolve, PAUSE_AFTER_ERROR_MS));
  }
}

function send(
  { caller, client = 'reads' }: Attack,
  { method = 'GET', path, headers = {}, body }: HarmRequest,
  world: World,
  agent: Agent,
): Promise<string> {
  const token = world.attacker[caller];
  return new Promise(resolve => {
    const outgoing = request({
      host: '127.0.0.1',
      port: world.port,
      method,
      path,
      agent,
      headers: {
        ...(token === '' ? {} : { authorization: token }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    outgoing.on('response', (response: IncomingMessage) => {
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
  let sent = 0;
  const timer = setInterval(() => {
    if (outgoing.destroyed || sent === body.length) return clearInterval(timer);
    outgoing.write(body.subarray(sent, ++sent));
  }, TRICKLES_EVERY_MS);
  outgoing.flushHeaders();
}
