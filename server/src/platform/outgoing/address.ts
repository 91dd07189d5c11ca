import ipaddr from 'ipaddr.js';

/** The private addresses that integrations may connect to. */
export type TargetPolicy = { allowed: string[]; allowPrivate: boolean };

/**
 * Whether connecting to an address is allowed: public addresses are, and private ones that the policy lists. Public means IPv4
 * outside every special range, and IPv6 inside 2000::/3.
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
  // ipaddr.js reports unassigned addresses as unicast. Only 2000::/3 is assigned.
  return address.kind() === 'ipv4' || (((address as ipaddr.IPv6).parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** Converts an IPv4-mapped IPv6 address to IPv4, because the connection goes there. */
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
