-- Marks the flags whose strategies begin or cease to use a segment (0019_sdk_strategies.sql), also when another transaction enables
-- the strategy or renames the flag at the same time. The trigger locks the strategies in share mode, so it sees what such a
-- transaction committed. It locks disabled strategies as well, because the other transaction may have enabled them. Before, neither
-- of the two transactions published the segment.
--
-- The lock conflicts only with writers of the same strategy. Servers of the previous version lock the flag before they write either.

create or replace function sdk_feature_strategy_segments_mark() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  if tg_op = 'DELETE' then
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from feature_strategies
    where id = any(array(select strategy_id from went))
    order by id for share
    on conflict do nothing;
  elsif tg_op = 'INSERT' then
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from feature_strategies
    where id = any(array(select strategy_id from came))
    order by id for share
    on conflict do nothing;
  else
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from feature_strategies
    where id = any(array(select strategy_id from came union all select strategy_id from went))
    order by id for share
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
