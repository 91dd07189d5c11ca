import { stepper, withClient } from '../database.ts';

export const PROJECTS = 20;
export const ENVIRONMENT = 'development';
export const project = (n: number) => `project-${n % PROJECTS}`;
export const flag = (n: number) => `flag-${n}`;

/** Flags with two environments and a strategy each, and events about them: small rows, so that filling takes minutes at most. */
export async function fill(url: string, flags: number, events: number): Promise<void> {
  await withClient(new URL(url), async client => {
    const step = stepper(client);
    await step(
      'projects',
      `insert into projects (id, name) select 'project-' || n, 'Project ' || n from generate_series(0, ${PROJECTS - 1}) as n`,
    );
    await step(
      'environments',
      'insert into project_environments (project_id, environment_name) select projects.id, environments.name from projects, environments on conflict do nothing',
    );
    await step(
      'flags',
      `insert into features (name, project, type, description)
     select 'flag-' || n, 'project-' || n % ${PROJECTS}, 'release', 'Flag number ' || n from generate_series(0, ${flags - 1}) as n`,
    );
    await step(
      'environments of flags',
      'insert into feature_environments (feature_name, environment) select features.name, environments.name from features, environments',
    );
    await step(
      'strategies',
      `insert into feature_strategies (feature_name, environment, strategy_name, sort_order, parameters)
     select feature_name, environment, 'flexibleRollout', 0, '{"rollout": "100"}' from feature_environments`,
    );
    // Older schemas have a text index. Building it once after a million inserts is much faster than updating it with each row.
    const { rows } = await client.query<{ definition: string }>(
      "select pg_get_indexdef(oid) as definition from pg_class where oid = to_regclass('events_text_idx')",
    );
    await client.query('drop index if exists events_text_idx');
    await step(
      'events',
      `insert into events (group_id, type, created_by, created_by_user_id, project, environment, feature_name, data, created_at)
     select 'group-' || n / 3, (array['feature-created', 'feature-environment-enabled', 'feature-strategy-update'])[1 + n % 3],
       'user', 1, 'project-' || n % ${flags} % ${PROJECTS}, '${ENVIRONMENT}', 'flag-' || n % ${flags},
       jsonb_build_object('name', 'flag-' || n % ${flags}), now() - interval '1 second' * (${events} - n)
     from generate_series(0, ${events - 1}) as n`,
    );
    for (const { definition } of rows) await step('text index', definition.replace(' ON ONLY ', ' ON '));
    await step('vacuum analyze', 'vacuum analyze');
  });
}
