import pg from 'pg';
import { boundedConnection } from '../../../platform/db/database.ts';
import { fetchJson } from '../../reading/fetch-json.ts';
import { SourceError } from '../../reading/source-error.ts';
import { describeDataError } from '../data-error.ts';
import { makePrintable } from '../report.ts';
import { readApi } from './api.ts';
import type { Send } from './api-client.ts';
import type { Source, SourceRow } from './source.ts';

/** The kinds that the API returns. The others are skipped, so that they do not count as deleted. */
const KINDS = [
  'feature types',
  'tag types',
  'tags',
  'environments',
  'projects',
  'context fields',
  'strategy types',
  'segments',
  'default strategies',
  'features',
  'dependencies',
  'API tokens',
];

/** The columns that the import reads, with types that its conditions can compare. */
const TABLES: Record<string, string> = {
  environments: 'name text, type text, sort_order integer, enabled boolean, protected boolean',
  context_fields:
    'name text, description text, stickiness boolean, sort_order integer, legal_values jsonb, project text, created_at text',
  strategies: 'name text, display_name text, description text, parameters jsonb, deprecated boolean',
  tag_types: 'name text, description text, icon text, color text',
  tags: 'type text, value text',
  feature_types: 'id text, lifetime_days integer',
  segments:
    'id integer, name text, description text, segment_project_id text, constraints jsonb, created_at text',
  projects: 'id text, name text, description text, created_at text, archived_at text',
  project_settings:
    'project text, default_stickiness text, project_mode text, feature_limit integer, feature_naming_pattern text, feature_naming_example text, feature_naming_description text, link_templates jsonb',
  project_environments: 'project_id text, environment_name text, default_strategy jsonb',
  features:
    'name text, project text, type text, description text, stale boolean, impression_data boolean, created_at text, archived_at text, variants jsonb, unreadable text',
  feature_strategies:
    'id text, feature_name text, environment text, strategy_name text, title text, disabled boolean, sort_order integer, parameters jsonb, constraints jsonb, variants jsonb, created_at text',
  feature_strategy_segment: 'feature_strategy_id text, segment_id integer',
  feature_environments:
    'feature_name text, environment text, enabled boolean, variants jsonb, last_seen_at timestamptz',
  feature_tag: 'feature_name text, tag_type text, tag_value text',
  feature_link: 'id text, feature_name text, url text, title text',
  dependent_features: 'child text, parent text, enabled boolean, variants jsonb',
  api_tokens:
    'secret text, username text, token_name text, type text, environment text, alias text, created_at text, expires_at text',
  api_token_project: 'secret text, project text',
};

const TIMEOUT_MS = 120_000;
const ROWS_PER_INSERT = 500;

/**
 * Reads a hosted Unleash through its API. It writes the rows to temporary tables in Halyard's database, visible only
 * to this connection, so that the rest of the import reads both sources in the same way.
 */
export async function openApiSource(url: string, token: string, databaseUrl: string): Promise<Source> {
  const { tables, notes } = await readApi(makeSend(url, token));
  const client = new pg.Client({
    ...boundedConnection(databaseUrl, 'import', TIMEOUT_MS),
    // Excludes Halyard's own tables, some of which have the same names.
    options: `-c search_path=pg_temp -c statement_timeout=${TIMEOUT_MS} -c timezone=UTC`,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const columns = new Map<string, Set<string>>();
    for (const [table, definition] of Object.entries(TABLES)) {
      await client.query(`create temporary table ${table} (${definition})`);
      await insertRows(client, table, tables.get(table) ?? []);
      columns.set(table, new Set(definition.split(', ').map(column => column.split(' ')[0] ?? '')));
    }
    // Cursors need a transaction.
    await client.query('begin');
    return { client, columns, kinds: new Set(KINDS), partialKinds: new Set(['API tokens']), notes };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function insertRows(client: pg.Client, table: string, rows: SourceRow[]): Promise<void> {
  for (let index = 0; index < rows.length; index += ROWS_PER_INSERT)
    await client
      .query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`, [
        JSON.stringify(rows.slice(index, index + ROWS_PER_INSERT)),
      ])
      .catch((error: Error) => {
        const reason = describeDataError(error);
        if (reason === undefined) throw error;
        throw new SourceError(
          `Unleash sent data that does not fit table ${table}: ${makePrintable(reason)}.`,
        );
      });
}

export const makeSend =
  (url: string, token: string): Send =>
  (method, path, body) =>
    fetchJson(new URL(`api/admin/${path}`, url.endsWith('/') ? url : `${url}/`), {
      product: 'Unleash',
      method,
      headers: { authorization: token, 'unleash-appname': 'halyard-import' },
      ...(body === undefined ? {} : { body }),
      timeoutSeconds: TIMEOUT_MS / 1_000,
    });
