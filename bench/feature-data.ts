import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { draw, oneOf, rank, WORD_ARRAY, WORDS } from './data.ts';
import { keepOrFill, stepper, withClient } from './database.ts';

const MIGRATION = new URL('../server/migrations/0006_flags.sql', import.meta.url);

export const FEATURES = 50_000;
export const LARGE_PROJECT = 'project-0';
const IN_LARGE_PROJECT = 10_000;
const PROJECTS = 40;
/** More than a quarter as many again, and the oldest: an order by age meets them first. */
const ARCHIVED = 15_000;
const ALL = FEATURES + ARCHIVED;
const USERS = 500;
const SEGMENTS = 40;
const TAGS = 300;

const words = (n: string, count: number) => `(
  select string_agg((${WORD_ARRAY})[1 + ${oneOf(`${n} * 100::bigint + i`, 3, WORDS.length)}], ' ' order by i)
  from generate_series(1, ${count}) as i)`;

const STEPS: Record<string, string> = {
  settings: `
    set jit = off;
    insert into environments (name, type, sort_order) values ('staging', 'preproduction', 150);
    insert into users (name, username) select 'User ' || n, 'user-' || n from generate_series(1, ${USERS}) as n;
    insert into projects (id, name)
      select 'project-' || n, 'Project ' || n from generate_series(0, ${PROJECTS}) as n;
    insert into project_environments (project_id, environment_name)
      select projects.id, environments.name from projects, environments on conflict do nothing;
    insert into tags (type, value) select 'simple', 'tag-' || n from generate_series(1, ${TAGS}) as n;
    insert into context_fields (name) select 'field-' || n from generate_series(1, 15) as n;
    insert into segments (name, created_by, constraints)
      select 'segment-' || n, 'user-1', jsonb_build_array(jsonb_build_object(
        'contextName', 'field-' || 1 + n % 15, 'operator', 'IN', 'values', '["a", "b"]'::jsonb))
      from generate_series(1, ${SEGMENTS}) as n`,
  features: `
    insert into features (name, project, type, description, stale, created_at, created_by_user_id, archived_at)
    select 'feature-' || md5(n::text)::char(8) || '-' || n,
      case when n <= ${IN_LARGE_PROJECT} * 1.3 and n % 13 < 10 then '${LARGE_PROJECT}'
        else 'project-' || 1 + ${oneOf('n', 1, PROJECTS)} end,
      (array['release', 'experiment', 'operational', 'kill-switch', 'permission'])[${rank('n', 2, 5)}],
      ${words('n', 12)} || case when n % 5000 = 7 then ' needle-quasar' else '' end,
      n % 11 = 0, timestamptz '2024-01-01T00:00:00Z' + interval '1 hour' * ((n * 7919) % ${ALL}) / 3,
      ${rank('n', 4, USERS)}, null
    from generate_series(1, ${FEATURES}) as n
    union all
    select 'feature-' || md5(n::text)::char(8) || '-' || n, 'project-' || n % ${PROJECTS}, 'release', null,
      false, timestamptz '2022-01-01T00:00:00Z' + interval '1 minute' * n, 1, now()
    from generate_series(${FEATURES} + 1, ${ALL}) as n`,
  environments: `
    insert into feature_environments (feature_name, environment, enabled)
    select features.name, environments.name, draw < 0.5
    from features, environments,
      lateral (select ${draw('hashtext(features.name || environments.name)', 5)}) as drawn (draw)`,
  'last seen': `
    insert into feature_last_seen (feature_name, environment, seen_at)
    select feature_name, environment, timestamptz '2026-11-01T00:00:00Z' + interval '1 day' * draw
    from feature_environments, lateral (select ${draw('hashtext(feature_name || environment)', 5)}) as drawn (draw)
    where draw < 0.7`,
  strategies: `
    insert into feature_strategies (feature_name, environment, strategy_name, disabled, sort_order, parameters, constraints)
    select feature_name, environment, 'flexibleRollout', draw < 0.1, place,
      jsonb_build_object('rollout', '50', 'stickiness', 'default', 'groupId', feature_name),
      case when draw < 0.5 then jsonb_build_array(jsonb_build_object(
        'contextName', 'field-' || floor(exp((draw * 2) * ln(16)))::integer, 'operator', 'IN', 'inverted', false,
        'caseInsensitive', false, 'values', jsonb_build_array('a', 'b', 'c'))) else '[]' end
    from feature_environments, generate_series(0, 1) as place,
      lateral (select ${draw('hashtext(feature_name || environment || place)', 6)}) as drawn (draw)`,
  'segments of strategies': `
    insert into feature_strategy_segments (strategy_id, segment_id)
    select id, 1 + ${oneOf('hashtext(id::text)', 7, SEGMENTS)} from feature_strategies
    where ${draw('hashtext(id::text)', 8)} < 0.2`,
  'tags of features': `
    insert into feature_tags (feature_name, type, value)
    select name, 'simple', 'tag-' || ${rank('hashtext(name || i)', 9, TAGS)} from features, generate_series(1, 2) as i
    on conflict do nothing`,
  'the rest': `
    insert into feature_lifecycles (feature_name, stage, entered_at)
      select name, stage, created_at from features,
        unnest(array['initial', 'pre-live', 'live']) with ordinality as stages (stage, place)
      where place <= 1 + ${oneOf('hashtext(name)', 10, 3)}
      union all select name, 'archived', archived_at from features where archived_at is not null;
    insert into feature_collaborators (feature_name, user_id)
      select name, ${rank('hashtext(name || i)', 11, USERS)} from features, generate_series(1, 2) as i
      on conflict do nothing;
    insert into feature_dependencies (child, parent)
      select child.name, parent.name from (
        select name, project, row_number() over (partition by project order by name) as place from features
      ) as child join (
        select name, project, row_number() over (partition by project order by name) as place from features
      ) as parent on parent.project = child.project and parent.place = child.place + 1
      where child.place % 10 = 0`,
  'vacuum analyze': 'vacuum analyze',
};

/** A database of 50,000 features, 10,000 of them in one project; one that is there from an earlier run is kept. */
export async function prepareFeatures(url: URL, fresh: boolean): Promise<void> {
  const made = createHash('sha256')
    .update(JSON.stringify(STEPS))
    .update(await readFile(MIGRATION))
    .digest('hex')
    .slice(0, 16);
  await keepOrFill(url, `${FEATURES} features, made by ${made}`, fresh, () =>
    withClient(url, async client => {
      const step = stepper(client);
      for (const [what, statement] of Object.entries(STEPS)) await step(what, statement);
    }),
  );
}
