import { sql } from 'kysely';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import { iso } from '../../../platform/db/iso.ts';
import { selectUserName } from '../../../record/actor-names.ts';
import type { RuleName } from '../rules/rules.ts';
import type { Subject } from '../rules/store.ts';
import type { Snooze } from './schema.ts';

/** A `Snooze` as JSON, from `health_snoozes as snooze`. */
export const SNOOZE = sql`jsonb_build_object(
  'reason', snooze.reason, 'until', ${iso(sql`snooze.until`)}, 'createdAt', ${iso(sql`snooze.created_at`)},
  'createdBy', ${selectUserName(sql`snooze.created_by_user_id`)}
)`;

/** Locks a segment of the project until the transaction ends. */
export async function lockProjectSegment(
  tx: Tx,
  project: string,
  id: number,
): Promise<{ name: string } | undefined> {
  return await tx
    .selectFrom('segments')
    .select('name')
    .where('id', '=', id)
    .where('project', '=', project)
    .forUpdate()
    .executeTakeFirst();
}

const isAbout = ({ feature, segment }: Subject) =>
  sql<boolean>`(feature_name is not distinct from ${feature}::text and segment_id is not distinct from ${segment}::integer)`;

export async function findSnooze(db: Reader, rule: RuleName, subject: Subject): Promise<Snooze | undefined> {
  const { rows } = await sql<{ snooze: Snooze }>`
    select ${SNOOZE} as snooze from health_snoozes as snooze
    where rule = ${rule} and ${isAbout(subject)}`.execute(db);
  return rows[0]?.snooze;
}

/** Inserts the snooze, or replaces the existing one. */
export async function upsertSnooze(
  tx: Tx,
  rule: RuleName,
  { feature, segment }: Subject,
  snooze: { reason: string; until: string },
  userId: number,
): Promise<void> {
  await sql`
    insert into health_snoozes (rule, feature_name, segment_id, reason, until, created_by_user_id)
    values (${rule}, ${feature}, ${segment}, ${snooze.reason}, ${snooze.until}, ${userId})
    on conflict on constraint health_snoozes_key do update set reason = excluded.reason, until = excluded.until,
      created_at = now(), created_by_user_id = excluded.created_by_user_id`.execute(tx);
}

export async function deleteSnooze(tx: Tx, rule: RuleName, subject: Subject): Promise<void> {
  await tx.deleteFrom('health_snoozes').where('rule', '=', rule).where(isAbout(subject)).execute();
}
