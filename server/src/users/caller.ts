import type { Actor } from '../actor.ts';
import { invalidOperation } from '../errors.ts';
import type { Caller } from './schema.ts';

type Named = { id: number; name: string | null; username: string | null; email: string | null };

/** A user as they see themselves; who gave no name is called as they log in. */
export const asCaller = ({ id, name, username, email }: Named): Caller => ({
  id,
  name: name ?? username ?? email ?? `user ${id}`,
  username,
  email,
  isAPI: false,
});

/** The user who acts; an admin token is refused. */
export function ownerId(actor: Actor): number {
  if (actor.kind === 'user') return actor.userId;
  throw invalidOperation('This is for users, and an admin token belongs to none.');
}
