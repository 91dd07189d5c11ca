-- Marks segments that change, and changes of tokens that SDKs use (0018_sdk_documents.sql).

-- A new segment is in no document until a strategy uses it.
create function sdk_segments_mark() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into sdk_marks (kind, key)
    select 'segment', id::text from (
      select 1 as side, id, name, constraints from came
      union all
      select -1, id, name, constraints from went
    ) as sides
    group by id, name, constraints having sum(side) <> 0
    on conflict do nothing;
  else
    insert into sdk_marks (kind, key) select 'segment', id::text from went on conflict do nothing;
  end if;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger segments_mark_updated after update on segments referencing new table as came old table as went
  for each statement execute function sdk_segments_mark();
create trigger segments_mark_deleted after delete on segments referencing old table as went
  for each statement execute function sdk_segments_mark();

create function sdk_api_tokens_mark() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into sdk_marks (kind)
    select 'tokens' from (
      select 1 as side, id, hash, type, environment, all_projects, expires_at, revoked_at from came where type <> 'admin'
      union all
      select -1, id, hash, type, environment, all_projects, expires_at, revoked_at from went where type <> 'admin'
    ) as sides
    group by id, hash, type, environment, all_projects, expires_at, revoked_at having sum(side) <> 0 limit 1
    on conflict do nothing;
  else
    insert into sdk_marks (kind) select 'tokens' from changed where type <> 'admin' limit 1 on conflict do nothing;
  end if;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger api_tokens_mark_inserted after insert on api_tokens referencing new table as changed
  for each statement execute function sdk_api_tokens_mark();
create trigger api_tokens_mark_updated after update on api_tokens referencing new table as came old table as went
  for each statement execute function sdk_api_tokens_mark();
create trigger api_tokens_mark_deleted after delete on api_tokens referencing old table as changed
  for each statement execute function sdk_api_tokens_mark();
