import { isAllowedAddress, isIpAddress, type TargetPolicy } from './address.ts';

const MAX_URL_LENGTH = 2_000;
const MAX_HOST_LENGTH = 253;

/** Returns the reason why requests to this URL are not allowed, or undefined if they are allowed. Does no DNS lookup. */
export function findTargetProblem(text: string, policy: TargetPolicy): string | undefined {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (!url) return `must be a URL such as https://example.com/hook, of at most ${MAX_URL_LENGTH} characters`;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password';
  if (url.hostname === '' || url.hostname.length > MAX_HOST_LENGTH) return 'must contain a host name';
  // URL normalizes other notations of an IP address (decimal, hexadecimal, short).
  if (isIpAddress(url.hostname) && !isAllowedAddress(url.hostname, policy))
    return notPublicMessage(url.hostname);
  if (isLocalName(url.hostname) && !policy.allowPrivate && !isAllowedHost(url.hostname, policy))
    return notPublicMessage(url.hostname);
  return undefined;
}

function notPublicMessage(host: string): string {
  const name = host.replace(/^\[|\]$/g, '');
  return `must point to a public IP address. To allow "${name}", set HALYARD_ALLOWED_TARGETS=${name} (or HALYARD_ALLOW_PRIVATE_TARGETS=true in development) and restart the server.`;
}

export const isAllowedHost = (host: string, policy: TargetPolicy): boolean =>
  policy.allowed.some(allowed => allowed.toLowerCase() === removeTrailingDot(host));

const isLocalName = (host: string): boolean => /(^|\.)localhost$/.test(removeTrailingDot(host));

const removeTrailingDot = (host: string): string => host.toLowerCase().replace(/\.$/, '');

/** Returns the URL without its path and query, which may be secret. */
export const maskTarget = (text: string): string => {
  const url = URL.parse(text);
  if (!url) return '*****';
  return url.pathname === '/' && url.search === '' ? url.origin : `${url.origin}/*****`;
};
