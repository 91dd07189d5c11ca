/** Who acts: a token of the instance, a user through a personal token, or the service itself. */
export type Actor = {
  kind: 'admin-token' | 'user' | 'system';
  userId: number;
  name: string;
  ip: string | null;
  isAdmin: boolean;
  /** What the actor's root role allows everywhere; project permissions are looked up where they are asked. */
  rootPermissions: readonly string[];
  /** Held by a request with an Idempotency-Key; the change it makes settles it. */
  claim?: Claim;
};

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
