import type { FastifyRequest } from 'fastify';
import type { Scope } from '../state/scope.ts';
import { type Asked, EVERYTHING, type ServingState } from '../state/serving.ts';
import type { SdkToken } from '../tokens/tokens.ts';
import { authenticate, type TokenKind, tokenText } from './authenticate.ts';

/** The token of a request and its scope. Loads the environment of the token if this is its first request. */
export async function authorize(
  state: ServingState,
  { headers: { authorization } }: FastifyRequest,
  asked: Asked = EVERYTHING,
  kinds?: readonly TokenKind[],
): Promise<{ token: SdkToken; scope: Scope }> {
  const token = await authenticate(state.tokens, tokenText(authorization), kinds);
  await state.load(token.environment ?? '');
  const scope = state.scopeOf(token, asked);
  if (!scope) throw new Error('The environment of the token is not loaded');
  token.used = true;
  return { token, scope };
}
