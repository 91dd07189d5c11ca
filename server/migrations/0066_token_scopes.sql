-- Tokens that can do less than their owner, and events that say through what somebody acted. docs/decisions/0030-token-scopes.md.
-- The version before does not find a token with a scope: its secret begins with "scoped:", which that version takes for an SDK token.
alter table personal_access_tokens
  add column is_agent boolean not null default false,
  -- Null: everything that the owner may do.
  add column scope jsonb,
  -- Null: any number. Every event that a request with the token records takes one.
  add column changes_left integer;

alter table events
  add column created_by_token_id integer,
  add column created_by_token text,
  -- The name and version of the client, such as halyard-cli/1.4.0.
  add column created_by_client text;

-- The strategies of a document, each without its percentage and its variants, which do not decide who gets the flag. A strategy that
-- has no percentage counts as 100.
create function rollouts_of(document text) returns table (strategy jsonb, rollout numeric) language sql immutable parallel safe as $$
  select (listed - 'variants') #- '{parameters,rollout}' #- '{parameters,percentage}',
    case
      when listed ->> 'name' = 'flexibleRollout' and listed #>> '{parameters,rollout}' ~ '^\d{1,3}(\.\d{1,9})?$'
        then (listed #>> '{parameters,rollout}')::numeric
      when listed ->> 'name' like 'gradualRollout%' and listed #>> '{parameters,percentage}' ~ '^\d{1,3}(\.\d{1,9})?$'
        then (listed #>> '{parameters,percentage}')::numeric
      else 100
    end
  from jsonb_array_elements(document::jsonb -> 'strategies') as listed
$$;

-- The largest rollout above the allowed one that a change of a document brings: by a strategy that is new, has a larger percentage
-- or other conditions than before, or by enabling the flag. Null: none.
create function rollout_beyond(before text, after text, allowed integer) returns numeric language sql immutable parallel safe as $$
  select max(rollout) from rollouts_of(after) as added
  where rollout > allowed and (
    (after::jsonb -> 'enabled')::boolean and not coalesce((before::jsonb -> 'enabled')::boolean, false)
    or not exists (
      select from rollouts_of(before) as former
      where former.strategy = added.strategy and former.rollout >= added.rollout
    )
  )
$$;
