import { enrolmentText, publicKeyText } from '../../../../plane/src/feed/enrolment.ts';
import { badData } from '../../../../plane/src/platform/errors.ts';
import { ALL } from '../../../../plane/src/platform/http/schema.ts';
import { signingKeyOf } from '../../../../plane/src/snapshot/keys.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { ApiToken } from './schema.ts';

/** Adds the string that an edge starts with: the server's URL, the feed, the token, and the keys that sign the feed. */
export function withEnrolment(token: ApiToken, keyring: Keyring, publicUrl: string): ApiToken {
  if (token.type !== 'edge') return token;
  // The second key belongs to servers that still have the old one.
  const keys = keyring.slice(0, 2).map(({ key }) => publicKeyText(signingKeyOf(key)));
  if (keys.length === 0) throw badData([NO_KEY]);
  const feed = {
    environment: token.environment ?? '',
    projects: token.projects.includes(ALL) ? null : token.projects.toSorted(),
  };
  return { ...token, enrolment: enrolmentText({ url: publicUrl, feed, token: token.secret, keys }) };
}

const NO_KEY = {
  message: 'type "edge" requires a server with HALYARD_SECRET_KEY, which signs what edges get',
  path: '/body/type',
};
