-- A service account that reads the secrets of the API tokens it creates again, as Terraform does. They are encrypted with
-- HALYARD_SECRET_KEY. The version before uses neither, so a token that it creates during an update is not readable.
alter table users add column reads_token_secrets boolean not null default false;
alter table api_tokens
  add column sealed_secret text,
  add column readable_by integer;
alter table api_tokens
  add constraint api_tokens_readable_check check ((sealed_secret is null) = (readable_by is null)) not valid;
alter table api_tokens
  add constraint api_tokens_readable_by_fkey foreign key (readable_by) references users not valid;
