-- Login: sessions, password links, signup links, rate limits and single sign-on.
-- Session and link secrets are 256 random bits; only their SHA-256 is stored.

create table sessions (
  id integer generated always as identity primary key,
  hash bytea not null,
  user_id integer not null references users on delete cascade,
  method text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint sessions_hash_key unique (hash)
);
create index sessions_user_id_idx on sessions (user_id, seen_at);

-- One row per user: a new link replaces the previous one.
create table password_links (
  user_id integer primary key references users on delete cascade,
  hash bytea not null,
  created_by_user_id integer not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint password_links_hash_key unique (hash)
);

create table signup_tokens (
  id integer generated always as identity primary key,
  hash bytea not null,
  hint text not null,
  name text not null,
  enabled boolean not null default true,
  created_by_user_id integer not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint signup_tokens_hash_key unique (hash)
);

create table signup_token_users (
  token_id integer not null references signup_tokens on delete cascade,
  user_id integer not null references users on delete cascade,
  primary key (token_id, user_id)
);

-- Keys are hashes, because people type passwords into the username field. Failures are counted until ends_at, then start
-- at 1 again.
create table login_failures (
  scope text not null,
  key bytea not null,
  failures integer not null,
  ends_at timestamptz not null,
  constraint login_failures_pkey primary key (scope, key),
  constraint login_failures_scope_check check (scope in ('place', 'address', 'account'))
);
create index login_failures_ends_at_idx on login_failures (ends_at);

-- Addresses from which a user has logged in. Failures from other addresses do not throttle the user there.
create table login_places (
  user_id integer not null references users on delete cascade,
  address text not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, address)
);

-- sealed_secret is the client secret, encrypted with HALYARD_SECRET_KEY.
create table auth_settings (
  name text primary key,
  content jsonb not null,
  default_role_id integer,
  sealed_secret text,
  constraint auth_settings_name_check check (name in ('oidc', 'simple')),
  constraint auth_settings_default_role_fkey foreign key (default_role_id) references roles
);
create index auth_settings_default_role_idx on auth_settings (default_role_id);

-- The identity of a user at the provider. client_id is part of the key because a provider may use another subject per
-- client. A deleted user keeps the row, so that a login does not bring back a user whom an admin deleted.
create table sso_identities (
  issuer text not null,
  client_id text not null,
  subject text not null,
  user_id integer not null references users on delete cascade,
  created_at timestamptz not null default now(),
  constraint sso_identities_pkey primary key (issuer, client_id, subject),
  constraint sso_identities_user_key unique (user_id, issuer, client_id)
);

-- Login attempts that the provider has finished, kept until they expire: each can be used once.
create table sso_finished_logins (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index sso_finished_logins_expires_at_idx on sso_finished_logins (expires_at);
