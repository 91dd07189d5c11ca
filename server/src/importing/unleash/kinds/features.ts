import { sql } from 'kysely';
import { rolloutViolations } from '../../../flags/feature-environments/validate-strategy.ts';
import { urlViolation } from '../../../flags/links/validate.ts';
import {
  optionalText,
  readBatches,
  readRows,
  type Source,
  type SourceRow,
  textOf,
  timeOf,
} from '../source/source.ts';
import { constraintProblems, type Rules, rulesOf } from './constraints.ts';
import type { Context, Item, Kind, Problem } from './kind.ts';
import { type SegmentNames, segmentNames } from './segments.ts';
import {
  featureVariantsOf,
  type StrategyState,
  strategyOf,
  uuidOf,
  type VariantState,
} from './strategies.ts';
import { acceptable, isStorableTag, nameProblems, rejected, rowsOf, tagKey } from './vocabulary.ts';

type EnvironmentState = {
  environment: string;
  enabled: boolean;
  variants: VariantState[];
  strategies: StrategyState[];
};

export type FeatureState = {
  name: string;
  project: string;
  type: string;
  description: string | null;
  stale: boolean;
  impressionData: boolean;
  archivedAt: string | null;
  environments: EnvironmentState[];
  /** As type:value, in order. */
  tags: string[];
  links: { id: string; url: string; title: string | null }[];
};

const FEATURES_PER_BATCH = 100;
const MAX_STRATEGIES = 30;
const MAX_LINKS = 10;

const COLUMNS = [
  'name',
  'project',
  'type',
  'description',
  'stale',
  'impression_data',
  'archived_at',
  'archived',
  'created_at',
  'variants',
  // Only the API has these: features that it lists without their content.
  'unreadable',
];
const STRATEGY_COLUMNS = [
  'id',
  'feature_name',
  'environment',
  'strategy_name',
  'title',
  'disabled',
  'sort_order',
  'parameters',
  'constraints',
  'variants',
  'milestone_id',
  'created_at',
];

