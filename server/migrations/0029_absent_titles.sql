-- A strategy without a title has no field title, wherever it is shown. The version that is running meanwhile sends both forms,
-- but cannot read a default strategy without a title.

create or replace function write_strategy_texts(changed text[]) returns void language sql as $$
  delete from strategy_texts where feature_name = any(changed);
  insert into strategy_texts (feature_name, environments, fields, any_enabled)
  select feature_name, array_agg(environment),
    array_agg('"hasStrategies":true,"hasEnabledStrategies":' || any_enabled || ',"strategies":[' || strategies || ']'),
    array_agg(any_enabled)
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
    from feature_strategies where feature_name = any(changed)
    group by feature_name, environment
  ) as here
  group by feature_name;
$$;
select write_strategy_texts(array(select distinct feature_name from feature_strategies where title is null));

update project_environments set default_strategy = default_strategy - 'title'
where default_strategy -> 'title' = 'null';
