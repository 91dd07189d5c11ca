import type { Actor } from '../../platform/actor.ts';
import { invalidOperation } from '../../platform/errors.ts';
import type { Caller } from './schema.ts';

type Named = { id: number; name: string | null; username: string | null; email: string | null };

/** A user or service account as it sees itself; who gave no name is called as they log in. */
export const asCaller = ({ id, name, username, email }: Named, isAPI = false): Caller => ({
  id,
  name: name ?? username ?? email ?? `user ${id}`,
  username,
  email,
  isAPI,
});

/** The user who acts; admin tokens and service accounts are refused. */
export function ownerId(actor: Actor): number {
  if (actor.kind === 'user') return actor.userId;
  throw invalidOperation(
    'This is for users; an admin token and a service account are none. Use a personal token, or log in.',
  );
}
