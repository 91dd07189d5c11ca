import { lookup as systemLookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isAllowedAddress, isIpAddress, type TargetPolicy } from './address.ts';
import { isAllowedHost } from './target.ts';

/** Returns all IP addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveBySystem: Resolve = async host =>
  (await systemLookup(host, { all: true })).map(({ address }) => address);

/** The target is not allowed, so a retry would not help. */
export class DisallowedTargetError extends Error {}

const CONNECT_MS = 3_000;

/**
 * Creates a dispatcher that checks the target of each connection. A hook into the DNS lookup would not be enough, because undici
 * does not look up a numeric address. The agent resolves the host, checks every address, connects to a checked one, and checks the
 * address of the open connection again.
 */
export function makeSafeAgent(
  policy: TargetPolicy,
  resolve: Resolve,
  onConnected: (host: string, address: string) => void,
): Agent {
  const connectTo = buildConnector({ timeout: CONNECT_MS });
  return new Agent({
    connect: (options, callback) => {
      chooseAddress(options.hostname, policy, resolve)
        .then(address => {
          // The certificate and the virtual host belong to the host name, not to the IP address.
          const servername =
            options.servername ?? (isIpAddress(options.hostname) ? undefined : options.hostname);
          const pinnedOptions = { ...options, hostname: address, host: address };
          connectTo(
            servername === undefined ? pinnedOptions : { ...pinnedOptions, servername },
            (error, socket) => {
              if (error || !socket) return callback(error ?? new Error('no connection'), null);
              const addressError = checkRemoteAddress(socket, address, options.hostname, policy);
              if (addressError) {
                socket.destroy();
                return callback(addressError, null);
              }
              onConnected(options.hostname, address);
              return callback(null, socket);
            },
          );
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
  const hostname = host.replace(/^\[|\]$/g, '');
  const addresses = isIpAddress(hostname) ? [hostname] : await resolve(hostname);
  const [firstAddress] = addresses;
  if (firstAddress === undefined)
    throw Object.assign(new Error(`${hostname} has no IP address`), { code: 'ENOTFOUND' });
  if (isAllowedHost(hostname, policy)) return firstAddress;
  // One private address is enough to reject the host, because the next lookup could return only that address.
  if (!addresses.every(address => isAllowedAddress(address, policy)))
    throw new DisallowedTargetError('The host name resolves to a private IP address.');
  return firstAddress;
}

function checkRemoteAddress(
  socket: Socket,
  address: string,
  host: string,
  policy: TargetPolicy,
): Error | undefined {
  const remoteAddress = socket.remoteAddress ?? '';
  if (isAllowedHost(host, policy) || isAllowedAddress(remoteAddress, policy)) return undefined;
  return new DisallowedTargetError(`The connection to ${address} reached a private IP address.`);
}
