-- Marks the flags whose enabled strategies change (0018_sdk_documents.sql). A file of its own, because a migration locks at most
-- two tables.

create function sdk_feature_strategies_mark() returns trigger language plpgsql as $$
declare
  marked boolean;
begin
  if tg_op = 'UPDATE' then
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from (
      select 1 as side, id, feature_name, environment, strategy_name, sort_order, created_at, parameters, constraints, variants
      from came where not disabled
      union all
      select -1, id, feature_name, environment, strategy_name, sort_order, created_at, parameters, constraints, variants
      from went where not disabled
    ) as sides
    group by id, feature_name, environment, strategy_name, sort_order, created_at, parameters, constraints, variants
    having sum(side) <> 0
    on conflict do nothing;
    marked := found;
    if marked and exists (select from went where disabled) then
      perform from segments where id = any(array(
        select segment_id from feature_strategy_segments where strategy_id = any(array(
          select id from came where not disabled intersect select id from went where disabled
        ))
      )) order by id for share;
    end if;
  else
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from changed where not disabled on conflict do nothing;
    marked := found;
  end if;
  if marked then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger feature_strategies_mark_inserted after insert on feature_strategies referencing new table as changed
  for each statement execute function sdk_feature_strategies_mark();
create trigger feature_strategies_mark_updated after update on feature_strategies
  referencing new table as came old table as went
  for each statement execute function sdk_feature_strategies_mark();
create trigger feature_strategies_mark_deleted after delete on feature_strategies referencing old table as changed
  for each statement execute function sdk_feature_strategies_mark();

-- The segments of a deleted strategy go with it; the strategy marks the flag.
create function sdk_feature_strategy_segments_mark() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  if tg_op = 'DELETE' then
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from feature_strategies
    where id = any(array(select strategy_id from went)) and not disabled
    on conflict do nothing;
  elsif tg_op = 'INSERT' then
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from feature_strategies
    where id = any(array(select strategy_id from came)) and not disabled
    on conflict do nothing;
  else
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from feature_strategies
    where id = any(array(select strategy_id from came union all select strategy_id from went)) and not disabled
    on conflict do nothing;
  end if;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  if tg_op <> 'DELETE' then
    perform from segments where id = any(array(select segment_id from came)) order by id for share;
  end if;
  return null;
end $$;
create trigger feature_strategy_segments_mark_inserted after insert on feature_strategy_segments
  referencing new table as came
  for each statement execute function sdk_feature_strategy_segments_mark();
create trigger feature_strategy_segments_mark_updated after update on feature_strategy_segments
  referencing new table as came old table as went
  for each statement execute function sdk_feature_strategy_segments_mark();
create trigger feature_strategy_segments_mark_deleted after delete on feature_strategy_segments
  referencing old table as went
  for each statement execute function sdk_feature_strategy_segments_mark();
