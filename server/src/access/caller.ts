import { invalidOperation } from '@halyard/plane/platform/errors.ts';
import { Nullable, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import type { Actor } from '../platform/actor.ts';

export const Caller = SharedObject('Caller', 'The caller of the request', {
  id: Type.Integer({ description: '-42 for an admin token', examples: [7] }),
  name: Type.String({
    description: 'The name, or the username or email address of a user without a name',
    examples: ['Alice Moreau'],
  }),
  username: Nullable.String({ description: 'Username of the caller', examples: ['alice'] }),
  email: Nullable.String({ description: 'Email address of the caller', examples: ['alice@example.com'] }),
  isAPI: Type.Boolean({
    description: 'true for a service account and for an admin token',
  }),
});
export type Caller = Static<typeof Caller>;

type Account = { id: number; name: string | null; username: string | null; email: string | null };

/** Returns an account as the API presents it to the account itself. */
export const toCaller = ({ id, name, username, email }: Account, isAPI = false): Caller => ({
  id,
  name: name ?? username ?? email ?? `user ${id}`,
  username,
  email,
  isAPI,
});

/** Returns the id of the authenticated user. Rejects admin tokens and service accounts. */
export function requireUser(actor: Actor): number {
  if (actor.kind === 'user') return actor.userId;
  throw invalidOperation(
    'This operation requires a user. Call it with a session or a personal access token.',
  );
}
