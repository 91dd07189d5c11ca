-- A token with maxProductionRollout could still give a flag to more people: with several small strategies that choose different
-- people, by removing a dependency, and by editing a segment. docs/decisions/0030-token-scopes.md.
-- The version before calls rollout_beyond, which stays.

-- Custom strategies can have any name, so only the names that SDKs know have a percentage.
create or replace function rollouts_of(document text) returns table (strategy jsonb, rollout numeric) language sql immutable parallel safe as $$
  select (listed - 'variants') #- '{parameters,rollout}' #- '{parameters,percentage}',
    case
      when listed ->> 'name' = 'flexibleRollout' and listed #>> '{parameters,rollout}' ~ '^\d{1,3}(\.\d{1,9})?$'
        then (listed #>> '{parameters,rollout}')::numeric
      when listed ->> 'name' in ('gradualRolloutUserId', 'gradualRolloutSessionId', 'gradualRolloutRandom')
        and listed #>> '{parameters,percentage}' ~ '^\d{1,3}(\.\d{1,9})?$'
        then (listed #>> '{parameters,percentage}')::numeric
      else 100
    end
  from jsonb_array_elements(document::jsonb -> 'strategies') as listed
$$;

-- How many percent the strategies within the limit reach together. Strategies with the same group and stickiness choose the same
-- people, so only the largest of them counts. Random strategies choose again each time. A strategy above the limit counts too if
-- it is within the limit in the other document.
create function combined_rollout(document text, allowed integer, other text) returns numeric language sql immutable parallel safe as $$
  select coalesce(sum(largest), 0) from (
    select max(rollout) as largest from (
      select rollout, strategy ->> 'name' as name, strategy #>> '{parameters,groupId}' as chosen,
        strategy #>> '{parameters,stickiness}' as stickiness,
        case when strategy ->> 'name' = 'gradualRolloutRandom' or strategy #>> '{parameters,stickiness}' = 'random'
          then row_number() over () end as draw
      from rollouts_of(document) as listed
      where rollout <= allowed or exists (
        select from rollouts_of(other) as lowered
        where lowered.strategy = listed.strategy and lowered.rollout <= allowed
      )
    ) as counted group by name, chosen, stickiness, draw
  ) as groups
$$;

-- Why a change of a document gives the flag to more people than allowed, and to how many percent. No row: it does not.
create function raised_rollouts(before text, after text, allowed integer) returns table (cause text, rollout numeric)
language sql immutable parallel safe as $$
  select 'strategy', beyond from rollout_beyond(before, after, allowed) as beyond where beyond is not null
  union all
  select 'groups', least(combined, 100) from combined_rollout(after, allowed, null) as combined
  where combined > allowed and (
    combined > combined_rollout(before, allowed, after)
    or (after::jsonb -> 'enabled')::boolean and not coalesce((before::jsonb -> 'enabled')::boolean, false)
  )
  union all
  select 'dependency', max(listed.rollout) from rollouts_of(after) as listed
  where listed.rollout > allowed and (after::jsonb -> 'enabled')::boolean and exists (
    select from jsonb_array_elements(before::jsonb -> 'dependencies') as former
    where former not in (select jsonb_array_elements(after::jsonb -> 'dependencies'))
  )
  having count(*) > 0
$$;
