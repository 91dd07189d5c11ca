import { isIPv6 } from 'node:net';

const MAX_LENGTH = 100;

/** What limits are counted by: an IPv4 address, or the IPv6 network of 64 bits, of which one customer has all addresses. */
export function networkOf(ip: string): string {
  const address = ip.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  // A proxy may pass on anything in X-Forwarded-For; what is no address is counted as the text it is.
  if (!isIPv6(address)) return address.slice(0, MAX_LENGTH);
  const [front = [], back = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map(half => half.split(':').filter(group => group !== ''));
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
