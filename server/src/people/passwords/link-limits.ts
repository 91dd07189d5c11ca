import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import { formatCount, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import { makeBuckets } from '@halyard/plane/platform/http/protection/rate-limit.ts';

/**
 * How often signup and password links may be used. The limits are high because a company that invites everyone on the same day has
 * one link and perhaps one network.
 */
const NETWORK_LIMIT = { perMinute: 30, burst: 60 };
const LINK_LIMIT = { perMinute: 60, burst: 120 };

/**
 * Creates a check that throttles uses of links per network and per link. The uses are counted in memory, so each server has its
 * own limits. Uses of invalid links count too, because a use is counted before its link is verified.
 */
export function makeLinkLimits(): (ip: string, link: string) => void {
  const [takeFromNetwork, takeFromLink] = [makeBuckets(NETWORK_LIMIT), makeBuckets(LINK_LIMIT)];
  return (ip, link) => {
    const seconds = takeFromNetwork(toNetwork(ip), 1) || takeFromLink(link, 1);
    if (seconds === 0) return;
    throw tooManyRequests(
      `This link was used too often. Retry in ${formatCount(seconds, 'second')}.`,
      seconds,
    );
  };
}
