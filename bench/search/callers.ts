import { hashToken, newToken } from '@halyard/plane/platform/token.ts';
import type pg from 'pg';
import { ADMIN_TOKEN } from '../server.ts';
import { listHiddenProjects, VIEWERS } from './load.ts';
import type { Caller } from './plain.ts';

/** Returns the admin and both viewers. Inserts the viewers' tokens with SQL, because the API would record events. */
export async function makeCallers(client: pg.Client): Promise<Map<string, Caller>> {
  const callers = new Map<string, Caller>([['admin', { name: 'admin', token: ADMIN_TOKEN }]]);
  for (const { username, hiddenEvery } of VIEWERS) {
    const token = newToken('personal', 'user:');
    const { rows } = await client.query<{ id: number }>(
      `insert into personal_access_tokens (user_id, hash, description, expires_at)
       select id, $2, 'benchmark', now() + interval '1 day' from users where username = $1
       on conflict (user_id, description) do update set hash = excluded.hash, expires_at = excluded.expires_at
       returning user_id as id`,
      [username, hashToken(token)],
    );
    const visibility = { userId: rows[0]?.id ?? 0, hidden: listHiddenProjects(hiddenEvery) };
    callers.set(username, { name: username, token, visibility });
  }
  return callers;
}
