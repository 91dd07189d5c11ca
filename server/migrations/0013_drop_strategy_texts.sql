-- replaces bbe4fec2a58359326b723135bd055da5e278b1aaa2bb1038c19165997190973c
-- A file of its own: a migration locks at most two tables, and dropping this one locks features, to which it refers.
drop table strategy_texts;

-- Servers of the first schema read the table while they are upgraded. This version reads neither; the next release drops the view.
create view strategy_texts as
select feature_name, array_agg(environment) as environments,
  array_agg('"hasStrategies":true,"hasEnabledStrategies":' || any_enabled || ',"strategies":[' || strategies || ']') as fields,
  array_agg(any_enabled) as any_enabled
from (
  select feature_name, environment, bool_or(not disabled) as any_enabled,
    string_agg(
      '{"id":"' || id || '","name":' || to_json(strategy_name) || coalesce(',"title":' || to_json(title), '')
      || ',"disabled":' || disabled || ',"featureName":' || to_json(feature_name) || ',"sortOrder":' || sort_order
      || ',"segments":[' || array_to_string(array(
        select segment_id from feature_strategy_segments where strategy_id = id order by segment_id
      ), ',') || '],"constraints":' || constraints || ',"variants":' || variants || ',"parameters":' || parameters || '}',
      ',' order by sort_order, created_at, id
    ) as strategies
  from feature_strategies
  group by feature_name, environment
) as here
group by feature_name;
