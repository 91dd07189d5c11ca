-- People: passwords, sessions, links by which a password is set, signup links, and what limits guessing.
-- Secrets are kept as hashes: argon2id for passwords, SHA-256 for the rest, which is 256 random bits.
-- The version that runs meanwhile tolerates it: it only adds, and users without a name come from the new version.

alter table users
  alter column name drop not null,
  add column password_hash text;

-- From now on the last use of a user is noted with that of the token or session.
update users set seen_at = (select max(seen_at) from personal_access_tokens where user_id = users.id);

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

-- At most one per user: a new link makes the one before worthless.
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

-- Keys are hashes: what is typed as a username may be a password. Counted until ends_at, then from 1 again.
create table login_failures (
  scope text not null,
  key bytea not null,
  failures integer not null,
  ends_at timestamptz not null,
  constraint login_failures_pkey primary key (scope, key),
  constraint login_failures_scope_check check (scope in ('place', 'address', 'account'))
);
create index login_failures_ends_at_idx on login_failures (ends_at);

-- Where a user has logged in from: not held up there by what others do elsewhere.
create table login_places (
  user_id integer not null references users on delete cascade,
  address text not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, address)
);
