import { sql } from 'kysely';
import type { Reader } from './database.ts';

/** The number of connections that PostgreSQL allows, and the number of servers that are already connected. */
export type Budget = { available: number; limitedBy: string; connectedServers: number };

/** Every server has exactly one flag listener, so servers are counted by its name. */
const LISTENER_NAME = 'halyard sdk listener';

/** Returns how many connections all servers on this database can use together. */
export async function readBudget(db: Reader): Promise<Budget> {
  const { rows } = await sql<Limits>`
    select coalesce(rolsuper, false) as "isSuperuser", coalesce(rolconnlimit, -1) as role, datconnlimit as database,
      current_setting('max_connections')::integer as server,
      current_setting('superuser_reserved_connections')::integer
        + coalesce(current_setting('reserved_connections', true), '0')::integer as reserved,
      (select count(*) from pg_stat_activity
        where datname = current_database() and application_name = ${LISTENER_NAME}) as "connectedServers"
    from pg_roles, pg_database where rolname = current_user and datname = current_database()`.execute(db);
  const [limits] = rows;
  if (!limits) throw new Error('PostgreSQL does not list the role or the database');
  const { isSuperuser, connectedServers } = limits;
  const limitsByName: [string, number][] = [
    ['max_connections', isSuperuser ? limits.server : limits.server - limits.reserved],
    ['CONNECTION LIMIT of the role', limits.role],
    ['CONNECTION LIMIT of the database', limits.database],
  ];
  // The limits of a role or database do not apply to a superuser, and -1 means that there is no limit.
  const [firstLimit = ['max_connections', 0], ...otherLimits] = limitsByName.filter(
    ([name, count]) => name === 'max_connections' || (!isSuperuser && count >= 0),
  );
  const [limitedBy, available] = otherLimits.reduce(
    (smallest, limit) => (limit[1] < smallest[1] ? limit : smallest),
    firstLimit,
  );
  return { available, limitedBy, connectedServers };
}

type Limits = {
  isSuperuser: boolean;
  role: number;
  database: number;
  server: number;
  reserved: number;
  connectedServers: number;
};
