import type { FastifyRequest } from 'fastify';
import { toNetwork } from '../../platform/admission/network.ts';
import { ApiError } from '../../platform/errors.ts';
import type { SdkToken, Tokens } from '../tokens/tokens.ts';

/** The kinds of tokens, by what they are for. `client` is another name for `backend`. */
export type TokenKind = 'backend' | 'frontend' | 'edge';

const isOfKind = ({ type }: SdkToken, kinds: readonly TokenKind[]): boolean =>
  kinds.includes(type === 'client' ? 'backend' : (type as TokenKind));

const BACKEND: readonly TokenKind[] = ['backend'];

/** Returns the token of a request, with or without `Bearer`, or an empty string if there is none. */
export function parseToken(authorization: string | undefined): string {
  if (authorization === undefined) return '';
  return authorization[6] === ' ' ? authorization.replace(/^bearer /i, '').trim() : authorization;
}

/** Returns a valid backend token that is in memory. Almost every request takes this fast path, which needs no promise. */
export function findCachedToken(tokens: Tokens, text: string): SdkToken | undefined {
  const token = tokens.findCached(text);
  return token && isOfKind(token, BACKEND) ? token : undefined;
}

/** `<projects>:<environment>.<secret>`, as tokens are shown when they are created. */
const TOKEN_SHAPE = /^[^:\s]+:[^.\s]+\.\S+$/;

/** Describes what is wrong with the header, without revealing whether the token ever existed. */
function explainRejection(text: string, kinds: readonly TokenKind[]): string {
  const required = `an API token of type ${kinds.join(' or ')}`;
  if (text === '') return `The request has no token. Send ${required} in the Authorization header.`;
  if (text.startsWith('user:'))
    return `A personal access token works in the admin API only. Send ${required}.`;
  if (!TOKEN_SHAPE.test(text))
    return `The Authorization header does not contain an API token, which looks like "default:development.<secret>". Send ${required}.`;
  return `The API token is unknown, expired or revoked. Send ${required} that is valid.`;
}

/** Responds with 401 or 403 only if the database rejects the token, because an SDK then stops permanently. */
export async function authenticate(
  tokens: Tokens,
  text: string,
  ip: string,
  kinds: readonly TokenKind[] = BACKEND,
): Promise<SdkToken> {
  const token =
    text === '' ? undefined : (tokens.findCached(text) ?? (await tokens.lookUp(text, toNetwork(ip))));
  if (!token) throw new ApiError('AuthenticationRequired', explainRejection(text, kinds));
  if (!isOfKind(token, kinds)) {
    throw new ApiError(
      'NoAccessError',
      `The API token has type ${token.type}. This operation requires a token of type ${kinds.join(' or ')}.`,
    );
  }
  return token;
}

/** Authenticates before the body is read, so that nobody can send a large one without a token. */
export const tokenCheck =
  (tokens: Tokens, kinds?: readonly TokenKind[], readTokenText = readAuthorization) =>
  async (request: FastifyRequest): Promise<void> => {
    request.sdkToken = await authenticate(tokens, readTokenText(request), request.ip, kinds);
    request.sdkToken.used = true;
  };

const readAuthorization = ({ headers }: FastifyRequest): string => parseToken(headers.authorization);
