import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../server/src/test/database.ts';
import { withClient } from '../database.ts';

// Runs the import as a separate program with its own database, and reads what the import wrote there.

const IMPORT = fileURLToPath(new URL('../../server/scripts/import.ts', import.meta.url));
const EXPORT = fileURLToPath(new URL('../../server/scripts/export.ts', import.meta.url));
const SECRET_KEY = Buffer.alloc(32, 5).toString('base64');
/** Selects what an import writes, without import times and ids from sequences, which differ between runs. */
const STATE_QUERY = `
  select kind, key, digest, array_to_string(problems, ',') from imported
  union all select 'feature', name, md5(concat(project, type, description, stale, archived_at)), '' from features
  union all select 'strategy', id::text, md5(concat(strategy_name, sort_order, parameters, constraints, variants)), '' from feature_strategies
  union all select 'event', id::text, md5(concat(created_at, type, created_by, data, pre_data, tags, project, environment, feature_name)), ''
    from events where id < 0
  union all select 'usage', concat(metric_features.name, ' ', metric_environments.name, ' ', variant, ' ', day), concat(yes, ' ', no), ''
    from metric_days join metric_features on metric_features.id = feature_id
    join metric_environments on metric_environments.id = environment_id
  union all select 'token', encode(hash, 'hex'), concat(type, environment, name, all_projects), '' from api_tokens where type <> 'admin'
  order by 1, 2`;

/** Starts `halyard import unleash`, its `verify`, or `halyard export unleash`. */
export function startImport(target: string, source: string | undefined, options: string[], action?: string) {
  const args = action === 'export' ? [EXPORT, 'unleash'] : [IMPORT, 'unleash', ...(action ? [action] : [])];
  return spawn(process.execPath, [...args, ...(source === undefined ? [] : ['--from', source]), ...options], {
    env: { PATH: process.env.PATH, DATABASE_URL: target, HALYARD_SECRET_KEY: SECRET_KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function runImport(
  target: string,
  source: string | undefined,
  options: string[],
  action?: string,
) {
  const child = startImport(target, source, options, action);
  let [output, stdout] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [status] = await once(child, 'close');
  return { status: status as number, output, stdout };
}

const TEMPLATE = `halyard_import_${randomBytes(6).toString('hex')}`;
let templateReady: Promise<void> | undefined;

async function makeTemplate(): Promise<void> {
  await createDatabase(TEMPLATE);
  await migrate(getDatabaseUrl(TEMPLATE), {});
}

export const dropTemplate = (): Promise<void> => dropDatabase(TEMPLATE);

/** Creates an empty Halyard database by copying a migrated database. */
export async function makeTarget(): Promise<{ name: string; url: string }> {
  templateReady ??= makeTemplate();
  await templateReady;
  const name = `halyard_import_${randomBytes(6).toString('hex')}`;
  await createDatabase(name, `template ${TEMPLATE}`);
  return { name, url: getDatabaseUrl(name) };
}

export async function query(url: string, text: string): Promise<object[]> {
  return await withClient(new URL(url), async client =>
    [await client.query(text)].flat().flatMap(result => result.rows),
  );
}

/** Creates a role that can only read. */
export async function makeReader(url: string): Promise<string> {
  const role = `import_${randomBytes(6).toString('hex')}`;
  await query(url, `create role ${role} login; grant select on all tables in schema public to ${role}`);
  return role;
}

export function withRole(url: string, role: string): string {
  const urlWithRole = new URL(url);
  urlWithRole.username = role;
  return urlWithRole.href;
}

/** Returns a digest of everything that an import wrote, or `[]` if it wrote nothing. */
export async function dumpState(url: string): Promise<string> {
  const rows = await query(url, STATE_QUERY);
  return rows.length === 0 ? '[]' : createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}
