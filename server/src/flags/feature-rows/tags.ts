import { type RawBuilder, sql } from 'kysely';

/** Selects the tags of a feature as responses and events contain them. `featureName` must be a qualified column. */
export const selectTags = (featureName: RawBuilder<unknown>) => sql<
  { type: string; value: string }[]
>`coalesce((
  select jsonb_agg(jsonb_build_object('type', type, 'value', value) order by type, value)
  from feature_tags where feature_name = ${featureName}
), '[]')`;
