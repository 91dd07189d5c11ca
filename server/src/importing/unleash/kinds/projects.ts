import { compilePattern } from '@halyard/plane/platform/pattern.ts';
import { sql } from 'kysely';
import {
  optionalText,
  parseObject,
  parseTime,
  readBatches,
  readRows,
  type SourceRow,
  toText,
} from '../source/source.ts';
import type { Kind } from './kind.ts';
import { readSegmentNames, type SegmentNames } from './segments.ts';
import { type StrategyState, toStrategy } from './strategies.ts';
import { findNameProblems, rejectedProblem, toJsonRows } from './vocabulary.ts';

// Imports environments, projects with their settings, and the default strategies of their environments.

type Environment = { name: string; type: string; sortOrder: number; enabled: boolean; protected: boolean };

export const ENVIRONMENTS: Kind<Environment> = {
  name: 'environments',
  isSeeded: key => key === 'development' || key === 'production',
  async *read({ source }) {
    const columns = ['name', 'type', 'sort_order', 'enabled', 'protected', 'created_at'];
    for await (const rows of readBatches(source, { table: 'environments', columns, orderBy: 'name' }))
      yield rows.map(row => ({
        key: toText(row.name),
        createdAt: parseTime(row.created_at),
        problems: findNameProblems(toText(row.name)),
        state: {
          name: toText(row.name),
          type: toText(row.type),
          sortOrder: Number(row.sort_order ?? 9_999),
          enabled: row.enabled !== false,
          protected: row.protected === true,
        },
      }));
  },
  rowsToLock: keys => sql`environments where name = any(${keys}) order by name`,
  async find(db, keys) {
    const { rows } = await sql<Environment>`
      select name, type, sort_order as "sortOrder", enabled, protected from environments
      where name = any(${keys}) order by name`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  async write(tx, items) {
    await sql`
      insert into environments (name, type, sort_order, enabled, protected, created_at)
      select name, type, "sortOrder", enabled, protected, coalesce("createdAt", now())
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (
        name text, type text, "sortOrder" integer, enabled boolean, protected boolean, "createdAt" timestamptz)
      order by name
      on conflict (name) do update set type = excluded.type, sort_order = excluded.sort_order,
        enabled = excluded.enabled, protected = excluded.protected`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: 'environment-import',
    environment: state.name,
    data: state,
    preData: stateBefore ?? null,
  }),
};

type Project = {
  id: string;
  name: string;
  description: string;
  mode: string;
  defaultStickiness: string;
  featureLimit: number | null;
  namingPattern: string | null;
  namingExample: string | null;
  namingDescription: string | null;
  archivedAt: string | null;
  environments: string[];
};

const SETTINGS = [
  'project',
  'default_stickiness',
  'project_mode',
  'feature_limit',
  'feature_naming_pattern',
  'feature_naming_example',
  'feature_naming_description',
  'link_templates',
];
const MODES = ['open', 'protected', 'private'];

