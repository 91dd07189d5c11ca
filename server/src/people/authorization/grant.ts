import { randomBytes } from 'node:crypto';
import { ApiError, invalidOperation } from '@halyard/plane/platform/errors.ts';
import { hashToken } from '@halyard/plane/platform/token.ts';
import { requireUser } from '../../access/caller.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Change } from '../../record/change.ts';
import { createPersonalToken, removeTokenIfPresent } from '../users/personal-tokens.ts';
import type { NewPersonalToken } from '../users/schema.ts';
import { lockAndCountPersonalTokens } from '../users/store.ts';
import type { Client } from './clients.ts';
import type { AuthorizationRequest } from './request.ts';
import { decideDevice, insertGrant, listEndedGrants } from './store.ts';

/** The access that the user allows. */
export type ApprovedToken = Pick<NewPersonalToken, 'description' | 'expiresAt' | 'scope'>;

/** Requires a user in a browser, because a client with a token must not approve other clients. */
export function requireSession(actor: Actor): number {
  const user = requireUser(actor);
  if (actor.credential?.table !== 'sessions')
    throw invalidOperation('Only a person who is logged in to the console can approve or deny this request.');
  return user;
}

/** Creates a token for the client that sent the request. Returns the code that the client exchanges for the token. */
export async function grantCode(
  current: Change,
  request: AuthorizationRequest,
  approvedToken: ApprovedToken,
): Promise<string> {
  const { client, redirectUri, challenge, resource } = request;
  const tokenId = await createTokenFor(current, client, approvedToken);
  const code = randomBytes(32).toString('base64url');
  const codeRow = { hash: hashToken(code), redirectUri, challenge, resource };
  await insertGrant(current.tx, { tokenId, clientId: client.id, code: codeRow });
  return code;
}

/** Creates a token for the client that waits for the user code. */
export async function grantDevice(
  current: Change,
  client: Client,
  userCode: string,
  approvedToken: ApprovedToken,
): Promise<void> {
  const tokenId = await createTokenFor(current, client, approvedToken);
  await insertGrant(current.tx, { tokenId, clientId: client.id });
  if (!(await decideDevice(current.tx, userCode, tokenId))) throw unknownUserCode();
}

export async function denyDevice({ tx }: Change, userCode: string): Promise<void> {
  if (!(await decideDevice(tx, userCode, null))) throw unknownUserCode();
}

export const unknownUserCode = () =>
  new ApiError('NotFoundError', 'No client is waiting for this code. The code may have expired.');

/** Creates a token whose first secret nobody knows. The client gets a new secret in exchange for the code. */
async function createTokenFor(
  current: Change,
  client: Client,
  approvedToken: ApprovedToken,
): Promise<number> {
  const userId = requireSession(current.actor);
  await lockAndCountPersonalTokens(current.tx, userId);
  await removeEndedGrants(current, userId);
  const kind = client.kind === 'agent' ? ({ kind: 'agent' } as const) : {};
  const token = await createPersonalToken(current, { ...approvedToken, ...kind }, client.id);
  return token.id;
}

/** Deletes the tokens of the user's grants that have ended, so that they do not count towards the limit. */
export async function removeEndedGrants(current: Change, userId: number): Promise<number> {
  const endedTokens = await listEndedGrants(current.tx, userId);
  for (const { id } of endedTokens) await removeTokenIfPresent(current, userId, id);
  return endedTokens.length;
}
