import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken, newToken } from '../../../../plane/src/platform/token.ts';
import { findActor, SCOPED_PREFIX } from '../../access/guard.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { removeTokenIfPresent } from '../users/personal-tokens.ts';
import { lockPersonalTokens } from '../users/store.ts';
import { ACCESS_SECONDS } from './limits.ts';
import { ProtocolError, type ProtocolErrorCode } from './protocol-error.ts';
import { grantedScope, type Resources, scopesIn } from './resources.ts';
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
export type Issued = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token?: string;
  scope: string;
};

type Rejected = { error: ProtocolErrorCode; message: string; revoke?: true };

/** Parameters of a request to the token endpoint. */
export type Parameters = (name: string) => string | undefined;

const invalidGrant = (message: string, revoke?: true): Rejected => ({
  error: 'invalid_grant',
  message,
  ...(revoke && { revoke }),
});

/** Exchanges a code for a token. A code works once: a second use means that somebody else has it, and revokes the token. */
export async function exchangeCode(
  db: Db,
  resources: Resources,
  ip: string,
  clientId: string,
  get: Parameters,
): Promise<Issued> {
  const hash = hashToken(required(get, 'code'));
  const redirectUri = required(get, 'redirect_uri');
  const verifier = required(get, 'code_verifier');
  const resource = resourceIn(get, resources);
  return await decide(
    db,
    ip,
    reader => findGrantByCode(reader, hash),
    async (tx, grant) => {
      if (grant.isUsed) return invalidGrant('The code was used before, so its token is revoked.', true);
      if (grant.isCodeExpired) return invalidGrant('The code has expired.', true);
      if (grant.clientId !== clientId) return invalidGrant('The code belongs to a different client.', true);
      if (grant.redirectUri !== redirectUri)
        return invalidGrant('redirect_uri differs from the one that the code was sent to.', true);
      if (!isVerified(verifier, grant.challenge))
        return invalidGrant('code_verifier does not fit the code.', true);
      if (resource !== undefined && grant.resource !== null && !isSameResource(resource, grant.resource))
        return { error: 'invalid_target', message: 'resource differs from the one of the code.' };
      return await issue(tx, grant);
    },
  );
}

const isSameResource = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');

const isVerified = (verifier: string, challenge: string | null): boolean => {
  const made = createHash('sha256').update(verifier).digest('base64url');
  return (
    challenge !== null &&
    challenge.length === made.length &&
    isSame(Buffer.from(made), Buffer.from(challenge))
  );
};

const isSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/**
 * Replaces both secrets of a grant. A refresh token works once: a second use means that the program or a thief has an old one, and
 * revokes the grant.
 */
export async function refresh(
  db: Db,
  resources: Resources,
  ip: string,
  clientId: string,
  get: Parameters,
): Promise<Issued> {
  const [family = '', secret = ''] = required(get, 'refresh_token').split('.');
  const [familyHash, hash] = [hashToken(family), hashToken(secret)];
  resourceIn(get, resources);
  const asked = scopesIn(get('scope'));
  return await decide(
    db,
    ip,
    reader => findGrantByFamily(reader, familyHash),
    async (tx, grant) => {
      if (grant.clientId !== clientId)
        return invalidGrant('The refresh token belongs to a different client.');
      if (grant.refreshHash === null || !isSame(hash, grant.refreshHash))
        return invalidGrant('The refresh token was used before, so the grant is revoked.', true);
      if (grant.secondsLeft <= 0) return invalidGrant('The grant has expired.');
      const granted = scopesIn(grantedScope(grant.scope));
      if (!asked.every(one => granted.includes(one)))
        return { error: 'invalid_scope', message: `The grant has the scope "${granted.join(' ')}".` };
      return await issue(tx, grant, family);
    },
  );
}

