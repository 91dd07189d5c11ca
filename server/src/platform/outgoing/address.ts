import ipaddr from 'ipaddr.js';

/** Where integrations may connect to although it is not public. */
export type TargetPolicy = { allowed: string[]; allowPrivate: boolean };

/**
 * Whether an address may be connected to: public ones may, of the others those that the policy names. Judged by
 * what is allowed and not by what is forbidden: IPv4 outside every special range, IPv6 only inside 2000::/3.
 */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  const parsed = parse(address);
  if (!parsed) return false;
  return policy.allowPrivate || isPublic(parsed) || policy.allowed.some(range => contains(range, parsed));
}

export const isPublicAddress = (address: string): boolean => {
  const parsed = parse(address);
  return parsed !== undefined && isPublic(parsed);
};

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  // What is unassigned today reads as unicast; only this eighth is given out.
  return address.kind() === 'ipv4' || (((address as ipaddr.IPv6).parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** An IPv4 address mapped into IPv6 is the IPv4 address: that is where the connection would go. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = address.replace(/^\[|\]$/g, '');
  // A zone such as fe80::1%eth0 names an interface of this machine.
  if (bare.includes('%') || !ipaddr.isValid(bare)) return undefined;
  return ipaddr.process(bare);
}

function contains(range: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  try {
    const [network, prefix] = range.includes('/')
      ? ipaddr.parseCIDR(range)
      : [ipaddr.process(range), ipaddr.process(range).kind() === 'ipv4' ? 32 : 128];
    return network.kind() === address.kind() && address.match(network, prefix);
  } catch {
    // A host name among the allowed targets.
    return false;
  }
}

export const isAddress = (host: string): boolean => ipaddr.isValid(host.replace(/^\[|\]$/g, ''));