export const FEATURES: Kind<FeatureState> = {
  name: 'features',
  read: readFeatures,
  only: ({ onlyFeatures }) => onlyFeatures,
  rows: keys => sql`features where name = any(${keys}) order by name`,
  async find(db, keys) {
    const { rows } = await sql<FeatureState>`
      select name, project, type, description, stale, impression_data as "impressionData", archived_at as "archivedAt",
        coalesce((
          select jsonb_agg(jsonb_build_object('environment', here.environment, 'enabled', here.enabled,
            'variants', here.variants, 'strategies', coalesce((
              select jsonb_agg(jsonb_build_object('id', id, 'name', strategy_name, 'title', title,
                'disabled', disabled, 'sortOrder', sort_order, 'parameters', parameters, 'constraints', constraints,
                'variants', variants, 'segments', array(
                  select segments.name from feature_strategy_segments join segments on segments.id = segment_id
                  where strategy_id = strategies.id order by segments.name collate "C"))
                order by sort_order, created_at, id)
              from feature_strategies as strategies
              where strategies.feature_name = here.feature_name and strategies.environment = here.environment
            ), '[]')) order by here.environment collate "C")
          from feature_environments as here where here.feature_name = features.name
        ), '[]') as environments,
        array(select type || ':' || value from feature_tags where feature_name = features.name
          order by (type || ':' || value) collate "C") as tags,
        coalesce((
          select jsonb_agg(jsonb_build_object('id', id, 'url', url, 'title', title) order by id)
          from feature_links where feature_name = features.name
        ), '[]') as links
      from features where name = any(${keys}) order by name`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    const features = rowsOf(items);
    const names = items.map(({ key }) => key);
    const places = items.flatMap(({ state: { name, environments } }) =>
      environments.map(one => ({ ...one, featureName: name })),
    );
    const strategies = places.flatMap(({ featureName, environment, strategies: list }) =>
      list.map(one => ({ ...one, featureName, environment })),
    );
    await sql`
      insert into features (name, project, type, description, stale, impression_data, archived_at, created_at)
      select name, project, type, description, stale, "impressionData", "archivedAt", coalesce("createdAt", now())
      from jsonb_to_recordset(${features}::jsonb) as given (
        name text, project text, type text, description text, stale boolean, "impressionData" boolean,
        "archivedAt" timestamptz, "createdAt" timestamptz)
      order by name
      on conflict (name) do update set project = excluded.project, type = excluded.type,
        description = excluded.description, stale = excluded.stale, impression_data = excluded.impression_data,
        archived_at = excluded.archived_at`.execute(tx);
    await sql`
      delete from feature_environments where feature_name = any(${names}) and (feature_name, environment) not in (
        select "featureName", environment
        from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as given ("featureName" text, environment text)
      )`.execute(tx);
    await sql`
      insert into feature_environments (feature_name, environment, enabled, variants)
      select "featureName", environment, enabled, variants
      from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as given (
        "featureName" text, environment text, enabled boolean, variants jsonb)
      order by 1, 2
      on conflict (feature_name, environment) do update set enabled = excluded.enabled, variants = excluded.variants
      where (feature_environments.enabled, feature_environments.variants) is distinct from (excluded.enabled, excluded.variants)`.execute(
      tx,
    );
    await writeStrategies(tx, names, strategies);
    await sql`
      delete from feature_tags where feature_name = any(${names}) and (feature_name, type || ':' || value) not in (
        select name, unnest(tags) from jsonb_to_recordset(${features}::jsonb) as given (name text, tags text[])
      )`.execute(tx);
    await sql`
      insert into feature_tags (feature_name, type, value)
      select given.name, tags.type, tags.value
      from jsonb_to_recordset(${features}::jsonb) as given (name text, tags text[]), unnest(given.tags) as tag
      join tags on tags.type || ':' || tags.value = tag
      on conflict do nothing`.execute(tx);
    // Stages are copied as they are. After that, SDK reports to Halyard advance them.
    await sql`
      insert into feature_lifecycles (feature_name, stage, entered_at, status, status_value)
      select given.name, entered.stage, coalesce(entered.at, now()), entered.status, entered."statusValue"
      from jsonb_to_recordset(${features}::jsonb) as given (name text, stages jsonb),
        jsonb_to_recordset(given.stages) as entered (stage text, at timestamptz, status text, "statusValue" text)
      on conflict do nothing`.execute(tx);
    await sql`delete from feature_links where feature_name = any(${names})`.execute(tx);
    await sql`
      insert into feature_links (id, feature_name, url, title)
      select link.id, given.name, link.url, link.title
      from jsonb_to_recordset(${features}::jsonb) as given (name text, links jsonb),
        jsonb_to_recordset(given.links) as link (id uuid, url text, title text)`.execute(tx);
  },
  event: (after, before) => ({
    type: 'feature-import',
    project: after.project,
    featureName: after.name,
    data: after,
    preData: before ?? null,
  }),
  remove: {
    async write(tx, keys) {
      await sql`delete from feature_dependencies where parent = any(${keys}) or child = any(${keys})`.execute(
        tx,
      );
      await sql`delete from features where name = any(${keys})`.execute(tx);
    },
    event: before => ({
      type: 'feature-deleted',
      project: before.project,
      featureName: before.name,
      preData: before,
    }),
  },
};

type StrategyRow = StrategyState & { featureName: string; environment: string };

