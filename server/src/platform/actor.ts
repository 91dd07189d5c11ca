/** The caller of an operation: an admin token, a user, a service account, or the server itself. */
export type Actor = {
  kind: 'admin-token' | 'user' | 'service-account' | 'system';
  userId: number;
  name: string;
  ip: string | null;
  isAdmin: boolean;
  /** Permissions of the root role. Project permissions are read where they are checked. */
  rootPermissions: readonly string[];
  /** The session or token of the request. The server's own actor has none. */
  credential?: Credential;
  /** The token of the user or service account, if the request has one instead of a session. */
  token?: ActingToken;
  /** Limits the token to a subset of its owner's permissions. An actor with a scope is never a root admin. */
  scope?: ActorScope;
  /** The name and version of the client that sent the request, if it identifies itself. */
  client?: string;
  /** The reason that the caller gives for the request's changes. It is stored in each of their events. */
  comment?: string;
  /** The claim on the Idempotency-Key of the request, if it has one. The change that the request makes settles the claim. */
  claim?: Claim;
  /** The new revision of each environment that the request changed. The response lists them. */
  revisions?: Map<string, number>;
  /** The request's newest event for each environment. Events without an environment have the empty string as key. */
  events?: Map<string, number>;
};

/** The limits of a token. An absent limit leaves the owner's permissions as they are. */
export type TokenScope = {
  projects?: string[];
  environments?: string[];
  permissions?: string[];
  readOnly?: boolean;
  /** The total number of events that the token can cause. */
  maxChanges?: number;
  /** The maximum rollout percentage that the token can set in an environment of type production. */
  maxProductionRollout?: number;
};

/** The scope of the request's token, and whether its owner is currently a root admin. */
export type ActorScope = TokenScope & { ownerIsAdmin: boolean };

/** A token that a user or service account acts with. */
export type ActingToken = { id: number; name: string; isAgent: boolean };

/** The kinds of actors that can cause an event, such as a user in a session, a user's token, or an agent that acts for a user. */
export const ACTOR_KINDS = ['user', 'token', 'agent', 'service-account', 'admin-token', 'system'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export function getActorKind({ kind, token }: Actor): ActorKind {
  if (kind !== 'user' || token === undefined) return kind;
  return token.isAgent ? 'agent' : 'token';
}

/** A session or token, identified by its table and id. */
export type Credential = { table: 'api_tokens' | 'personal_access_tokens' | 'sessions'; id: number };

/** Returns whether the actor is a user or a service account, which have a row in `users` and hold roles. */
export const isAccount = (actor: Actor): boolean => actor.kind === 'user' || actor.kind === 'service-account';

/** One execution of a request with an Idempotency-Key. */
export type Claim = { key: Buffer; run: string };

/** The ids that Unleash uses for an admin token and for the server. */
export const ADMIN_TOKEN_USER_ID = -42;
export const SYSTEM_USER_ID = -1337;
/** The name of an admin token if only its user id is known. No account name can start with it. */
export const ADMIN_TOKEN_NAME = 'admin token';

/** Returns the actor name of an admin token, so that the token "ci" differs from a user named "ci". */
export const adminTokenName = (name: string): string =>
  name.startsWith(`${ADMIN_TOKEN_NAME} `) ? name : `${ADMIN_TOKEN_NAME} ${name}`;

export const SYSTEM: Actor = {
  kind: 'system',
  userId: SYSTEM_USER_ID,
  name: 'system',
  ip: null,
  isAdmin: true,
  rootPermissions: [],
};
