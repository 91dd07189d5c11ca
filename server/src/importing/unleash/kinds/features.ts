import { sql } from 'kysely';
import { findRolloutViolations } from '../../../flags/feature-environments/validate-strategy.ts';
import { findUrlViolation } from '../../../flags/links/validate.ts';
import {
  optionalText,
  parseTime,
  readBatches,
  readRows,
  type Source,
  type SourceRow,
  toText,
} from '../source/source.ts';
import { findConstraintProblems, type Rules, readRules } from './constraints.ts';
import type { Context, Item, Kind, Problem } from './kind.ts';
import { readSegmentNames, type SegmentNames } from './segments.ts';
import {
  type StrategyState,
  toFeatureVariants,
  toStrategy,
  toUuid,
  type VariantState,
} from './strategies.ts';
import {
  acceptableProblem,
  findNameProblems,
  isStorableTag,
  readFeatureTypes,
  rejectedProblem,
  tagKey,
  toJsonRows,
} from './vocabulary.ts';

export type EnvironmentState = {
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
  /** Tags as `type:value`, in order. */
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
  // Only the API source has this column, for features that the API lists without their content.
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
  selectedKeys: ({ onlyFeatures }) => onlyFeatures,
  rowsToLock: keys => sql`features where name = any(${keys}) order by name`,
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
    const features = toJsonRows(items);
    const names = items.map(({ key }) => key);
    const featureEnvironments = items.flatMap(({ state: { name, environments } }) =>
      environments.map(environment => ({ ...environment, featureName: name })),
    );
    const strategies = featureEnvironments.flatMap(({ featureName, environment, strategies: list }) =>
      list.map(strategy => ({ ...strategy, featureName, environment })),
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
        from jsonb_to_recordset(${JSON.stringify(featureEnvironments)}::jsonb) as given ("featureName" text, environment text)
      )`.execute(tx);
    await sql`
      insert into feature_environments (feature_name, environment, enabled, variants)
      select "featureName", environment, enabled, variants
      from jsonb_to_recordset(${JSON.stringify(featureEnvironments)}::jsonb) as given (
        "featureName" text, environment text, enabled boolean, variants jsonb)
      order by 1, 2
      on conflict (feature_name, environment) do update set enabled = excluded.enabled, variants = excluded.variants
      where (feature_environments.enabled, feature_environments.variants)
        is distinct from (excluded.enabled, excluded.variants)`.execute(tx);
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
  event: (state, stateBefore) => ({
    type: 'feature-import',
    project: state.project,
    featureName: state.name,
    data: state,
    preData: stateBefore ?? null,
  }),
  remove: {
    async write(tx, keys) {
      await sql`
        delete from feature_dependencies where parent = any(${keys}) or child = any(${keys})`.execute(tx);
      await sql`delete from features where name = any(${keys})`.execute(tx);
    },
    event: stateBefore => ({
      type: 'feature-deleted',
      project: stateBefore.project,
      featureName: stateBefore.name,
      preData: stateBefore,
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

/** What the features in a batch refer to. All of it is small enough to keep in memory. */
type References = {
  rules: Rules;
  types: ReadonlySet<string>;
  segments: SegmentNames;
  environmentsByProject: ReadonlyMap<string, string[]>;
  activeMilestones: ReadonlySet<string>;
};

async function* readFeatures(context: Context): AsyncGenerator<Item<FeatureState>[]> {
  const { source, isRejected, onlyFeatures } = context;
  const references: References = {
    rules: await readRules(source),
    types: await readFeatureTypes(context),
    segments: await readSegmentNames(source),
    environmentsByProject: await readEnvironmentsByProject(source),
    activeMilestones: await readActiveMilestones(source),
  };
  const allFeatures = { table: 'features', columns: COLUMNS, orderBy: 'name', batchSize: FEATURES_PER_BATCH };
  const tableRead =
    onlyFeatures === undefined
      ? allFeatures
      : { ...allFeatures, where: { sql: 'name = any($1)', values: [onlyFeatures] } };
  for await (const rows of readBatches(source, tableRead)) {
    const parts = await readParts(
      source,
      rows.map(row => toText(row.name)),
    );
    const items: Item<FeatureState>[] = [];
    for (const row of rows) items.push(await toFeatureItem(row, parts, references, isRejected));
    yield items;
  }
}

async function readEnvironmentsByProject(source: Source): Promise<Map<string, string[]>> {
  const environments = new Map<string, string[]>();
  const columns = ['project_id', 'environment_name'];
  for await (const rows of readBatches(source, {
    table: 'project_environments',
    columns,
    orderBy: 'project_id',
  }))
    for (const row of rows)
      environments.set(toText(row.project_id), [
        ...(environments.get(toText(row.project_id)) ?? []),
        toText(row.environment_name),
      ]);
  for await (const rows of readBatches(source, { table: 'projects', columns: ['id'], orderBy: 'id' }))
    for (const row of rows) environments.set(toText(row.id), environments.get(toText(row.id)) ?? []);
  return environments;
}

/** Returns the project of each named feature. */
export async function readProjectsByFeature(source: Source, names: string[]): Promise<Map<string, string>> {
  const where = { sql: 'name = any($1)', values: [names] };
  const rows = await readRows(source, {
    table: 'features',
    columns: ['name', 'project'],
    orderBy: 'name',
    where,
  });
  return new Map(rows.map(row => [toText(row.name), toText(row.project) || 'default']));
}

/**
 * Reads the active milestones, because a milestone's strategies apply only while it is the active one in its release plan.
 */
async function readActiveMilestones(source: Source): Promise<Set<string>> {
  const tableRead = {
    table: 'release_plan_definitions',
    columns: ['active_milestone_id'],
    orderBy: 'active_milestone_id',
  };
  const rows = await readRows(source, tableRead);
  return new Set(rows.map(row => toText(row.active_milestone_id)));
}

type Parts = {
  environments: Map<string, SourceRow[]>;
  strategies: Map<string, SourceRow[]>;
  segmentsByStrategy: Map<string, number[]>;
  tags: Map<string, SourceRow[]>;
  links: Map<string, SourceRow[]>;
  stages: Map<string, SourceRow[]>;
};

async function readParts(source: Source, names: string[]): Promise<Parts> {
  const where = { sql: 'feature_name = any($1)', values: [names] };
  const read = async (table: string, columns: string[], orderBy: string) =>
    Map.groupBy(await readRows(source, { table, columns, orderBy, where }), row => toText(row.feature_name));
  const strategies = await read('feature_strategies', STRATEGY_COLUMNS, 'sort_order, created_at, id');
  const ids = [...strategies.values()].flat().map(row => toText(row.id));
  const segments = await readRows(source, {
    table: 'feature_strategy_segment',
    columns: ['feature_strategy_id', 'segment_id'],
    orderBy: 'feature_strategy_id',
    where: { sql: 'feature_strategy_id = any($1)', values: [ids] },
  });
  const segmentsByStrategy = new Map<string, number[]>();
  for (const row of segments) {
    const id = toText(row.feature_strategy_id);
    segmentsByStrategy.set(id, [...(segmentsByStrategy.get(id) ?? []), Number(row.segment_id)]);
  }
  return {
    environments: await read(
      'feature_environments',
      ['feature_name', 'environment', 'enabled', 'variants'],
      'environment',
    ),
    strategies,
    segmentsByStrategy,
    tags: await read('feature_tag', ['feature_name', 'tag_type', 'tag_value'], 'tag_type, tag_value'),
    stages: Map.groupBy(
      await readRows(source, {
        table: 'feature_lifecycles',
        columns: ['feature', 'stage', 'created_at', 'status', 'status_value'],
        orderBy: 'created_at',
        where: { sql: 'feature = any($1)', values: [names] },
      }),
      row => toText(row.feature),
    ),
    links: await read('feature_link', ['id', 'feature_name', 'url', 'title'], 'id'),
  };
}

async function toFeatureItem(
  row: SourceRow,
  parts: Parts,
  { rules, types, segments, environmentsByProject, activeMilestones }: References,
  isRejected: Context['isRejected'],
): Promise<Item<FeatureState>> {
  const name = toText(row.name);
  const project = toText(row.project) || 'default';
  const problems: Problem[] = [];
  const omitted: string[] = [];
  if (row.unreadable != null) problems.push(rejectedProblem(toText(row.unreadable)));
  problems.push(...findNameProblems(name));
  const projectEnvironments = environmentsByProject.get(project);
  if (projectEnvironments === undefined || isRejected('projects', project))
    problems.push(rejectedProblem(`its project "${project}" does not exist`));
  const type = toText(row.type) || 'release';
  if (!types.has(type))
    problems.push(
      rejectedProblem(
        `its type "${type}" does not exist; give it a different type in Unleash, such as "release"`,
      ),
    );

  const storedEnvironments = new Map(
    (parts.environments.get(name) ?? []).map(environmentRow => [
      toText(environmentRow.environment),
      environmentRow,
    ]),
  );
  const allStrategies = parts.strategies.get(name) ?? [];
  const environments: EnvironmentState[] = [];
  for (const environment of [...new Set(projectEnvironments ?? [])].toSorted()) {
    const storedEnvironment = storedEnvironments.get(environment);
    // In old versions, variants belong to the feature instead of its environments.
    const { variants, problems: variantProblems } = toFeatureVariants(
      storedEnvironment?.variants ?? row.variants,
    );
    const strategyRows = allStrategies.filter(strategy => toText(strategy.environment) === environment);
    const activeRows = strategyRows.filter(
      strategy => strategy.milestone_id == null || activeMilestones.has(toText(strategy.milestone_id)),
    );
    if (activeRows.length < strategyRows.length)
      omitted.push(
        `strategies of inactive milestones in ${environment}: ${strategyRows.length - activeRows.length}`,
      );
    const strategies: StrategyState[] = [];
    for (const [index, strategyRow] of activeRows.entries()) {
      const ids = parts.segmentsByStrategy.get(toText(strategyRow.id)) ?? [];
      const missingIds = ids.filter(id => isRejected('segments', segments.get(id) ?? ''));
      const { strategy, problems: conversionProblems } = toStrategy(
        strategyRow,
        index,
        ids.flatMap(id => segments.get(id) ?? []),
      );
      const prefix = `strategy ${index + 1} in ${environment}: `;
      const strategyProblems = [
        ...conversionProblems,
        ...(await findConstraintProblems(strategy.constraints, rules)),
        ...findRolloutViolations(strategy).map(({ message }) => acceptableProblem(message)),
        ...missingIds.map(id => rejectedProblem(`its segment "${segments.get(id)}" was not imported`)),
      ];
      problems.push(
        ...strategyProblems.map(problem => ({ ...problem, environment, message: prefix + problem.message })),
      );
      strategies.push(strategy);
    }
    if (strategies.length > MAX_STRATEGIES)
      problems.push({
        ...acceptableProblem(
          `${strategies.length} strategies in ${environment}; the maximum is ${MAX_STRATEGIES}`,
        ),
        environment,
      });
    problems.push(
      ...variantProblems.map(problem => ({
        ...problem,
        environment,
        message: `in ${environment}: ${problem.message}`,
      })),
    );
    const enabled = storedEnvironment?.enabled === true;
    if (enabled && strategies.every(({ disabled }) => disabled))
      strategies.push(strategyForEveryone(name, environment, strategies.length));
    environments.push({ environment, enabled, variants, strategies });
  }
  for (const environment of storedEnvironments.keys())
    if (
      !(projectEnvironments ?? []).includes(environment) &&
      storedEnvironments.get(environment)?.enabled === true
    )
      omitted.push(`its state in environment "${environment}", which its project does not have`);

  const tags = (parts.tags.get(name) ?? []).map(tagRow => ({
    type: toText(tagRow.tag_type),
    value: toText(tagRow.tag_value),
  }));
  for (const tag of tags.filter(candidate => !isStorableTag(candidate)))
    omitted.push(`its tag ${tagKey(tag)}`);
  const links = (parts.links.get(name) ?? []).map(linkRow => ({
    id: toUuid(toText(linkRow.id)),
    url: toText(linkRow.url),
    title: optionalText(linkRow.title)?.trim() || null,
  }));
  const keptLinks = links.filter(({ url }) => findUrlViolation(url) === undefined).slice(0, MAX_LINKS);
  for (const link of links.filter(candidate => !keptLinks.includes(candidate)))
    omitted.push(`its link ${link.url}`);
  const createdAt = parseTime(row.created_at);
  const archivedAt = parseTime(row.archived_at) ?? (row.archived === true ? createdAt : null);
  return {
    key: name,
    createdAt,
    details: { stages: toStages(parts.stages.get(name) ?? [], createdAt, archivedAt) },
    state: {
      name,
      project,
      type,
      description: optionalText(row.description),
      stale: row.stale === true,
      impressionData: row.impression_data === true,
      archivedAt,
      environments,
      tags: tags.filter(isStorableTag).map(tagKey).toSorted(),
      links: keptLinks.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    },
    problems,
    omitted,
  };
}

const STAGES = ['initial', 'pre-live', 'live', 'completed', 'archived'];
const STATUSES = ['kept', 'discarded'];

/** Returns a flag's lifecycle stages. Versions before 6 have none, so the lifecycle starts when the flag was created. */
function toStages(rows: SourceRow[], createdAt: string | null, archivedAt: string | null): object[] {
  const stages = rows
    .filter(row => STAGES.includes(toText(row.stage)))
    .map(row => ({
      stage: toText(row.stage),
      at: parseTime(row.created_at),
      status: STATUSES.includes(toText(row.status)) ? toText(row.status) : null,
      statusValue: optionalText(row.status_value),
    }));
  const hasStage = (stage: string) => stages.some(entry => entry.stage === stage);
  const newStage = (stage: string, enteredAt: string | null) => ({
    stage,
    at: enteredAt,
    status: null,
    statusValue: null,
  });
  return [
    ...stages,
    ...(hasStage('initial') ? [] : [newStage('initial', createdAt)]),
    ...(archivedAt === null || hasStage('archived') ? [] : [newStage('archived', archivedAt)]),
  ];
}

/**
 * Returns a strategy for a flag that has none. Unleash enables a flag without an enabled strategy for everyone, whereas Halyard
 * would disable it.
 */
const strategyForEveryone = (feature: string, environment: string, sortOrder: number): StrategyState => ({
  id: toUuid(`for everyone: ${feature} in ${environment}`),
  name: 'default',
  title: 'Enabled without a strategy in Unleash',
  disabled: false,
  sortOrder,
  parameters: {},
  constraints: [],
  variants: [],
  segments: [],
});
