import type pg from 'pg';

const ENVIRONMENTS = ['development', 'production', 'test-lab'];
const PROJECTS = 10;

/** Writes documents of the usual size of 640 bytes, with different names, values and rollouts. */
export async function fillDocuments(client: pg.Client, flags: number): Promise<void> {
  await client.query(`insert into environments (name, type, sort_order) values ('test-lab', 'test', 9)`);
  await client.query(
    `insert into sdk_features (environment, project, name, revision, document, segments, tags)
    select environment, project, name, n,
      json_build_object('name', name, 'type', 'release', 'enabled', n % 3 > 0, 'project', project, 'stale', false,
        'impressionData', false, 'strategies', json_build_array(
          json_build_object('name', 'flexibleRollout',
            'constraints', json_build_array(json_build_object('contextName', 'userId', 'operator', 'IN', 'inverted', false,
              'caseInsensitive', false, 'values', json_build_array(md5(n::text), md5(n || environment)))),
            'parameters', json_build_object('groupId', name, 'rollout', (n % 101)::text, 'stickiness', 'default'),
            'variants', json_build_array()),
          json_build_object('name', 'default', 'constraints', json_build_array(), 'parameters', json_build_object(),
            'variants', json_build_array())),
        'variants', json_build_array())::jsonb::text, '{}', '{}'
    from unnest($1::text[]) as environment, generate_series(1, $2) as n,
      lateral (select 'project-' || n % ${PROJECTS} as project, 'flag.' || md5(n::text) as name) as named`,
    [ENVIRONMENTS, flags],
  );
  await client.query(
    `insert into sdk_revisions (environment, revision) select environment, $2 from unnest($1::text[]) as environment
    on conflict (environment) do update set revision = excluded.revision`,
    [ENVIRONMENTS, flags],
  );
  await client.query(
    `insert into projects (id, name) select 'project-' || n, 'Project ' || n from generate_series(0, ${PROJECTS - 1}) as n`,
  );
  await client.query('analyze');
}

/** Changes one flag in a new revision by editing its document, not the tables that documents are built from. */
export async function changeFlag(client: pg.Client, environment: string, round: number): Promise<void> {
  await client.query(
    `with counted as (
      update sdk_revisions set revision = revision + 1 where environment = $1 returning revision
    ), notified as (select pg_notify('halyard_sdk', ''))
    update sdk_features set revision = counted.revision,
      document = jsonb_set(document::jsonb, '{strategies,0,parameters,rollout}', to_jsonb($2::text))::text
    from counted, notified
    where environment = $1 and name = 'flag.' || md5(((1 + $2::integer * 37) % 10000)::text)`,
    [environment, round],
  );
}
