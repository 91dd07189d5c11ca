-- Tokens that a person grants to a program in the browser. docs/decisions/0034-authorization-server.md.
-- The version that is running ignores secret_expires_at, so it accepts such a token until the grant ends.
alter table personal_access_tokens
  -- When the current secret stops working, before the token does. The program then exchanges its refresh token for a new secret.
  add column secret_expires_at timestamptz;

-- What a program got, one row per token.
create table authorization_grants (
  token_id integer primary key references personal_access_tokens on delete cascade,
  client_id text not null,
  created_at timestamptz not null default now(),
  -- When the program got its first secret. Null: the code or the device code waits for it.
  activated_at timestamptz,
  -- The authorization code, kept after its use so that a second use is noticed. Null: a grant by device code.
  code_hash bytea,
  code_expires_at timestamptz,
  redirect_uri text,
  code_challenge text,
  -- Null: the request named none.
  resource text,
  -- A refresh token has two parts: the first identifies the grant, the second changes with each use.
  family_hash bytea,
  refresh_hash bytea,
  constraint authorization_grants_code_hash_key unique (code_hash),
  constraint authorization_grants_family_hash_key unique (family_hash)
);

-- Programs without a browser that wait for a person to enter their code.
create table device_codes (
  hash bytea primary key,
  user_code text not null,
  client_id text not null,
  -- The network and address that asked, which the person sees.
  network text not null,
  ip text not null,
  expires_at timestamptz not null,
  interval_seconds integer not null,
  polled_at timestamptz,
  denied_at timestamptz,
  token_id integer references personal_access_tokens on delete cascade,
  constraint device_codes_user_code_key unique (user_code)
);
create index device_codes_network_idx on device_codes (network);
create index device_codes_token_id_idx on device_codes (token_id);
