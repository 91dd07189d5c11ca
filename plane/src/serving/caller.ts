import { networkOf } from '../platform/admission/network.ts';
import type { SdkToken } from './tokens/tokens.ts';

/** Any page that uses a frontend token shows it to its visitors, so a token alone does not identify who sends a request. */
const isPublic = ({ type }: Pick<SdkToken, 'type'>): boolean => type === 'frontend';

/**
 * The caller that a request counts towards: its token, together with the network if the token is public. Without a token, it is
 * the network.
 */
export function callerOf(token: Pick<SdkToken, 'id' | 'type'> | undefined, ip: string): string {
  if (!token) return networkOf(ip);
  return isPublic(token) ? `${token.id} ${networkOf(ip)}` : `${token.id}`;
}
