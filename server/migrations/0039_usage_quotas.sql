-- Which token reported an application or an unknown flag first, so that one token cannot take all places, and when an application was
-- last reported, so that idle ones expire. The version before writes none of the columns: its rows count for no token and are reported now.
alter table applications add column token_id integer, add column reported_at timestamptz not null default now();
alter table unknown_flags add column token_id integer;
