import { authenticationRequired, exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import { hashToken, newToken } from '@halyard/plane/platform/token.ts';
import { requireUser } from '../../access/caller.ts';
import { requireFutureExpiry } from '../../access/expiry.ts';
import { SCOPED_PREFIX } from '../../access/guard.ts';
import { isStillValid } from '../../access/still-valid.ts';
import type { TokenScope } from '../../platform/actor.ts';
import type { Change } from '../../record/change.ts';
import { requireAgentBounds, requireValidScope } from './bounds.ts';
import type { NewPersonalToken, NewServiceToken, PersonalToken } from './schema.ts';
import {
  deleteAllPersonalTokens,
  deletePersonalToken,
  findPersonalToken,
  insertPersonalToken,
  lockAndCountPersonalTokens,
  updatePersonalTokenExpiry,
} from './store.ts';

export const MAX_PERSONAL_TOKENS = 10;

/**
 * Creates a token for the authenticated user, or for an agent that acts on their behalf. Only the returned value contains the
 * secret, because the database stores a hash. `client` is the id of the client to which the user grants the token.
 */
export async function createPersonalToken(
  current: Change,
  input: NewPersonalToken,
  client?: string,
): Promise<PersonalToken> {
  const { tx, actor, record } = current;
  const isAgent = input.kind === 'agent';
  if (isAgent) requireAgentBounds(input);
  const token = await issueAccountToken(current, requireUser(actor), 'personal', input, isAgent);
  // The session or token of the request is checked after locking the user, because a credential that was revoked during the request
  // must not leave a new token behind.
  if (!(await isStillValid(tx, actor))) throw authenticationRequired('token');
  record({
    type: 'pat-created',
    data: { ...tokenEventData(token), ...(client !== undefined && { client }) },
  });
  return token;
}

/** Deletes a personal token of the authenticated user. */
export async function removePersonalToken(current: Change, id: number): Promise<void> {
  const token = await revokeAccountToken(current, requireUser(current.actor), id);
  current.record({ type: 'pat-deleted', preData: tokenEventData(token) });
}

/** Inserts a token for a user or service account, if the account is below the token limit. The caller records the event. */
export async function issueAccountToken(
  { tx, actor }: Change,
  userId: number,
  kind: 'personal' | 'service',
  { description, expiresAt, ...input }: NewServiceToken,
  isAgent = false,
): Promise<PersonalToken> {
  const { scope = null } = input as { scope?: TokenScope };
  requireFutureExpiry(expiresAt);
  if (scope !== null) await requireValidScope(tx, actor, scope);
  if ((await lockAndCountPersonalTokens(tx, userId)) >= MAX_PERSONAL_TOKENS) {
    throw exceedsLimit(
      `A user or service account can have at most ${MAX_PERSONAL_TOKENS} tokens. Delete one first.`,
    );
  }
  const secret = newToken(kind, scope === null ? 'user:' : SCOPED_PREFIX);
  const hash = hashToken(secret);
  const token = await insertPersonalToken(tx, { userId, hash, description, expiresAt, isAgent, scope });
  return { ...token, secret };
}

/**
 * Changes when a token of a user or service account expires. Returns the token before and after the change. The caller has locked the
 * account and records the event.
 */
export async function changeAccountTokenExpiry(
  { tx }: Change,
  userId: number,
  id: number,
  expiresAt: string,
): Promise<[before: PersonalToken, after: PersonalToken]> {
  requireFutureExpiry(expiresAt);
  const token = await findPersonalToken(tx, userId, id);
  if (!token) throw notFound(`Token ${id}`);
  return [token, await updatePersonalTokenExpiry(tx, id, expiresAt)];
}

/** Deletes a token of a user or service account. The caller records the event. */
export async function revokeAccountToken({ tx }: Change, userId: number, id: number): Promise<PersonalToken> {
  const token = await deletePersonalToken(tx, userId, id);
  if (!token) throw notFound(`Token ${id}`);
  return token;
}

/** Deletes a personal token, unless its owner has deleted it in the meantime. */
export async function removeTokenIfPresent(
  { tx, record }: Change,
  userId: number,
  id: number,
): Promise<void> {
  const token = await deletePersonalToken(tx, userId, id);
  if (token) record({ type: 'pat-deleted', preData: tokenEventData(token) });
}

/** Deletes all personal tokens of a user. Returns how many there were. */
export async function removeAllPersonalTokens({ tx, record }: Change, userId: number): Promise<number> {
  const tokens = await deleteAllPersonalTokens(tx, userId);
  for (const token of tokens) record({ type: 'pat-deleted', preData: tokenEventData(token) });
  return tokens.length;
}

export function tokenEventData({ id, description, userId, expiresAt, kind, scope }: PersonalToken): object {
  const limits = scope === null ? {} : { scope };
  return { id, description, userId, expiresAt, ...(kind === 'agent' && { kind }), ...limits };
}
