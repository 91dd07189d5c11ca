/** Who acts: a token of the instance, a user, a service account, or the service itself. */
export type Actor = {
  kind: 'admin-token' | 'user' | 'service-account' | 'system';
  userId: number;
  name: string;
  ip: string | null;
  isAdmin: boolean;
  /** What the actor's root role allows everywhere; project permissions are looked up where they are asked. */
  rootPermissions: readonly string[];
  /** The session or personal token that an account came with. */
  credential?: { table: 'sessions' | 'personal_access_tokens'; id: number };
  /** Held by a request with an Idempotency-Key; the change it makes settles it. */
  claim?: Claim;
};

/** Whether the actor has a row in `users` and the roles it holds: a user or a service account. */
export const isAccount = (actor: Actor): boolean => actor.kind === 'user' || actor.kind === 'service-account';

/** The right of one run of a request to answer for its key. */
export type Claim = { key: Buffer; run: string };

/** Existing clients know these two ids as "an admin token" and "the service". */
export const ADMIN_TOKEN_USER_ID = -42;
export const SYSTEM_USER_ID = -1337;

export const SYSTEM: Actor = {
  kind: 'system',
  userId: SYSTEM_USER_ID,
  name: 'system',
  ip: null,
  isAdmin: true,
  rootPermissions: [],
};
