import { sql } from 'kysely';
import type { Config } from '../config.ts';
import { StartError } from '../start-error.ts';
import { type Db, SESSION_SETTINGS } from './database.ts';

/**
 * Checks that the role's defaults contain our connection settings, and otherwise throws an error with the statements that set them.
 * PgBouncer in transaction mode gives each transaction a different connection, and does not pass options on.
 */
export async function checkPooler(db: Db, { databaseUrl, directUrl }: Config): Promise<void> {
  if (databaseUrl === directUrl) return;
  const { rows } = await sql<{ name: keyof typeof SESSION_SETTINGS; value: string }>`
    select lower(name) as name, current_setting(name) as value from pg_settings
    where lower(name) = any(${Object.keys(SESSION_SETTINGS)})`.execute(db);
  // PostgreSQL has two names for this time zone.
  const wrongSettings = rows.filter(
    ({ name, value }) => value.replace('Etc/UTC', 'UTC') !== SESSION_SETTINGS[name],
  );
  if (wrongSettings.length === 0) return;
  const { rows: names } = await sql<{ role: string; database: string }>`
    select quote_ident(current_user) as role, quote_ident(current_database()) as database`.execute(db);
  const { role, database } = names[0] ?? { role: 'halyard', database: 'halyard' };
  const statements = wrongSettings
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(
      ({ name }) => `  alter role ${role} in database ${database} set ${name} = '${SESSION_SETTINGS[name]}';`,
    );
  throw new StartError(
    `DATABASE_URL points to a connection pooler, which cannot set connection options. Run these statements once, then restart the pooler and start again:\n${statements.join('\n')}`,
  );
}
