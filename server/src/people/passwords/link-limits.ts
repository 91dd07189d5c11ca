import { networkOf } from '../../../../plane/src/platform/admission/network.ts';
import { counted, tooManyRequests } from '../../../../plane/src/platform/errors.ts';
import { makeBuckets } from '../../../../plane/src/platform/http/protection/rate-limit.ts';

/** Uses of links for signup or for passwords. A company that invites everyone on one day has one link and perhaps one network. */
const PER_NETWORK = { perMinute: 30, burst: 60 };
const PER_LINK = { perMinute: 60, burst: 120 };

/** Rejects a network or a link with too many uses, valid or not, on this server: each costs a password hash. */
export function makeLinkLimits(): (ip: string, link: string) => void {
  const [ofNetwork, ofLink] = [makeBuckets(PER_NETWORK), makeBuckets(PER_LINK)];
  return (ip, link) => {
    const seconds = ofNetwork(networkOf(ip), 1) || ofLink(link, 1);
    if (seconds === 0) return;
    throw tooManyRequests(`This link was used too often. Retry in ${counted(seconds, 'second')}.`, seconds);
  };
}
