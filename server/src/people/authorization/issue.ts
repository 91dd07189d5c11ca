import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken, newToken } from '@halyard/plane/platform/token.ts';
import { findActor, SCOPED_PREFIX } from '../../access/guard.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { removeTokenIfPresent } from '../users/personal-tokens.ts';
import { lockAndCountPersonalTokens } from '../users/store.ts';
import { ACCESS_SECONDS } from './limits.ts';
import { ProtocolError, type ProtocolErrorCode } from './protocol-error.ts';
import { getGrantedScope, isSameResource, parseScopes, type Resources } from './resources.ts';
import {
  deleteDeviceCode,
  findGrantByAccess,
  findGrantByCode,
  findGrantByFamily,
  findGrantByToken,
  type Grant,
  pollDevice,
  updateSecrets,
} from './store.ts';

/** The response of the token endpoint. */
export type TokenResponse = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token?: string;
  scope: string;
};

type Rejection = { error: ProtocolErrorCode; message: string; revoke?: true };

/** Returns a parameter of a request, or undefined if the parameter is missing. */
export type GetParameter = (name: string) => string | undefined;

const invalidGrant = (message: string, revoke?: true): Rejection => ({
  error: 'invalid_grant',
  message,
  ...(revoke && { revoke }),
});

/** Exchanges a code for a token. A code works once: if it is used again, somebody else has it, so the token is revoked. */
export async function exchangeCode(
  db: Db,
  resources: Resources,
  ip: string,
  clientId: string,
  get: GetParameter,
): Promise<TokenResponse> {
  const hash = hashToken(requireParameter(get, 'code'));
  const redirectUri = requireParameter(get, 'redirect_uri');
  const verifier = requireParameter(get, 'code_verifier');
  const resource = readResource(get, resources);
  const find = (reader: Reader) => findGrantByCode(reader, hash);
  return await applyToGrant(db, ip, find, async (tx, grant) => {
    if (grant.isUsed) return invalidGrant('The code has already been used, so its token is revoked.', true);
    if (grant.isCodeExpired) return invalidGrant('The code has expired.', true);
    if (grant.clientId !== clientId) return invalidGrant('The code belongs to a different client.', true);
    if (grant.redirectUri !== redirectUri)
      return invalidGrant('redirect_uri differs from the one that the code was sent to.', true);
    if (!isMatchingVerifier(verifier, grant.challenge))
      return invalidGrant('code_verifier does not match the code_challenge.', true);
    if (resource !== undefined && grant.resource !== null && !isSameResource(resource, grant.resource))
      return {
        error: 'invalid_target',
        message: 'resource differs from the one that the code was issued for.',
      };
    return await issue(tx, grant);
  });
}

const isMatchingVerifier = (verifier: string, challenge: string | null): boolean => {
  const expectedChallenge = createHash('sha256').update(verifier).digest('base64url');
  return (
    challenge !== null &&
    challenge.length === expectedChallenge.length &&
    isEqualHash(Buffer.from(expectedChallenge), Buffer.from(challenge))
  );
};

const isEqualHash = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/**
 * Replaces both secrets of a grant. A refresh token works once: if it is used again, the client or a thief has an old refresh
 * token, so the grant is revoked.
 */
export async function refresh(
  db: Db,
  resources: Resources,
  ip: string,
  clientId: string,
  get: GetParameter,
): Promise<TokenResponse> {
  const [family = '', secret = ''] = requireParameter(get, 'refresh_token').split('.');
  const [familyHash, hash] = [hashToken(family), hashToken(secret)];
  readResource(get, resources);
  const requestedScopes = parseScopes(get('scope'));
  const find = (reader: Reader) => findGrantByFamily(reader, familyHash);
  return await applyToGrant(db, ip, find, async (tx, grant) => {
    if (grant.clientId !== clientId) return invalidGrant('The refresh token belongs to a different client.');
    if (grant.refreshHash === null || !isEqualHash(hash, grant.refreshHash))
      return invalidGrant('The refresh token has already been used, so the grant is revoked.', true);
    if (grant.secondsLeft <= 0) return invalidGrant('The grant has expired.');
    const grantedScopes = parseScopes(getGrantedScope(grant.scope));
    if (!requestedScopes.every(scope => grantedScopes.includes(scope)))
      return { error: 'invalid_scope', message: `The grant has the scope "${grantedScopes.join(' ')}".` };
    return await issue(tx, grant, family);
  });
}

