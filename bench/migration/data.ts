import { makeStepRunner, withClient } from '../database.ts';

export const PROJECT_COUNT = 20;
export const ENVIRONMENT = 'development';
export const getProjectName = (n: number) => `project-${n % PROJECT_COUNT}`;
export const getFlagName = (n: number) => `flag-${n}`;

/** Creates flags with two environments and a strategy in each, and events about them. The rows are small, so this takes only minutes. */
export async function fillDatabase(url: string, flagCount: number, eventCount: number): Promise<void> {
  await withClient(new URL(url), async client => {
    const step = makeStepRunner(client);
    await step(
      'projects',
      `insert into projects (id, name) select 'project-' || n, 'Project ' || n from generate_series(0, ${PROJECT_COUNT - 1}) as n`,
    );
    await step(
      'environments',
      'insert into project_environments (project_id, environment_name) select projects.id, environments.name from projects, environments on conflict do nothing',
    );
    await step(
      'flags',
      `insert into features (name, project, type, description)
     select 'flag-' || n, 'project-' || n % ${PROJECT_COUNT}, 'release', 'Flag number ' || n from generate_series(0, ${flagCount - 1}) as n`,
    );
    await step(
      'flag environments',
      'insert into feature_environments (feature_name, environment) select features.name, environments.name from features, environments',
    );
    await step(
      'strategies',
      `insert into feature_strategies (feature_name, environment, strategy_name, sort_order, parameters)
     select feature_name, environment, 'flexibleRollout', 0, '{"rollout": "100"}' from feature_environments`,
    );
    // Older schemas have a text index, which is much faster to build once after a million inserts than to update with each row.
    const { rows } = await client.query<{ definition: string }>(
      "select pg_get_indexdef(oid) as definition from pg_class where oid = to_regclass('events_text_idx')",
    );
    await client.query('drop index if exists events_text_idx');
    await step(
      'events',
      `insert into events (group_id, type, created_by, created_by_user_id, project, environment, feature_name, data, created_at)
     select 'group-' || n / 3, (array['feature-created', 'feature-environment-enabled', 'feature-strategy-update'])[1 + n % 3],
       'user', 1, 'project-' || n % ${flagCount} % ${PROJECT_COUNT}, '${ENVIRONMENT}', 'flag-' || n % ${flagCount},
       jsonb_build_object('name', 'flag-' || n % ${flagCount}), now() - interval '1 second' * (${eventCount} - n)
     from generate_series(0, ${eventCount - 1}) as n`,
    );
    for (const { definition } of rows) await step('text index', definition.replace(' ON ONLY ', ' ON '));
    await step('vacuum analyze', 'vacuum analyze');
  });
}
