-- Marks the flags whose tags or parents change (0018_sdk_documents.sql).

create function sdk_feature_tags_mark() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into sdk_marks (kind, key)
    select 'feature', feature_name from (
      select 1 as side, feature_name, type, value from came
      union all
      select -1, feature_name, type, value from went
    ) as sides
    group by feature_name, type, value having sum(side) <> 0
    on conflict do nothing;
  else
    insert into sdk_marks (kind, key) select 'feature', feature_name from changed on conflict do nothing;
  end if;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger feature_tags_mark_inserted after insert on feature_tags referencing new table as changed
  for each statement execute function sdk_feature_tags_mark();
create trigger feature_tags_mark_updated after update on feature_tags referencing new table as came old table as went
  for each statement execute function sdk_feature_tags_mark();
create trigger feature_tags_mark_deleted after delete on feature_tags referencing old table as changed
  for each statement execute function sdk_feature_tags_mark();

create function sdk_feature_dependencies_mark() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into sdk_marks (kind, key)
    select 'feature', child from (
      select 1 as side, child, parent, enabled, variants from came
      union all
      select -1, child, parent, enabled, variants from went
    ) as sides
    group by child, parent, enabled, variants having sum(side) <> 0
    on conflict do nothing;
  else
    insert into sdk_marks (kind, key) select 'feature', child from changed on conflict do nothing;
  end if;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger feature_dependencies_mark_inserted after insert on feature_dependencies referencing new table as changed
  for each statement execute function sdk_feature_dependencies_mark();
create trigger feature_dependencies_mark_updated after update on feature_dependencies
  referencing new table as came old table as went
  for each statement execute function sdk_feature_dependencies_mark();
create trigger feature_dependencies_mark_deleted after delete on feature_dependencies referencing old table as changed
  for each statement execute function sdk_feature_dependencies_mark();
