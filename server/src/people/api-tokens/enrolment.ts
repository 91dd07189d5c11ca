import { enrolmentText, publicKeyText } from '@halyard/plane/feed/enrolment.ts';
import { badData } from '@halyard/plane/platform/errors.ts';
import { ALL } from '@halyard/plane/platform/http/schema.ts';
import { deriveSigningKey } from '@halyard/plane/snapshot/keys.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { ApiToken } from './schema.ts';

/** Adds the string that an edge starts with: the server's URL, the feed, the token, and the keys that sign the feed. */
export function withEnrolment(token: ApiToken, keyring: Keyring, publicUrl: string): ApiToken {
  if (token.type !== 'edge') return token;
  // The second key belongs to servers that still sign with the old key.
  const keys = keyring.slice(0, 2).map(({ key }) => publicKeyText(deriveSigningKey(key)));
  if (keys.length === 0) throw badData([KEY_REQUIRED]);
  const feed = {
    environment: token.environment ?? '',
    projects: token.projects.includes(ALL) ? null : token.projects.toSorted(),
  };
  return { ...token, enrolment: enrolmentText({ url: publicUrl, feed, token: token.secret, keys }) };
}

const KEY_REQUIRED = {
  message: 'type "edge" requires a server with HALYARD_SECRET_KEY, which signs the data sent to edges',
  path: '/body/type',
};
