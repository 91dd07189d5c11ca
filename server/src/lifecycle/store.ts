import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { iso } from '../db/iso.ts';
import type { Stage } from './schema.ts';

/** Where `features` is: the furthest stage it has reached. */
export const STAGE = sql`(
  select jsonb_strip_nulls(jsonb_build_object(
    'stage', stage, 'enteredStageAt', ${iso(sql`entered_at`)}, 'status', status
  ))
  from feature_lifecycles where feature_name = features.name
  order by array_position(array['archived', 'completed', 'live', 'pre-live', 'initial'], stage) limit 1
)`;

export async function insertStage(tx: Tx, features: string[], stage: Stage): Promise<void> {
  await sql`
    insert into feature_lifecycles (feature_name, stage) select unnest(${features}::text[]), ${stage}
    on conflict do nothing`.execute(tx);
}

export async function deleteStages(tx: Tx, features: string[]): Promise<void> {
  await tx.deleteFrom('feature_lifecycles').where('feature_name', 'in', features).execute();
}
