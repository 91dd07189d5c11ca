import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';

export type PayloadRow = {
  name: string;
  description: string | null;
  /** The distinct types of payloads in all environments. `none` stands for a variant without a payload. */
  payloads: string[];
  /** Whether all payloads of the type number are whole numbers. */
  isWhole: boolean;
};

/** Returns the active flags of a project, or only the named flag, with the types of their payloads. */
export async function listPayloadTypes(db: Reader, project: string, name?: string): Promise<PayloadRow[]> {
  const { rows } = await sql<PayloadRow>`
    select features.name, features.description, coalesce(payloads, '{}') as payloads, coalesce(whole, true) as "isWhole"
    from features left join lateral (
      select array_agg(distinct coalesce(variant #>> '{payload,type}', 'none')) as payloads,
        bool_and(variant #>> '{payload,type}' is distinct from 'number'
          or variant #>> '{payload,value}' ~ '^\\s*-?[0-9]{1,15}\\s*$') as whole
      from (
        select jsonb_array_elements(variants) as variant from feature_environments
        where feature_environments.feature_name = features.name
        union all
        select jsonb_array_elements(variants) from feature_strategies
        where feature_strategies.feature_name = features.name
      ) as used
    ) as used on true
    where features.project = ${project} and features.archived_at is null
      and (${name ?? null}::text is null or features.name = ${name ?? null})
    order by features.name`.execute(db);
  return rows;
}
