-- Marks changes of the projects of tokens (0018_sdk_documents.sql). All triggers exist from here on, so the documents of the
-- flags that exist can be built.

create function sdk_api_token_projects_mark() returns trigger language plpgsql as $$
begin
  insert into sdk_marks (kind) select 'tokens' from changed limit 1 on conflict do nothing;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger api_token_projects_mark_inserted after insert on api_token_projects referencing new table as changed
  for each statement execute function sdk_api_token_projects_mark();
create trigger api_token_projects_mark_updated after update on api_token_projects referencing new table as changed
  for each statement execute function sdk_api_token_projects_mark();
create trigger api_token_projects_mark_deleted after delete on api_token_projects referencing old table as changed
  for each statement execute function sdk_api_token_projects_mark();

insert into sdk_revisions (environment) select name from environments on conflict do nothing;
insert into sdk_rebuilds (kind, key) select 'feature', name from features where archived_at is null;
