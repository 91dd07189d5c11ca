import { lookup as systemLookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAddress, isAllowedAddress, type TargetPolicy } from './address.ts';
import { isAllowedHost } from './target.ts';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveBySystem: Resolve = async host =>
  (await systemLookup(host, { all: true })).map(({ address }) => address);

/** Connecting to the address is not allowed. A retry does not help. */
export class DisallowedTarget extends Error {}

const CONNECT_MS = 3_000;

/**
 * A dispatcher that checks the target of each connection. A hook into the DNS lookup would not be enough, because undici does no
 * lookup for a numeric address. The agent resolves the host, checks every address, connects to a checked one, and checks the
 * address of the open connection again.
 */
export function safeAgent(
  policy: TargetPolicy,
  resolve: Resolve,
  onConnected: (host: string, address: string) => void,
): Agent {
  const connectTo = buildConnector({ timeout: CONNECT_MS });
  return new Agent({
    connect: (options, callback) => {
      chooseAddress(options.hostname, policy, resolve)
        .then(address => {
          // The certificate and the virtual host belong to the host name.
          const servername =
            options.servername ?? (isAddress(options.hostname) ? undefined : options.hostname);
          const pinned = { ...options, hostname: address, host: address };
          connectTo(servername === undefined ? pinned : { ...pinned, servername }, (error, socket) => {
            if (error || !socket) return callback(error ?? new Error('no connection'), null);
            const disallowed = checkArrival(socket, address, options.hostname, policy);
            if (disallowed) {
              socket.destroy();
              return callback(disallowed, null);
            }
            onConnected(options.hostname, address);
            return callback(null, socket);
          });
        })
        // The connector itself can throw, for example for a server name that TLS rejects.
        .catch((error: Error) => callback(error, null));
    },
    // There are many receivers with few requests each, so idle connections are closed soon.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    connections: 50,
    maxHeaderSize: 16_384,
  });
}

async function chooseAddress(host: string, policy: TargetPolicy, resolve: Resolve): Promise<string> {
  const bare = host.replace(/^\[|\]$/g, '');
  const addresses = isAddress(bare) ? [bare] : await resolve(bare);
  const [first] = addresses;
  if (first === undefined) throw Object.assign(new Error(`${bare} has no IP address`), { code: 'ENOTFOUND' });
  if (isAllowedHost(bare, policy)) return first;
  // One private address is enough to reject the host: the next lookup could return only that one.
  if (!addresses.every(address => isAllowedAddress(address, policy))) {
    throw new DisallowedTarget('The host name resolves to a private IP address.');
  }
  return first;
}

function checkArrival(
  socket: Socket,
  address: string,
  host: string,
  policy: TargetPolicy,
): Error | undefined {
  const arrived = socket.remoteAddress ?? '';
  if (isAllowedHost(host, policy) || isAllowedAddress(arrived, policy)) return undefined;
  return new DisallowedTarget(`The connection to ${address} ended at a private IP address.`);
}