async function writeStrategies(
  tx: Parameters<Kind<FeatureState>['write']>[0],
  names: string[],
  strategies: StrategyRow[],
): Promise<void> {
  const rows = JSON.stringify(strategies);
  const ids = strategies.map(({ id }) => id);
  await sql`delete from feature_strategies where feature_name = any(${names}) and id <> all(${ids}::uuid[])`.execute(
    tx,
  );
  await sql`
    insert into feature_strategies (id, feature_name, environment, strategy_name, title, disabled, sort_order,
      parameters, constraints, variants)
    select id, "featureName", environment, name, title, disabled, "sortOrder", parameters, constraints, variants
    from jsonb_to_recordset(${rows}::jsonb) as given (
      id uuid, "featureName" text, environment text, name text, title text, disabled boolean, "sortOrder" integer,
      parameters jsonb, constraints jsonb, variants jsonb)
    order by id
    on conflict (id) do update set strategy_name = excluded.strategy_name, title = excluded.title,
      disabled = excluded.disabled, sort_order = excluded.sort_order, parameters = excluded.parameters,
      constraints = excluded.constraints, variants = excluded.variants`.execute(tx);
  await sql`delete from feature_strategy_segments where strategy_id = any(${ids}::uuid[])`.execute(tx);
  await sql`
    insert into feature_strategy_segments (strategy_id, segment_id)
    select given.id, segments.id
    from jsonb_to_recordset(${rows}::jsonb) as given (id uuid, segments text[]), unnest(given.segments) as segment
    join segments on segments.name = segment
    on conflict do nothing`.execute(tx);
}

/** What the features of a batch refer to, all of which is small. */
type References = {
  rules: Rules;
  segments: SegmentNames;
  environmentsOf: ReadonlyMap<string, string[]>;
  activeMilestones: ReadonlySet<string>;
};

async function* readFeatures({
  source,
  rejected: isRejected,
  onlyFeatures,
}: Context): AsyncGenerator<Item<FeatureState>[]> {
  const references: References = {
    rules: await rulesOf(source),
    segments: await segmentNames(source),
    environmentsOf: await environmentsOfProjects(source),
    activeMilestones: await readActiveMilestones(source),
  };
  const all = { table: 'features', columns: COLUMNS, orderBy: 'name', batch: FEATURES_PER_BATCH };
  const reading =
    onlyFeatures === undefined ? all : { ...all, where: { sql: 'name = any($1)', values: [onlyFeatures] } };
  for await (const rows of readBatches(source, reading)) {
    const parts = await readParts(
      source,
      rows.map(row => textOf(row.name)),
    );
    const items: Item<FeatureState>[] = [];
    for (const row of rows) items.push(await featureOf(row, parts, references, isRejected));
    yield items;
  }
}

async function environmentsOfProjects(source: Source): Promise<Map<string, string[]>> {
  const environments = new Map<string, string[]>();
  const columns = ['project_id', 'environment_name'];
  for await (const rows of readBatches(source, {
    table: 'project_environments',
    columns,
    orderBy: 'project_id',
  }))
    for (const row of rows)
      environments.set(textOf(row.project_id), [
        ...(environments.get(textOf(row.project_id)) ?? []),
        textOf(row.environment_name),
      ]);
  for await (const rows of readBatches(source, { table: 'projects', columns: ['id'], orderBy: 'id' }))
    for (const row of rows) environments.set(textOf(row.id), environments.get(textOf(row.id)) ?? []);
  return environments;
}

/** The projects of some features, by their names. */
export async function projectsOfFeatures(source: Source, names: string[]): Promise<Map<string, string>> {
  const where = { sql: 'name = any($1)', values: [names] };
  const rows = await readRows(source, {
    table: 'features',
    columns: ['name', 'project'],
    orderBy: 'name',
    where,
  });
  return new Map(rows.map(row => [textOf(row.name), textOf(row.project) || 'default']));
}

/** Strategies of a milestone apply only while it is the active milestone of its release plan. */
async function readActiveMilestones(source: Source): Promise<Set<string>> {
  const reading = {
    table: 'release_plan_definitions',
    columns: ['active_milestone_id'],
    orderBy: 'active_milestone_id',
  };
  const rows = await readRows(source, reading);
  return new Set(rows.map(row => textOf(row.active_milestone_id)));
}

type Parts = {
  environments: Map<string, SourceRow[]>;
  strategies: Map<string, SourceRow[]>;
  segmentsOf: Map<string, number[]>;
  tags: Map<string, SourceRow[]>;
  links: Map<string, SourceRow[]>;
  stages: Map<string, SourceRow[]>;
};

