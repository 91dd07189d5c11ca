import type { FastifyRequest } from 'fastify';
import type { Scope } from '../state/scope.ts';
import { EVERYTHING, type QueryOptions, type ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { authenticate, parseToken, type TokenKind } from './authenticate.ts';
import { readRevision } from './etag.ts';

/**
 * If the database lost the client's revision, removes it from the headers, so that the client gets everything again. Returns
 * undefined synchronously if this server knows the revision, as it nearly always does.
 */
export function forgetLostRevision(
  state: ServingState,
  { headers }: FastifyRequest,
  { etag, id, environment, current }: Scope,
): Promise<void> | undefined {
  const presentedTag = headers['if-none-match'] ?? headers['last-event-id'];
  if (presentedTag === undefined || presentedTag === etag) return undefined;
  const revision = readRevision(String(presentedTag), current.epoch, id) ?? 0;
  if (revision <= current.revision || revision === Number.POSITIVE_INFINITY) return undefined;
  return state.isLost(current.epoch, environment, revision).then(isLost => {
    if (!isLost) return;
    delete headers['if-none-match'];
    delete headers['last-event-id'];
  });
}

/** Returns the token and scope of a request. Loads the token's environment unless it is already loaded. */
export async function authorize(
  state: ServingState,
  { headers: { authorization }, ip }: FastifyRequest,
  options: QueryOptions = EVERYTHING,
  kinds?: readonly TokenKind[],
): Promise<{ token: SdkToken; scope: Scope }> {
  const token = await authenticate(state.tokens, parseToken(authorization), ip, kinds);
  await state.load(token.environment ?? '');
  const scope = state.findScope(token, options);
  if (!scope) throw new Error("The token's environment is not loaded");
  token.used = true;
  return { token, scope };
}
