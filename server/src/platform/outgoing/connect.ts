import { lookup as systemLookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAddress, isAllowedAddress, type TargetPolicy } from './address.ts';
import { isAllowedHost } from './target.ts';

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveBySystem: Resolve = async host =>
  (await systemLookup(host, { all: true })).map(({ address }) => address);

/** The address is not one that may be connected to; trying again does not help. */
export class BlockedTarget extends Error {}

const CONNECT_MS = 3_000;

/**
 * A dispatcher that decides at the moment of connecting. A hook into the DNS look-up would not do: for an address
 * written as numbers undici asks no DNS at all. So the host is resolved here, every address it has is checked, the
 * connection goes to one that was checked, and where it arrived is checked again.
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
          // Certificate and virtual host are those of the name.
          const servername =
            options.servername ?? (isAddress(options.hostname) ? undefined : options.hostname);
          const pinned = { ...options, hostname: address, host: address };
          connectTo(servername === undefined ? pinned : { ...pinned, servername }, (error, socket) => {
            if (error || !socket) return callback(error ?? new Error('no connection'), null);
            const refused = refuseArrival(socket, address, options.hostname, policy);
            if (refused) {
              socket.destroy();
              return callback(refused, null);
            }
            onConnected(options.hostname, address);
            return callback(null, socket);
          });
        })
        // Also what the connector throws by itself, such as for a server name that TLS does not accept.
        .catch((error: Error) => callback(error, null));
    },
    // Receivers are many and rarely called: what is idle is let go of soon.
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
  if (first === undefined) throw Object.assign(new Error(`${bare} has no address`), { code: 'ENOTFOUND' });
  if (isAllowedHost(bare, policy)) return first;
  // One private address among several is enough to refuse: the next look-up could give that one alone.
  if (!addresses.every(address => isAllowedAddress(address, policy))) {
    throw new BlockedTarget('The host leads into a private network.');
  }
  return first;
}

function refuseArrival(
  socket: Socket,
  address: string,
  host: string,
  policy: TargetPolicy,
): Error | undefined {
  const arrived = socket.remoteAddress ?? '';
  if (isAllowedHost(host, policy) || isAllowedAddress(arrived, policy)) return undefined;
  return new BlockedTarget(`The connection to ${address} arrived in a private network.`);
}
