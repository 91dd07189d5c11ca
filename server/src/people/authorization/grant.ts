import { randomBytes } from 'node:crypto';
import { invalidOperation, notFound } from '../../../../plane/src/platform/errors.ts';
import { hashToken } from '../../../../plane/src/platform/token.ts';
import { requireUser } from '../../access/caller.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Change } from '../../record/change.ts';
import { createPersonalToken, removeTokenIfPresent } from '../users/personal-tokens.ts';
import type { NewPersonalToken } from '../users/schema.ts';
import { lockPersonalTokens } from '../users/store.ts';
import type { Client } from './clients.ts';
import type { AuthorizationRequest } from './request.ts';
import { decideDevice, insertGrant, listEndedGrants } from './store.ts';

/** What the person allows. */
export type Allowed = Pick<NewPersonalToken, 'description' | 'expiresAt' | 'scope'>;

/** A program with a token must not approve another program, so only a person in a browser can. */
export function requireSession(actor: Actor): number {
  const user = requireUser(actor);
  if (actor.credential?.table !== 'sessions')
    throw invalidOperation('Only a person who is logged in to the console can decide about this request.');
  return user;
}

/** Creates a token for the program that sent the request. Returns the code with which the program fetches it. */
export async function grantCode(
  current: Change,
  request: AuthorizationRequest,
  allowed: Allowed,
): Promise<string> {
  const { client, redirectUri, challenge, resource } = request;
  const tokenId = await createTokenFor(current, client, allowed);
  const code = randomBytes(32).toString('base64url');
  const stored = { hash: hashToken(code), redirectUri, challenge, resource };
  await insertGrant(current.tx, { tokenId, clientId: client.id, code: stored });
  return code;
}

/** Creates a token for the program that waits for the user code. */
export async function grantDevice(
  current: Change,
  client: Client,
  userCode: string,
  allowed: Allowed,
): Promise<void> {
  const tokenId = await createTokenFor(current, client, allowed);
  await insertGrant(current.tx, { tokenId, clientId: client.id });
  if (!(await decideDevice(current.tx, userCode, tokenId))) throw unknownUserCode();
}

export async function denyDevice({ tx }: Change, userCode: string): Promise<void> {
  if (!(await decideDevice(tx, userCode, null))) throw unknownUserCode();
}

export const unknownUserCode = () => notFound('A program that waits for this code (it may have expired)');

/** Nobody knows the secret of the new token. The program gets a new one for its code. */
async function createTokenFor(current: Change, client: Client, allowed: Allowed): Promise<number> {
  const userId = requireSession(current.actor);
  await lockPersonalTokens(current.tx, userId);
  await removeEndedGrants(current, userId);
  const kind = client.kind === 'agent' ? ({ kind: 'agent' } as const) : {};
  const token = await createPersonalToken(current, { ...allowed, ...kind }, client.id);
  return token.id;
}

/** Deletes the tokens of the user's grants that have ended, so that they do not count towards the limit. */
export async function removeEndedGrants(current: Change, userId: number): Promise<number> {
  const ended = await listEndedGrants(current.tx, userId);
  for (const { id } of ended) await removeTokenIfPresent(current, userId, id);
  return ended.length;
}
