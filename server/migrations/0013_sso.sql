-- Single sign-on by OpenID Connect, and what is needed to notice the use of a token that was revoked.
-- Adds tables, a column with a constant default and a trigger only: the version before goes on beside it.

-- The client secret is sealed with HALYARD_SECRET_KEY and stands nowhere else.
create table auth_settings (
  name text primary key,
  content jsonb not null,
  default_role_id integer,
  sealed_secret text,
  constraint auth_settings_name_check check (name in ('oidc', 'simple')),
  constraint auth_settings_default_role_fkey foreign key (default_role_id) references roles
);
create index auth_settings_default_role_idx on auth_settings (default_role_id);

-- Who somebody is to the provider. By client as well: providers may give the same person another subject for each.
-- A deleted user keeps the row, so that a login does not bring back whom an admin deleted.
create table sso_identities (
  issuer text not null,
  client_id text not null,
  subject text not null,
  user_id integer not null references users on delete cascade,
  created_at timestamptz not null default now(),
  constraint sso_identities_pkey primary key (issuer, client_id, subject),
  constraint sso_identities_user_key unique (user_id, issuer, client_id)
);

-- Attempts that came back from the provider, until they would have run out: each comes back once.
create table sso_finished_logins (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index sso_finished_logins_expires_at_idx on sso_finished_logins (expires_at);

-- Single sign-on takes back only what it gave.
alter table group_users add column from_sso boolean not null default false;

-- Tokens of users and service accounts are deleted when they are revoked; this remembers that they were ours.
create table revoked_tokens (
  hash bytea primary key,
  token_id integer not null,
  revoked_at timestamptz not null default now()
);
create index revoked_tokens_revoked_at_idx on revoked_tokens (revoked_at);

create function remember_revoked_tokens() returns trigger language plpgsql as $$
begin
  insert into revoked_tokens (hash, token_id) select hash, id from gone on conflict do nothing;
  return null;
end $$;

create trigger personal_access_tokens_remember_revoked
  after delete on personal_access_tokens referencing old table as gone
  for each statement execute function remember_revoked_tokens();
