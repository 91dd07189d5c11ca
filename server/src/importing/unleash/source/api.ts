import { SourceError } from '../../reading/source-error.ts';
import { type Api, createApi, encode, type Send } from './api-client.ts';
import { addState, emptyExport, readExports, readFullExport, sortStrategies } from './api-exports.ts';
import {
  isObject,
  type Json,
  listObjects,
  toContextRow,
  toEnvironmentRow,
  toFeatureRow,
  toFeatureTypeRow,
  toProjectRow,
  toSegmentRow,
  toSettingsRow,
  toStrategySegmentRows,
  toStrategyTypeRow,
  toTokenProjectRows,
  toTokenRow,
} from './api-rows.ts';
import type { SourceRow } from './source.ts';

// Reads what Unleash's API returns, as rows of the tables that the other parts of the import read.

type Environment = { name: string; defaultStrategy: unknown };

/** Rows by table, and descriptions of what the API does not return. */
export type ApiRows = { tables: Map<string, SourceRow[]>; notes: string[] };

const ARCHIVED_PAGE_SIZE = 100;
const MAX_ARCHIVED_FLAGS = 100_000;
const ALL = '*';
const HIDDEN_PROJECT =
  'context fields, segments and API tokens of projects or environments that the API does not list';
const SECRET_HIDDEN = 'API tokens whose secrets Unleash does not show';

export async function readApi(send: Send): Promise<ApiRows> {
  const api = createApi(send);
  const tables = new Map<string, SourceRow[]>();
  const addRows = (table: string, rows: Iterable<SourceRow>) => {
    const tableRows = tables.get(table) ?? [];
    for (const row of rows) tableRows.push(row);
    tables.set(table, tableRows);
  };
  const notes: string[] = [];

  const state = await readFullExport(api);
  const environmentsByName = new Map(
    (await api.list('environments', 'environments')).map(environment => [
      environment.name,
      toEnvironmentRow(environment),
    ]),
  );
  /** Also finds unlisted environments, because the open-source edition lists only the built-in ones, but returns others by name. */
  const environmentExists = async (name: string): Promise<boolean> => {
    if (environmentsByName.has(name)) return true;
    const response = await api.find(`environments/${encode(name)}`);
    if (isObject(response)) environmentsByName.set(name, toEnvironmentRow(response));
    return isObject(response);
  };
  addRows('strategies', (await api.list('strategies', 'strategies')).map(toStrategyTypeRow));
  addRows('tag_types', await api.list('tag-types', 'tagTypes'));
  addRows('tags', await api.list('tags', 'tags'));
  addRows('feature_types', (await api.list('feature-types', 'types')).map(toFeatureTypeRow));
  const fields = await api.list('context');
  const segments = listObjects((await api.find('segments')) ?? state, 'segments');
  const tokens = await api.list('api-tokens', 'tokens');

  const exportedTables = emptyExport();
  const { projects, archived: archivedIds } = await readProjects(api, [
    ...[...fields, ...segments].map(({ project }) => project),
    ...listObjects(state, 'projects').map(({ id }) => id),
  ]);
  for (const project of projects) {
    const { environments: listedEnvironments, settings } = await readProject(api, project);
    const environments: Environment[] = [];
    for (const environment of listedEnvironments)
      if (await environmentExists(environment.name)) environments.push(environment);
      else
        notes.push(
          `environment "${environment.name}" of project "${project.id}", which the API does not list`,
        );
    addRows('projects', [toProjectRow(project)]);
    addRows('project_settings', [settings]);
    addRows(
      'project_environments',
      environments.map(({ name, defaultStrategy }) => ({
        project_id: project.id,
        environment_name: name,
        default_strategy: defaultStrategy,
      })),
    );
    const path = `projects/${encode(project.id)}/features`;
    const features = archivedIds.has(project.id)
      ? listObjects(await api.find(path), 'features')
      : await api.list(path, 'features');
    for (const feature of features)
      exportedTables.features.set(String(feature.name), toFeatureRow({ ...feature, project: project.id }));
    if (state === undefined)
      await readExports(
        api,
        environments.map(({ name }) => name),
        features,
        exportedTables,
      );
  }
  if (state !== undefined) await addState(api, state, exportedTables);
  await sortStrategies(api, exportedTables);
  for (const feature of await readArchivedFlags(api))
    exportedTables.features.set(String(feature.name), {
      ...toFeatureRow(feature),
      unreadable: "it is archived, and Unleash's API does not return the configuration of archived flags",
    });
  addRows('features', exportedTables.features.values());
  addRows(
    'feature_strategies',
    exportedTables.strategies.map(({ segments: _, ...row }) => row),
  );
  addRows('feature_strategy_segment', exportedTables.strategies.flatMap(toStrategySegmentRows));
  addRows('feature_environments', exportedTables.environments);
  for (const table of ['feature_tag', 'feature_link', 'dependent_features'] as const)
    addRows(table, exportedTables[table].values());

  addRows('environments', environmentsByName.values());
  const visibleProjects = new Set([ALL, ...projects.map(({ id }) => id)]);
  const isListed = ({ project }: Json) => project == null || visibleProjects.has(project);
  addRows('context_fields', fields.filter(isListed).map(toContextRow));
  addRows('segments', segments.filter(isListed).map(toSegmentRow));
  const tokensWithSecret = tokens.filter(token => typeof token.secret === 'string' && token.secure !== true);
  const importableTokens = tokensWithSecret.filter(
    token =>
      toTokenProjectRows(token).every(isListed) &&
      (token.environment == null || token.environment === ALL || environmentsByName.has(token.environment)),
  );
  addRows('api_tokens', importableTokens.map(toTokenRow));
  addRows('api_token_project', importableTokens.flatMap(toTokenProjectRows));
  const hiddenCount =
    [...[...fields, ...segments].filter(item => !isListed(item)), ...tokensWithSecret].length -
    importableTokens.length;
  if (hiddenCount > 0) notes.push(`${HIDDEN_PROJECT}: ${hiddenCount}`);
  if (tokensWithSecret.length < tokens.length)
    notes.push(`${SECRET_HIDDEN}: ${tokens.length - tokensWithSecret.length}`);
  notes.push(
    'not available through the API: users, roles, groups, project roles, favorites, personal access tokens, integrations, history, usage and lifecycle',
  );
  return { tables, notes };
}