/** Responds to a client that waits for a person to enter its user code. */
export async function pollForToken(
  db: Db,
  ip: string,
  clientId: string,
  get: GetParameter,
): Promise<TokenResponse> {
  const hash = hashToken(requireParameter(get, 'device_code'));
  const poll = await pollDevice(db, hash, clientId);
  if (!poll) throw new ProtocolError('invalid_grant', 'The device code is unknown.');
  if (poll.state === 'expired') throw new ProtocolError('expired_token', 'The device code has expired.');
  if (poll.state === 'early') throw new ProtocolError('slow_down', 'Wait 5 seconds longer between requests.');
  if (poll.state === 'denied') throw new ProtocolError('access_denied', 'The user denied the request.');
  if (poll.state === 'pending' || poll.tokenId === null)
    throw new ProtocolError('authorization_pending', 'Nobody has entered the code yet.');
  const { tokenId } = poll;
  return await applyToGrant(
    db,
    ip,
    reader => findGrantByToken(reader, tokenId),
    async (tx, grant) =>
      (await deleteDeviceCode(tx, hash))
        ? await issue(tx, grant)
        : invalidGrant('The device code has already been used.'),
  );
}

/** Revokes the grant that an access token or refresh token belongs to. Returns false if the token belongs to no grant. */
export async function revoke(db: Db, ip: string, token: string): Promise<boolean> {
  const [family = ''] = token.split('.');
  const find = async (reader: Reader): Promise<Grant | undefined> =>
    (await findGrantByAccess(reader, hashToken(token))) ??
    (await findGrantByFamily(reader, hashToken(family)));
  const foundGrant = await find(db);
  if (!foundGrant) return false;
  const owner = await findActor(db, foundGrant.userId);
  await change(db, { ...(owner?.actor ?? SYSTEM), ip }, async current => {
    await lockAndCountPersonalTokens(current.tx, foundGrant.userId);
    const grant = await find(current.tx);
    if (grant) await removeTokenIfPresent(current, grant.userId, grant.tokenId);
  });
  return true;
}

/**
 * Finds a grant, locks its owner, reads the grant again and applies the request to it, so that the second of two simultaneous
 * requests sees the result of the first.
 */
async function applyToGrant(
  db: Db,
  ip: string,
  find: (reader: Reader) => Promise<Grant | undefined>,
  apply: (tx: Tx, grant: Grant) => Promise<TokenResponse | Rejection>,
): Promise<TokenResponse> {
  const foundGrant = await find(db);
  if (!foundGrant) throw unknownGrant();
  const actor: Actor = { ...SYSTEM, ip };
  const result = await change(db, actor, async current => {
    await lockAndCountPersonalTokens(current.tx, foundGrant.userId);
    const grant = await find(current.tx);
    if (!grant) return undefined;
    const outcome = await apply(current.tx, grant);
    if ('revoke' in outcome) await removeTokenIfPresent(current, grant.userId, grant.tokenId);
    return outcome;
  });
  if (result === undefined) throw unknownGrant();
  if ('error' in result) throw new ProtocolError(result.error, result.message);
  return result;
}

const unknownGrant = (): ProtocolError =>
  new ProtocolError('invalid_grant', 'The code or token is unknown, expired or revoked.');

/**
 * Gives the token a new secret. An agent's secret lasts for an hour and comes with a refresh token. The CLI's secret lasts as long
 * as its token, because parallel commands would invalidate each other's secrets.
 */
async function issue(
  tx: Tx,
  grant: Grant,
  family = randomBytes(16).toString('base64url'),
): Promise<TokenResponse> {
  const secret = newToken('personal', grant.scope === null ? 'user:' : SCOPED_PREFIX);
  const commonFields = {
    access_token: secret,
    token_type: 'Bearer',
    scope: getGrantedScope(grant.scope),
  } as const;
  if (!grant.isAgent) {
    await updateSecrets(tx, grant.tokenId, { hash: hashToken(secret), accessSeconds: null });
    return { ...commonFields, expires_in: grant.secondsLeft };
  }
  const refreshSecret = newToken('refresh', '');
  await updateSecrets(tx, grant.tokenId, {
    hash: hashToken(secret),
    accessSeconds: ACCESS_SECONDS,
    refresh: { family: hashToken(family), hash: hashToken(refreshSecret) },
  });
  return {
    ...commonFields,
    expires_in: Math.min(ACCESS_SECONDS, grant.secondsLeft),
    refresh_token: `${family}.${refreshSecret}`,
  };
}

export function requireParameter(get: GetParameter, name: string): string {
  const value = get(name);
  if (value === undefined) throw new ProtocolError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

function readResource(get: GetParameter, resources: Resources): string | undefined {
  const resource = get('resource');
  const problem = resources.findProblem(resource === undefined ? [] : [resource]);
  if (problem) throw problem;
  return resource;
}
