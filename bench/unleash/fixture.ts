import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { fill } from './fill.ts';
import { startUnleash } from './instance.ts';
import { recordApi } from './record-api.ts';

// Writes the tables that an import reads to a SQL file, so that the import tests run without Unleash. The file contains column names
// and our own test data, but none of the descriptions that ship with Unleash.

const TABLES = [
  'addons',
  'api_token_project',
  'api_tokens',
  'api_tokens_v2',
  'api_tokens_v2_project',
  'change_requests',
  'client_metrics_env',
  'client_metrics_env_daily',
  'client_metrics_env_variants',
  'client_metrics_env_variants_daily',
  'context_fields',
  'dependent_features',
  'environments',
  'events',
  'favorite_features',
  'favorite_projects',
  'feature_environments',
  'feature_lifecycles',
  'feature_link',
  'feature_strategies',
  'feature_strategy_segment',
  'feature_tag',
  'feature_types',
  'features',
  'group_role',
  'group_user',
  'groups',
  'permissions',
  'personal_access_tokens',
  'project_environments',
  'project_settings',
  'projects',
  'role_permission',
  'role_user',
  'roles',
  'segments',
  'strategies',
  'tag_types',
  'tags',
  'users',
];
/** Columns that contain Unleash's descriptions, or that no import reads. */
const OMITTED_COLUMNS = new Set(['password_hash', 'image_url', 'email_hash', 'settings', 'display_name']);
const ROWS_OF_OWN_DATA: Record<string, string> = {
  events: `created_by <> 'migration' and type not like 'strategy-%'`,
  strategies: `name in ('byTeam', 'userWithId')`,
};
const ROWS_DESCRIBED_BY_UNLEASH: Record<string, string> = {
  roles: 'id < 40',
  feature_types: 'true',
  tag_types: `name = 'simple'`,
  context_fields: `name <> 'country'`,
  strategies: `name <> 'byTeam'`,
  projects: `id = 'default'`,
};

for (const version of ['4.19.5', '8.2.0']) {
  const env = version === '8.2.0' ? { UNLEASH_EXPERIMENTAL_SECURE_TOKEN: 'true' } : {};
  const instance = await startUnleash(version, env);
  try {
    const fillResult = await fill(instance);
    // Unleash writes SDK reports a few seconds later.
    await sleep(30_000);
    const file = new URL(`../../server/src/importing/unleash/fixtures/${version}.sql`, import.meta.url);
    writeFileSync(fileURLToPath(file), await dump(instance.databaseUrl));
    writeFileSync(
      fileURLToPath(new URL(`${version}.json`, file)),
      `${JSON.stringify({ tokens: fillResult.tokens, personalTokens: fillResult.personalTokens }, null, 2)}\n`,
    );
    writeFileSync(
      fileURLToPath(new URL(`${version}.api.json`, file)),
      `${JSON.stringify(await recordApi(instance), null, 1)}\n`,
    );
    console.log(
      `Recorded ${version}. Not possible in this version: ${fillResult.skippedParts.join(', ') || 'nothing'}`,
    );
  } finally {
    await instance.stop();
  }
}

async function dump(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  const lines = ['-- Written by bench/unleash/fixture.ts: tables of Unleash with test data.'];
  for (const table of TABLES) {
    const { rows: columns } = await client.query<{ name: string; type: string }>(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'public' and table_name = $1 order by ordinal_position`,
      [table],
    );
    const keptColumns = columns.filter(({ name }) => !OMITTED_COLUMNS.has(name));
    if (keptColumns.length === 0) continue;
    lines.push(
      `create table ${table} (${keptColumns.map(({ name, type }) => `"${name}" ${type}`).join(', ')});`,
    );
    const describedByUnleash = ROWS_DESCRIBED_BY_UNLEASH[table];
    const expressions = keptColumns.map(({ name }) =>
      name === 'description' && describedByUnleash !== undefined
        ? `case when ${describedByUnleash} then '' else description end as description`
        : `"${name}"`,
    );
    const { rows } = await client.query(
      `select row_to_json(picked)::text as row from (select ${expressions.join(', ')} from ${table} where ${ROWS_OF_OWN_DATA[table] ?? 'true'} order by 1, 2) as picked`,
    );
    for (const { row } of rows)
      lines.push(
        `insert into ${table} select * from json_populate_record(null::${table}, '${row.replaceAll("'", "''")}');`,
      );
  }
  await client.end();
  return `${lines.join('\n')}\n`;
}
