import ipaddr from 'ipaddr.js';

/** The private IP addresses that integrations may connect to. */
export type TargetPolicy = { allowed: string[]; allowPrivate: boolean };

/**
 * Returns whether connecting to an IP address is allowed. Public addresses are allowed, and so are private addresses in the policy.
 * An IPv4 address is public if it is outside every special range, and an IPv6 address is public if it is inside 2000::/3.
 */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  const parsedAddress = parse(address);
  if (!parsedAddress) return false;
  return (
    policy.allowPrivate ||
    isPublic(parsedAddress) ||
    policy.allowed.some(range => contains(range, parsedAddress))
  );
}

export const isPublicAddress = (address: string): boolean => {
  const parsedAddress = parse(address);
  return parsedAddress !== undefined && isPublic(parsedAddress);
};

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  // ipaddr.js reports unassigned addresses as unicast. Only 2000::/3 is assigned.
  return address.kind() === 'ipv4' || (((address as ipaddr.IPv6).parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** Converts an IPv4-mapped IPv6 address to IPv4, because the connection goes there. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const host = address.replace(/^\[|\]$/g, '');
  // A zone such as fe80::1%eth0 names an interface of this machine.
  if (host.includes('%') || !ipaddr.isValid(host)) return undefined;
  return ipaddr.process(host);
}

function contains(range: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  try {
    const [network, prefix] = range.includes('/')
      ? ipaddr.parseCIDR(range)
      : [ipaddr.process(range), ipaddr.process(range).kind() === 'ipv4' ? 32 : 128];
    return network.kind() === address.kind() && address.match(network, prefix);
  } catch {
    // The range is a host name among the allowed targets.
    return false;
  }
}

export const isIpAddress = (host: string): boolean => ipaddr.isValid(host.replace(/^\[|\]$/g, ''));
