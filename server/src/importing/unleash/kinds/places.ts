import { sql } from 'kysely';
import { compilePattern } from '../../../../../plane/src/platform/pattern.ts';
import {
  objectOf,
  optionalText,
  readBatches,
  readRows,
  type SourceRow,
  textOf,
  timeOf,
} from '../source/source.ts';
import type { Kind } from './kind.ts';
import { type SegmentNames, segmentNames } from './segments.ts';
import { type StrategyState, strategyOf } from './strategies.ts';
import { nameProblems, rejected, rowsOf } from './vocabulary.ts';

// Environments, projects with their settings, and the default strategies of their environments.

type Environment = { name: string; type: string; sortOrder: number; enabled: boolean; protected: boolean };

export const ENVIRONMENTS: Kind<Environment> = {
  name: 'environments',
  isSeeded: key => key === 'development' || key === 'production',
  async *read({ source }) {
    const columns = ['name', 'type', 'sort_order', 'enabled', 'protected', 'created_at'];
    for await (const rows of readBatches(source, { table: 'environments', columns, orderBy: 'name' }))
      yield rows.map(row => ({
        key: textOf(row.name),
        createdAt: timeOf(row.created_at),
        problems: nameProblems(textOf(row.name)),
        state: {
          name: textOf(row.name),
          type: textOf(row.type),
          sortOrder: Number(row.sort_order ?? 9_999),
          enabled: row.enabled !== false,
          protected: row.protected === true,
        },
      }));
  },
  rows: keys => sql`environments where name = any(${keys}) order by name`,
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
      from jsonb_to_recordset(${rowsOf(items)}::jsonb) as given (
        name text, type text, "sortOrder" integer, enabled boolean, protected boolean, "createdAt" timestamptz)
      order by name
      on conflict (name) do update set type = excluded.type, sort_order = excluded.sort_order,
        enabled = excluded.enabled, protected = excluded.protected`.execute(tx);
  },
  event: (after, before) => ({
    type: 'environment-import',
    environment: after.name,
    data: after,
    preData: before ?? null,
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
      const ids = rows.map(row => textOf(row.id));
      const settings = await readRows(source, {
        table: 'project_settings',
        columns: SETTINGS,
        orderBy: 'project',
        where: { sql: 'project = any($1)', values: [ids] },
      });
      const places = await readRows(source, {
        table: 'project_environments',
        columns: ['project_id', 'environment_name'],
        orderBy: 'environment_name',
        where: { sql: 'project_id = any($1)', values: [ids] },
      });
      const settingsOf = new Map(settings.map(row => [textOf(row.project), row]));
      const placesOf = Map.groupBy(places, row => textOf(row.project_id));
      yield rows.map(row => {
        const id = textOf(row.id);
        const set: SourceRow = settingsOf.get(id) ?? {};
        const mode = textOf(set.project_mode);
        // Unleash uses JavaScript's syntax. No name matches a pattern that Halyard cannot compile.
        const pattern = textOf(set.feature_naming_pattern);
        const isUsable = pattern === '' || compilePattern(pattern) !== undefined;
        return {
          key: id,
          createdAt: timeOf(row.created_at),
          state: {
            id,
            name: textOf(row.name) || id,
            description: textOf(row.description),
            mode: MODES.includes(mode) ? mode : 'open',
            defaultStickiness: textOf(set.default_stickiness) || 'default',
            featureLimit: set.feature_limit == null ? null : Number(set.feature_limit),
            namingPattern: isUsable ? pattern || null : null,
            namingExample: isUsable ? textOf(set.feature_naming_example) || null : null,
            namingDescription: isUsable ? textOf(set.feature_naming_description) || null : null,
            archivedAt: timeOf(row.archived_at),
            environments: (placesOf.get(id) ?? []).map(one => textOf(one.environment_name)).toSorted(),
          },
          problems: id === '*' ? [rejected('the id * means all projects')] : nameProblems(id),
          leftBehind: [
            ...(Array.isArray(set.link_templates) && set.link_templates.length > 0
              ? ['its link templates']
              : []),
            ...(isUsable ? [] : [`its naming pattern "${pattern}", which is not valid in RE2 syntax`]),
          ],
        };
      });
    }
  },
  rows: keys => sql`projects where id = any(${keys}) order by id`,
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
    const rows = rowsOf(items);
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
  event: (after, before) => ({
    type: 'project-import',
    project: after.id,
    data: after,
    preData: before ?? null,
  }),
};

/** Without the id and the position, which a default strategy does not have. */
type DefaultStrategyState = {
  project: string;
  environment: string;
  strategy: Omit<StrategyState, 'id' | 'sortOrder'>;
};

export const DEFAULT_STRATEGIES: Kind<DefaultStrategyState> = {
  name: 'default strategies',
  async *read({ source }) {
    const names: SegmentNames = await segmentNames(source);
    const columns = ['project_id', 'environment_name', 'default_strategy'];
    const reading = { table: 'project_environments', columns, orderBy: 'project_id, environment_name' };
    for await (const rows of readBatches(source, reading))
      yield rows.flatMap(row => {
        const stored = objectOf(row.default_strategy);
        if (typeof stored.name !== 'string') return [];
        const [project, environment] = [textOf(row.project_id), textOf(row.environment_name)];
        const ids = Array.isArray(stored.segments) ? stored.segments : [];
        const given = { ...stored, strategy_name: stored.name };
        const { strategy } = strategyOf(given, 0, ids.map(id => names.get(Number(id)) ?? '').filter(Boolean));
        const { id: _, sortOrder: __, ...rest } = strategy;
        return [{ key: `${project}/${environment}`, state: { project, environment, strategy: rest } }];
      });
  },
  rows: keys => sql`
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
  event: (after, before) => ({
    type: 'default-strategy-updated',
    project: after.project,
    environment: after.environment,
    data: after.strategy,
    preData: before?.strategy ?? null,
  }),
};
