import { isIPv6 } from 'node:net';

const MAX_LENGTH = 100;

/**
 * The IPv4 address, or the /64 network of an IPv6 address, because one customer usually has the whole /64. Empty for a client that
 * has disconnected, whose IP address the operating system no longer knows.
 */
export function toNetwork(ip: string | undefined): string {
  if (ip === undefined) return '';
  const address = ip.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  // A proxy can pass on any string in X-Forwarded-For.
  if (!isIPv6(address)) return address.slice(0, MAX_LENGTH);
  const [front = [], back = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map(half => half.split(':').filter(group => group !== ''));
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