export const PROJECTS: Kind<Project> = {
  name: 'projects',
  isSeeded: key => key === 'default',
  async *read({ source }) {
    const columns = ['id', 'name', 'description', 'created_at', 'archived_at'];
    for await (const rows of readBatches(source, { table: 'projects', columns, orderBy: 'id' })) {
      const ids = rows.map(row => toText(row.id));
      const settings = await readRows(source, {
        table: 'project_settings',
        columns: SETTINGS,
        orderBy: 'project',
        where: { sql: 'project = any($1)', values: [ids] },
      });
      const environmentRows = await readRows(source, {
        table: 'project_environments',
        columns: ['project_id', 'environment_name'],
        orderBy: 'environment_name',
        where: { sql: 'project_id = any($1)', values: [ids] },
      });
      const settingsByProject = new Map(settings.map(row => [toText(row.project), row]));
      const environmentsByProject = Map.groupBy(environmentRows, row => toText(row.project_id));
      yield rows.map(row => {
        const id = toText(row.id);
        const projectSettings: SourceRow = settingsByProject.get(id) ?? {};
        const mode = toText(projectSettings.project_mode);
        // Unleash uses JavaScript syntax. A pattern that Halyard cannot compile would match no name, so it is not imported.
        const pattern = toText(projectSettings.feature_naming_pattern);
        const isUsable = pattern === '' || compilePattern(pattern) !== undefined;
        return {
          key: id,
          createdAt: parseTime(row.created_at),
          state: {
            id,
            name: toText(row.name) || id,
            description: toText(row.description),
            mode: MODES.includes(mode) ? mode : 'open',
            defaultStickiness: toText(projectSettings.default_stickiness) || 'default',
            featureLimit:
              projectSettings.feature_limit == null ? null : Number(projectSettings.feature_limit),
            namingPattern: isUsable ? pattern || null : null,
            namingExample: isUsable ? toText(projectSettings.feature_naming_example) || null : null,
            namingDescription: isUsable ? toText(projectSettings.feature_naming_description) || null : null,
            archivedAt: parseTime(row.archived_at),
            environments: (environmentsByProject.get(id) ?? [])
              .map(projectEnvironment => toText(projectEnvironment.environment_name))
              .toSorted(),
          },
          problems: id === '*' ? [rejectedProblem('the id "*" means all projects')] : findNameProblems(id),
          omitted: [
            ...(Array.isArray(projectSettings.link_templates) && projectSettings.link_templates.length > 0
              ? ['its link templates']
              : []),
            ...(isUsable ? [] : [`its naming pattern "${pattern}", which is not valid in RE2 syntax`]),
          ],
        };
      });
    }
  },
  rowsToLock: keys => sql`projects where id = any(${keys}) order by id`,
  async find(db, keys) {
    const { rows } = await sql<Project>`
      select id, name, description, mode, default_stickiness as "defaultStickiness", feature_limit as "featureLimit",
        naming_pattern as "namingPattern", naming_example as "namingExample",
        naming_description as "namingDescription", archived_at as "archivedAt",
        array(select environment_name from project_environments where project_id = projects.id
          order by environment_name collate "C") as environments
      from projects where id = any(${keys}) order by id`.execute(db);
    return new Map(rows.map(row => [row.id, row]));
  },
  async write(tx, items) {
    const rows = toJsonRows(items);
    await sql`
      insert into projects (id, name, description, mode, default_stickiness, feature_limit, naming_pattern,
        naming_example, naming_description, archived_at, created_at, private_since)
      select id, name, description, mode, "defaultStickiness", "featureLimit", "namingPattern", "namingExample",
        "namingDescription", "archivedAt", coalesce("createdAt", now()), case when mode = 'private' then now() end
      from jsonb_to_recordset(${rows}::jsonb) as given (
        id text, name text, description text, mode text, "defaultStickiness" text, "featureLimit" integer,
        "namingPattern" text, "namingExample" text, "namingDescription" text, "archivedAt" timestamptz,
        "createdAt" timestamptz)
      order by id
      on conflict (id) do update set name = excluded.name, description = excluded.description, mode = excluded.mode,
        default_stickiness = excluded.default_stickiness, feature_limit = excluded.feature_limit,
        naming_pattern = excluded.naming_pattern, naming_example = excluded.naming_example,
        naming_description = excluded.naming_description, archived_at = excluded.archived_at, updated_at = now(),
        private_since = case when projects.mode = 'private' then projects.private_since else excluded.private_since end`.execute(
      tx,
    );
    await sql`
      delete from project_environments using jsonb_to_recordset(${rows}::jsonb) as given (id text, environments text[])
      where project_id = given.id and environment_name <> all(given.environments)`.execute(tx);
    await sql`
      insert into project_environments (project_id, environment_name)
      select id, unnest(environments) from jsonb_to_recordset(${rows}::jsonb) as given (id text, environments text[])
      on conflict do nothing`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: 'project-import',
    project: state.id,
    data: state,
    preData: stateBefore ?? null,
  }),
};

/** Omits the id and the position, which a default strategy does not have. */
type DefaultStrategyState = {
  project: string;
  environment: string;
  strategy: Omit<StrategyState, 'id' | 'sortOrder'>;
};

export const DEFAULT_STRATEGIES: Kind<DefaultStrategyState> = {
  name: 'default strategies',
  async *read({ source }) {
    const names: SegmentNames = await readSegmentNames(source);
    const columns = ['project_id', 'environment_name', 'default_strategy'];
    const tableRead = { table: 'project_environments', columns, orderBy: 'project_id, environment_name' };
    for await (const rows of readBatches(source, tableRead))
      yield rows.flatMap(row => {
        const storedStrategy = parseObject(row.default_strategy);
        if (typeof storedStrategy.name !== 'string') return [];
        const [project, environment] = [toText(row.project_id), toText(row.environment_name)];
        const ids = Array.isArray(storedStrategy.segments) ? storedStrategy.segments : [];
        const strategyRow = { ...storedStrategy, strategy_name: storedStrategy.name };
        const { strategy } = toStrategy(
          strategyRow,
          0,
          ids.map(id => names.get(Number(id)) ?? '').filter(Boolean),
        );
        const { id: _, sortOrder: __, ...content } = strategy;
        return [{ key: `${project}/${environment}`, state: { project, environment, strategy: content } }];
      });
  },
  rowsToLock: keys => sql`
    project_environments where project_id || '/' || environment_name = any(${keys}) order by project_id, environment_name`,
  async find(db, keys) {
    const { rows } = await sql<DefaultStrategyState & { strategy: { segments: string[] } }>`
      select project_id as project, environment_name as environment, default_strategy || jsonb_build_object(
        'title', default_strategy -> 'title',
        'segments', array(select name from segments
          where id = any(array(select jsonb_array_elements_text(default_strategy -> 'segments')::integer))
          order by name collate "C")) as strategy
      from project_environments
      where project_id || '/' || environment_name = any(${keys}) and default_strategy is not null
      order by project_id, environment_name`.execute(db);
    return new Map(
      rows.map(row => [
        `${row.project}/${row.environment}`,
        { ...row, strategy: { ...row.strategy, title: optionalText(row.strategy.title) } },
      ]),
    );
  },
  async write(tx, items) {
    const rows = items.map(({ state: { project, environment, strategy } }) => ({
      project,
      environment,
      strategy,
      segments: strategy.segments,
    }));
    await sql`
      update project_environments set default_strategy = jsonb_strip_nulls(given.strategy) || jsonb_build_object(
        'segments', array(select id from segments where name = any(given.segments) order by id))
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
        project text, environment text, strategy jsonb, segments text[])
      where project_id = given.project and environment_name = given.environment`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: 'default-strategy-updated',
    project: state.project,
    environment: state.environment,
    data: state.strategy,
    preData: stateBefore?.strategy ?? null,
  }),
};