async function readParts(source: Source, names: string[]): Promise<Parts> {
  const where = { sql: 'feature_name = any($1)', values: [names] };
  const read = async (table: string, columns: string[], orderBy: string) =>
    Map.groupBy(await readRows(source, { table, columns, orderBy, where }), row => textOf(row.feature_name));
  const strategies = await read('feature_strategies', STRATEGY_COLUMNS, 'sort_order, created_at, id');
  const ids = [...strategies.values()].flat().map(row => textOf(row.id));
  const segments = await readRows(source, {
    table: 'feature_strategy_segment',
    columns: ['feature_strategy_id', 'segment_id'],
    orderBy: 'feature_strategy_id',
    where: { sql: 'feature_strategy_id = any($1)', values: [ids] },
  });
  const segmentsOf = new Map<string, number[]>();
  for (const row of segments) {
    const id = textOf(row.feature_strategy_id);
    segmentsOf.set(id, [...(segmentsOf.get(id) ?? []), Number(row.segment_id)]);
  }
  return {
    environments: await read(
      'feature_environments',
      ['feature_name', 'environment', 'enabled', 'variants'],
      'environment',
    ),
    strategies,
    segmentsOf,
    tags: await read('feature_tag', ['feature_name', 'tag_type', 'tag_value'], 'tag_type, tag_value'),
    stages: Map.groupBy(
      await readRows(source, {
        table: 'feature_lifecycles',
        columns: ['feature', 'stage', 'created_at', 'status', 'status_value'],
        orderBy: 'created_at',
        where: { sql: 'feature = any($1)', values: [names] },
      }),
      row => textOf(row.feature),
    ),
    links: await read('feature_link', ['id', 'feature_name', 'url', 'title'], 'id'),
  };
}

