import { toNetwork } from '../platform/admission/network.ts';
import type { SdkToken } from './tokens/tokens.ts';

/** A page exposes its frontend token to every visitor, so the token alone does not identify who sends a request. */
const isPublic = ({ type }: Pick<SdkToken, 'type'>): boolean => type === 'frontend';

/**
 * The caller that a request counts towards: its token, together with the network if the token is public. Without a token, it is
 * the network.
 */
export function getCaller(token: Pick<SdkToken, 'id' | 'type'> | undefined, ip: string): string {
  if (!token) return toNetwork(ip);
  return isPublic(token) ? `${token.id} ${toNetwork(ip)}` : `${token.id}`;
}
