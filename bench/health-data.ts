import { createHash } from 'node:crypto';
import { keepOrFill, withClient } from './database.ts';

export const PROJECT = 'large';
export const FEATURES = 10_000;
const OTHER_PROJECTS = 4;

/** A project with a long log. Most of its events are about strategies and environments, like in a real one. */
export const BUSY_PROJECT = 'busy';
const BUSY_EVENTS = 1_000_000;

// Names are hashes, so that the features of a project do not lie side by side in any table or index.
const INSTANCE = `
  insert into users (name, username) select 'User ' || n, 'user-' || n from generate_series(1, 500) as n;
  insert into environments (name, type, sort_order) values ('staging', 'preproduction', 150);
  insert into projects (id, name, created_at)
    select id, id, now() - interval '3 years'
    from unnest(array['${PROJECT}', '${BUSY_PROJECT}'] || array(select 'other-' || n from generate_series(1, ${OTHER_PROJECTS}) as n)) as id;
  insert into project_environments (project_id, environment_name)
    select id, environments.name from projects, environments where id <> 'default';
  insert into user_roles (user_id, role_id, project) select id, 5, '${PROJECT}' from users where id <= 50;
  insert into segments (name, created_by) select 'segment-' || n, 'user-1' from generate_series(1, 20) as n;
  insert into tags (type, value) select 'simple', 'tag-' || n from generate_series(1, 20) as n;

  insert into features (name, project, type, description, stale, impression_data, created_at, created_by_user_id)
    select 'flag-' || md5(n::text), case when n % 5 = 0 then '${PROJECT}' else 'other-' || n % 5 end,
      (array['release', 'release', 'experiment', 'operational', 'kill-switch', 'permission'])[1 + n / 5 % 6],
      'What the flag number ' || n || ' is for, said in one sentence', n / 5 % 11 = 0, n / 5 % 7 = 0,
      now() - n % 400 * interval '1 day' - n * interval '1 second', 1 + n % 500
    from generate_series(1, ${FEATURES * (OTHER_PROJECTS + 1)}) as n;
  insert into feature_lifecycles (feature_name, stage, entered_at) select name, 'initial', created_at from features;
  insert into feature_lifecycles (feature_name, stage, entered_at)
    select name, 'live', created_at + interval '5 days' from features where hashtext(name) % 3 = 0;
  insert into feature_collaborators (feature_name, user_id)
    select name, 1 + abs(hashtext(name)) % 500 from features
    union select name, 1 + abs(hashtext(name || 'x')) % 500 from features;
  insert into feature_tags (feature_name, type, value)
    select name, 'simple', 'tag-' || 1 + abs(hashtext(name)) % 20 from features where hashtext(name) % 3 = 0;
  insert into feature_environments (feature_name, environment, enabled)
    select features.name, environments.name, hashtext(features.name || environments.name) % 2 = 0
    from features, environments;
  insert into feature_last_seen (feature_name, environment, seen_at)
    select feature_name, environment, now() - abs(hashtext(feature_name)) % 90 * interval '1 day'
    from feature_environments where hashtext(feature_name) % 5 <> 0;
  update feature_environments set switched_at = features.created_at,
    first_enabled_at = case when enabled then features.created_at + interval '5 days' end
    from features where name = feature_name;
  insert into feature_strategies (feature_name, environment, strategy_name, title, sort_order, parameters, constraints)
    select feature_name, environment, 'flexibleRollout', case when n = 0 then 'Some of the users' end, n,
      jsonb_build_object('rollout', (n * 50)::text, 'stickiness', 'default', 'groupId', feature_name),
      case when n = 0 then '[]'::jsonb
        else '[{"contextName": "appName", "operator": "IN", "values": ["web", "mobile"], "inverted": false, "caseInsensitive": false}]' end
    from feature_environments, generate_series(0, 1) as n order by hashtext(feature_name);
  insert into feature_strategy_segments (strategy_id, segment_id)
    select id, 1 + abs(hashtext(id::text)) % 20 from feature_strategies where hashtext(id::text) % 10 = 0;
  insert into feature_dependencies (child, parent)
    select name, lead from (select name, lead(name) over (partition by project order by name), row_number() over () as n from features) as pair
    where n % 20 = 0 and lead is not null;
  insert into favorite_features (user_id, feature_name) select 1, name from features where hashtext(name) % 50 = 0;
  insert into events (created_at, group_id, type, created_by, created_by_user_id, project, feature_name, data)
    select created_at, md5(name), 'feature-created', 'user-1', 1, project, name, jsonb_build_object(
      'name', name, 'type', type, 'project', project, 'stale', false, 'archived', false, 'createdAt', created_at)
    from features order by created_at;`;

// Over three years: every feature is created, one in two archived later, some marked stale and back; the rest of the
// million is what else happens to flags.
const LONG_LOG = `
  insert into events (created_at, group_id, type, created_by, created_by_user_id, project, feature_name, data)
  select at, md5(n::text), type, 'user-1', 1, '${BUSY_PROJECT}', name, case
      when type = 'feature-created' then jsonb_build_object('name', name, 'type', 'release', 'project', '${BUSY_PROJECT}',
        'stale', false, 'archived', false, 'createdAt', at)
      when type = 'feature-strategy-update' then jsonb_build_object('id', md5(n::text)::uuid, 'name', 'flexibleRollout',
        'parameters', jsonb_build_object('rollout', (n % 100)::text, 'stickiness', 'default', 'groupId', name),
        'constraints', '[{"contextName": "appName", "operator": "IN", "values": ["web", "mobile"]}]'::jsonb) end
  from (
    select n, now() - interval '3 years' * (1 - n::float8 / ${BUSY_EVENTS}) as at,
      case when n % 50 = 0 then 'busy-' || n / 50 else 'busy-' || n / 50 - (n % 50 * 7) % greatest(1, n / 50) end as name,
      case when n % 50 = 0 then 'feature-created' when n % 100 = 51 then 'feature-archived'
        when n % 50 = 7 then 'feature-stale-on' when n % 50 = 8 then 'feature-stale-off' when n % 5 = 1 then 'feature-environment-enabled'
        else 'feature-strategy-update' end as type
    from generate_series(50, ${BUSY_EVENTS}) as n
  ) as told
  order by n`;

/** An instance of 50,000 features, 10,000 of them in one project, each with 3 environments of 2 strategies. */
export async function prepareHealthDatabase(url: URL, fresh: boolean): Promise<void> {
  const made = createHash('sha256')
    .update(INSTANCE + LONG_LOG)
    .digest('hex')
    .slice(0, 16);
  await keepOrFill(url, `health data ${made}`, fresh, async () => {
    await withClient(url, async client => {
      await client.query(INSTANCE);
      await client.query(LONG_LOG);
      await client.query('vacuum analyze');
    });
  });
}