async function featureOf(
  row: SourceRow,
  parts: Parts,
  { rules, segments, environmentsOf, activeMilestones }: References,
  isRejected: Context['rejected'],
): Promise<Item<FeatureState>> {
  const name = textOf(row.name);
  const project = textOf(row.project) || 'default';
  const problems: Problem[] = [];
  const leftBehind: string[] = [];
  if (row.unreadable != null) problems.push(rejected(textOf(row.unreadable)));
  problems.push(...nameProblems(name));
  const ofProject = environmentsOf.get(project);
  if (ofProject === undefined || isRejected('projects', project))
    problems.push(rejected(`its project "${project}" does not exist`));

  const stored = new Map((parts.environments.get(name) ?? []).map(one => [textOf(one.environment), one]));
  const allStrategies = parts.strategies.get(name) ?? [];
  const environments: EnvironmentState[] = [];
  for (const environment of [...new Set(ofProject ?? [])].toSorted()) {
    const here = stored.get(environment);
    // In versions before variants belonged to environments, they belonged to the feature.
    const { variants, problems: ofVariants } = featureVariantsOf(here?.variants ?? row.variants);
    const found = allStrategies.filter(one => textOf(one.environment) === environment);
    const active = found.filter(
      one => one.milestone_id == null || activeMilestones.has(textOf(one.milestone_id)),
    );
    if (active.length < found.length)
      leftBehind.push(`${found.length - active.length} strategies of inactive milestones in ${environment}`);
    const strategies: StrategyState[] = [];
    for (const [at, one] of active.entries()) {
      const ids = parts.segmentsOf.get(textOf(one.id)) ?? [];
      const missing = ids.filter(id => isRejected('segments', segments.get(id) ?? ''));
      const made = strategyOf(
        one,
        at,
        ids.flatMap(id => segments.get(id) ?? []),
      );
      const where = `strategy ${at + 1} in ${environment}: `;
      const found = [
        ...made.problems,
        ...(await constraintProblems(made.strategy.constraints, rules)),
        ...rolloutViolations(made.strategy).map(({ message }) => acceptable(message)),
        ...missing.map(id => rejected(`its segment "${segments.get(id)}" was not imported`)),
      ];
      problems.push(...found.map(one => ({ ...one, environment, message: where + one.message })));
      strategies.push(made.strategy);
    }
    if (strategies.length > MAX_STRATEGIES)
      problems.push({
        ...acceptable(`${strategies.length} strategies in ${environment}; the maximum is ${MAX_STRATEGIES}`),
        environment,
      });
    problems.push(
      ...ofVariants.map(one => ({ ...one, environment, message: `in ${environment}: ${one.message}` })),
    );
    const enabled = here?.enabled === true;
    if (enabled && strategies.every(({ disabled }) => disabled))
      strategies.push(forEveryone(name, environment, strategies.length));
    environments.push({ environment, enabled, variants, strategies });
  }
  for (const environment of stored.keys())
    if (!(ofProject ?? []).includes(environment) && stored.get(environment)?.enabled === true)
      leftBehind.push(`its state in environment ${environment}, which its project does not have`);

  const tags = (parts.tags.get(name) ?? []).map(one => ({
    type: textOf(one.tag_type),
    value: textOf(one.tag_value),
  }));
  for (const tag of tags.filter(one => !isStorableTag(one))) leftBehind.push(`its tag ${tagKey(tag)}`);
  const links = (parts.links.get(name) ?? []).map(one => ({
    id: uuidOf(textOf(one.id)),
    url: textOf(one.url),
    title: optionalText(one.title)?.trim() || null,
  }));
  const keptLinks = links.filter(({ url }) => urlViolation(url) === undefined).slice(0, MAX_LINKS);
  for (const link of links.filter(one => !keptLinks.includes(one))) leftBehind.push(`its link ${link.url}`);
  const createdAt = timeOf(row.created_at);
  const archivedAt = timeOf(row.archived_at) ?? (row.archived === true ? createdAt : null);
  return {
    key: name,
    createdAt,
    details: { stages: stagesOf(parts.stages.get(name) ?? [], createdAt, archivedAt) },
    state: {
      name,
      project,
      type: textOf(row.type) || 'release',
      description: optionalText(row.description),
      stale: row.stale === true,
      impressionData: row.impression_data === true,
      archivedAt,
      environments,
      tags: tags.filter(isStorableTag).map(tagKey).toSorted(),
      links: keptLinks.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    },
    problems,
    leftBehind,
  };
}

const STAGES = ['initial', 'pre-live', 'live', 'completed', 'archived'];
const STATUSES = ['kept', 'discarded'];

/** Versions before 6 have no lifecycle, so a flag's lifecycle starts when it was created. */
function stagesOf(rows: SourceRow[], createdAt: string | null, archivedAt: string | null): object[] {
  const stages = rows
    .filter(row => STAGES.includes(textOf(row.stage)))
    .map(row => ({
      stage: textOf(row.stage),
      at: timeOf(row.created_at),
      status: STATUSES.includes(textOf(row.status)) ? textOf(row.status) : null,
      statusValue: optionalText(row.status_value),
    }));
  const has = (stage: string) => stages.some(one => one.stage === stage);
  const add = (stage: string, at: string | null) => ({ stage, at, status: null, statusValue: null });
  return [
    ...stages,
    ...(has('initial') ? [] : [add('initial', createdAt)]),
    ...(archivedAt === null || has('archived') ? [] : [add('archived', archivedAt)]),
  ];
}

/**
 * Unleash enables a flag without an enabled strategy for everyone. Halyard would disable it, so the flag gets the strategy that
 * means the same.
 */
const forEveryone = (feature: string, environment: string, sortOrder: number): StrategyState => ({
  id: uuidOf(`for everyone: ${feature} in ${environment}`),
  name: 'default',
  title: 'Enabled without a strategy in Unleash',
  disabled: false,
  sortOrder,
  parameters: {},
  constraints: [],
  variants: [],
  segments: [],
});
