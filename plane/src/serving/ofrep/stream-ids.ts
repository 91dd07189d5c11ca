import { hash } from 'node:crypto';
import type { SdkToken, Tokens } from '../tokens/tokens.ts';

export type StreamIds = {
  computeStreamId: (token: SdkToken) => string;
  /** Returns the token of a stream URL, if the token is valid. */
  find: (streamId: string) => SdkToken | undefined;
};

/**
 * A browser opens a stream without an Authorization header, so the URL identifies the token without revealing it. The URL is the
 * same on all servers, because clients store it for weeks.
 */
export function makeStreamIds(tokens: Tokens): StreamIds {
  let tokensByStreamId = new Map<string, SdkToken>();
  let revision = Number.NaN;

  const computeStreamId = (token: SdkToken): string =>
    hash('sha256', `stream of evaluations ${token.hash}`, 'base64url').slice(0, 32);

  return {
    computeStreamId,
    find: streamId => {
      // Hashing 20,000 tokens takes 20 ms, so the list is built once for each state of the tokens.
      if (revision !== tokens.revision || tokensByStreamId.size !== tokens.size) {
        tokensByStreamId = new Map([...tokens.all()].map(token => [computeStreamId(token), token]));
        revision = tokens.revision;
      }
      const token = tokensByStreamId.get(streamId);
      return token && tokens.isValid(token) ? token : undefined;
    },
  };
}