/** Also reads the named projects, because the open-source edition lists only the default project even though others can be read. */
async function readProjects(
  api: Api,
  namedIds: unknown[],
): Promise<{ projects: Json[]; archived: ReadonlySet<unknown> }> {
  const listedProjects = await api.list('projects', 'projects');
  const ids = new Set(listedProjects.map(({ id }) => id));
  // Versions without archived projects ignore the parameter and list all projects.
  const archivedProjects = listObjects(await api.find('projects?archived=true'), 'projects').filter(
    ({ id }) => !ids.has(id),
  );
  const projects = new Map([...listedProjects, ...archivedProjects].map(project => [project.id, project]));
  for (const id of new Set(namedIds.filter(namedId => typeof namedId === 'string')))
    if (!projects.has(id)) {
      const path = `projects/${encode(id)}`;
      const response = (await api.find(`${path}/overview`)) ?? (await api.find(path));
      if (isObject(response)) projects.set(id, { ...response, id });
    }
  return { projects: [...projects.values()], archived: new Set(archivedProjects.map(({ id }) => id)) };
}

async function readProject(
  api: Api,
  { id }: Json,
): Promise<{ environments: Environment[]; settings: SourceRow }> {
  const path = `projects/${encode(id)}`;
  const response = (await api.find(`${path}/overview`)) ?? (await api.find(path));
  const overview = isObject(response) ? response : {};
  const list: unknown[] = Array.isArray(overview.environments) ? overview.environments : [];
  return { environments: list.flatMap(parseEnvironment), settings: toSettingsRow(id, overview) };
}

/** Parses an environment of a project, which version 4 lists as a name. */
function parseEnvironment(item: unknown): Environment[] {
  if (typeof item === 'string') return [{ name: item, defaultStrategy: null }];
  if (!isObject(item)) return [];
  return [{ name: String(item.environment), defaultStrategy: item.defaultStrategy ?? null }];
}

async function readArchivedFlags(api: Api): Promise<Json[]> {
  const response = await api.find('archive/features');
  if (response !== undefined) return listObjects(response, 'features');
  const archivedFlags: Json[] = [];
  for (let offset = 0; offset < MAX_ARCHIVED_FLAGS; offset += ARCHIVED_PAGE_SIZE) {
    const path = `search/features?archived=IS:true&limit=${ARCHIVED_PAGE_SIZE}&offset=${offset}`;
    const page = listObjects(await api.find(path), 'features');
    archivedFlags.push(...page.filter(({ archivedAt }) => archivedAt != null));
    if (page.length < ARCHIVED_PAGE_SIZE) return archivedFlags;
  }
  throw new SourceError(`Unleash lists more than ${MAX_ARCHIVED_FLAGS.toLocaleString('en')} archived flags.`);
}
