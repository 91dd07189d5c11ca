import type { FastifyRequest } from 'fastify';
import type { Scope } from '../state/scope.ts';
import { EVERYTHING, type QueryOptions, type ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { authenticate, type TokenKind, tokenText } from './authenticate.ts';
import { presentedRevision } from './etag.ts';

/**
 * A client with a revision that the database lost is treated as one that has nothing. Returns undefined, without waiting, for
 * every client with a revision of this server, which is almost always the case.
 */
export function forgetLost(
  state: ServingState,
  { headers }: FastifyRequest,
  { etag, id, environment, current }: Scope,
): Promise<void> | undefined {
  const presented = headers['if-none-match'] ?? headers['last-event-id'];
  if (presented === undefined || presented === etag) return undefined;
  const revision = presentedRevision(String(presented), current.epoch, id) ?? 0;
  if (revision <= current.revision || revision === Number.POSITIVE_INFINITY) return undefined;
  return state.isLost(current.epoch, environment, revision).then(isLost => {
    if (!isLost) return;
    delete headers['if-none-match'];
    delete headers['last-event-id'];
  });
}

/** The token of a request and its scope. Loads the environment of the token if this is its first request. */
export async function authorize(
  state: ServingState,
  { headers: { authorization }, ip }: FastifyRequest,
  options: QueryOptions = EVERYTHING,
  kinds?: readonly TokenKind[],
): Promise<{ token: SdkToken; scope: Scope }> {
  const token = await authenticate(state.tokens, tokenText(authorization), ip, kinds);
  await state.load(token.environment ?? '');
  const scope = state.scopeOf(token, options);
  if (!scope) throw new Error('The environment of the token is not loaded');
  token.used = true;
  return { token, scope };
}
