import { sql } from 'kysely';
import type { Feature } from '../flags/features/schema.ts';
import type { Db } from '../platform/db/database.ts';

type Environment = Partial<Pick<Feature['environments'][number], 'enabled' | 'variants'>> & {
  strategies?: (Partial<
    Omit<Feature['environments'][number]['strategies'][number], 'id' | 'featureName' | 'title'>
  > & { title?: string | null })[];
};

/** All parts of a feature. Absent parts are empty. */
export type RichFeature = Partial<
  Pick<Feature, 'type' | 'impressionData' | 'stale' | 'tags' | 'dependencies'>
> & {
  name: string;
  description?: string | null;
  project?: string;
  environments?: Record<string, Environment>;
  links?: string[];
};

/** Inserts a feature directly, without validation, because these tests are not about creating it. */
export async function insertRichFeature(db: Db, feature: RichFeature): Promise<void> {
  const { name, project = 'default', environments = {}, tags = [], dependencies = [], links = [] } = feature;
  const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;
  await db.transaction().execute(async tx => {
    await sql`
      insert into features (name, project, type, description, impression_data, stale)
      values (${name}, ${project}, ${feature.type ?? 'release'}, ${feature.description ?? null},
        ${feature.impressionData ?? false}, ${feature.stale ?? false})`.execute(tx);
    await sql`
      insert into feature_environments (feature_name, environment)
      select ${name}, environment_name from project_environments where project_id = ${project}`.execute(tx);
    await sql`insert into feature_lifecycles (feature_name, stage) values (${name}, 'initial')`.execute(tx);
    for (const [environment, { enabled = false, variants = [], strategies = [] }] of Object.entries(
      environments,
    )) {
      await sql`
        update feature_environments set enabled = ${enabled}, variants = ${json(variants)}
        where feature_name = ${name} and environment = ${environment}`.execute(tx);
      for (const [index, strategy] of strategies.entries()) {
        await sql`
          with added as (
            insert into feature_strategies (feature_name, environment, strategy_name, title, disabled, sort_order,
              parameters, constraints, variants, created_at)
            values (${name}, ${environment}, ${strategy.name ?? 'default'}, ${strategy.title ?? null},
              ${strategy.disabled ?? false}, ${strategy.sortOrder ?? index}, ${json(strategy.parameters ?? {})},
              ${json(strategy.constraints ?? [])}, ${json(strategy.variants ?? [])},
              now() + ${index} * interval '1 second')
            returning id
          )
          insert into feature_strategy_segments (strategy_id, segment_id)
          select id, unnest(${strategy.segments ?? []}::integer[]) from added`.execute(tx);
      }
    }
    for (const { type, value } of tags) {
      await sql`insert into tags (type, value) values (${type}, ${value}) on conflict do nothing`.execute(tx);
      await sql`
        insert into feature_tags (feature_name, type, value) values (${name}, ${type}, ${value})`.execute(tx);
    }
    for (const parent of dependencies) {
      await sql`
        insert into feature_dependencies (child, parent, enabled, variants)
        values (${name}, ${parent.feature}, ${parent.enabled}, ${json(parent.variants)})`.execute(tx);
    }
    for (const url of links)
      await sql`insert into feature_links (feature_name, url) values (${name}, ${url})`.execute(tx);
  });
}

/** Inserts a project segment, or a global segment without a project. Returns its id. */
export async function insertSegment(db: Db, name: string, project: string | null = null): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into segments (name, project, created_by) values (${name}, ${project}, 'test') returning id`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}