/** Responds to a program that waits for a person to enter its user code. */
export async function pollForToken(db: Db, ip: string, clientId: string, get: Parameters): Promise<Issued> {
  const hash = hashToken(required(get, 'device_code'));
  const poll = await pollDevice(db, hash, clientId);
  if (!poll) throw new ProtocolError('invalid_grant', 'The device code is unknown.');
  if (poll.state === 'expired') throw new ProtocolError('expired_token', 'The device code has expired.');
  if (poll.state === 'early')
    throw new ProtocolError('slow_down', 'Wait 5 seconds longer between two requests.');
  if (poll.state === 'denied') throw new ProtocolError('access_denied', 'The person denied the request.');
  if (poll.state === 'pending' || poll.tokenId === null)
    throw new ProtocolError('authorization_pending', 'Nobody has entered the code yet.');
  const { tokenId } = poll;
  return await decide(
    db,
    ip,
    reader => findGrantByToken(reader, tokenId),
    async (tx, grant) =>
      (await deleteDeviceCode(tx, hash))
        ? await issue(tx, grant)
        : invalidGrant('The device code was used before.'),
  );
}

/** Revokes the grant of an access token or a refresh token. Returns false for a token that belongs to none. */
export async function revoke(db: Db, ip: string, token: string): Promise<boolean> {
  const [family = ''] = token.split('.');
  const find = async (reader: Reader): Promise<Grant | undefined> =>
    (await findGrantByAccess(reader, hashToken(token))) ??
    (await findGrantByFamily(reader, hashToken(family)));
  const found = await find(db);
  if (!found) return false;
  const owner = await findActor(db, found.userId);
  await change(db, { ...(owner?.actor ?? SYSTEM), ip }, async current => {
    await lockPersonalTokens(current.tx, found.userId);
    const grant = await find(current.tx);
    if (grant) await removeTokenIfPresent(current, grant.userId, grant.tokenId);
  });
  return true;
}

/** Finds the grant, locks its owner, and looks again, so that of two requests at a time the second sees what the first did. */
async function decide(
  db: Db,
  ip: string,
  find: (reader: Reader) => Promise<Grant | undefined>,
  work: (tx: Tx, grant: Grant) => Promise<Issued | Rejected>,
): Promise<Issued> {
  const found = await find(db);
  if (!found) throw unknownGrant();
  const actor: Actor = { ...SYSTEM, ip };
  const result = await change(db, actor, async current => {
    await lockPersonalTokens(current.tx, found.userId);
    const grant = await find(current.tx);
    if (!grant) return undefined;
    const outcome = await work(current.tx, grant);
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
 * Gives the token a new secret. An agent's secret lasts for an hour and comes with a refresh token. The command line gets one that
 * lasts as long as the token: its commands run side by side, and each would have to replace the secret of the others.
 */
async function issue(tx: Tx, grant: Grant, family = randomBytes(16).toString('base64url')): Promise<Issued> {
  const secret = newToken('personal', grant.scope === null ? 'user:' : SCOPED_PREFIX);
  const common = { access_token: secret, token_type: 'Bearer', scope: grantedScope(grant.scope) } as const;
  if (!grant.isAgent) {
    await updateSecrets(tx, grant.tokenId, { hash: hashToken(secret), accessSeconds: null });
    return { ...common, expires_in: grant.secondsLeft };
  }
  const rotating = newToken('refresh', '');
  await updateSecrets(tx, grant.tokenId, {
    hash: hashToken(secret),
    accessSeconds: ACCESS_SECONDS,
    refresh: { family: hashToken(family), hash: hashToken(rotating) },
  });
  return {
    ...common,
    expires_in: Math.min(ACCESS_SECONDS, grant.secondsLeft),
    refresh_token: `${family}.${rotating}`,
  };
}

export function required(get: Parameters, name: string): string {
  const value = get(name);
  if (value === undefined) throw new ProtocolError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

function resourceIn(get: Parameters, resources: Resources): string | undefined {
  const resource = get('resource');
  const problem = resources.problemOf(resource === undefined ? [] : [resource]);
  if (problem) throw problem;
  return resource;
}
