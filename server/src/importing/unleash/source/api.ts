import { SourceError } from '../../reading/source-error.ts';
import { type Api, apiOf, encode, type Send } from './api-client.ts';
import { emptyExport, orderStrategies, readExports, readState, takeState } from './api-exports.ts';
import {
  contextRow,
  environmentRow,
  featureRow,
  featureTypeRow,
  isObject,
  type Json,
  objects,
  projectRow,
  segmentRow,
  segmentsOf,
  settingsRow,
  strategyTypeRow,
  tokenProjects,
  tokenRow,
} from './api-rows.ts';
import type { SourceRow } from './source.ts';

// What Unleash's API shows, as rows of the tables that the other parts of the import read.

type Environment = { name: string; defaultStrategy: unknown };

/** Rows by table, and a description of what the API does not show. */
export type ApiRows = { tables: Map<string, SourceRow[]>; notes: string[] };

const ARCHIVED_PER_PAGE = 100;
const MAX_ARCHIVED = 100_000;
const ALL = '*';
const HIDDEN_PROJECT =
  'context fields, segments and API tokens of projects or environments that the API does not list';
const SECRET_HIDDEN = 'API tokens whose secrets Unleash does not show';

export async function readApi(send: Send): Promise<ApiRows> {
  const api = apiOf(send);
  const tables = new Map<string, SourceRow[]>();
  const add = (table: string, rows: Iterable<SourceRow>) => {
    const all = tables.get(table) ?? [];
    for (const row of rows) all.push(row);
    tables.set(table, all);
  };
  const notes: string[] = [];

  const state = await readState(api);
  const places = new Map(
    (await api.list('environments', 'environments')).map(one => [one.name, environmentRow(one)]),
  );
  /** The open-source edition lists only the built-in ones, although others can be read. */
  const isPlace = async (name: string): Promise<boolean> => {
    if (places.has(name)) return true;
    const found = await api.find(`environments/${encode(name)}`);
    if (isObject(found)) places.set(name, environmentRow(found));
    return isObject(found);
  };
  add('strategies', (await api.list('strategies', 'strategies')).map(strategyTypeRow));
  add('tag_types', await api.list('tag-types', 'tagTypes'));
  add('tags', await api.list('tags', 'tags'));
  add('feature_types', (await api.list('feature-types', 'types')).map(featureTypeRow));
  const fields = await api.list('context');
  const segments = objects((await api.find('segments')) ?? state, 'segments');
  const tokens = await api.list('api-tokens', 'tokens');

  const exported = emptyExport();
  const { projects, archived } = await readProjects(api, [
    ...[...fields, ...segments].map(({ project }) => project),
    ...objects(state, 'projects').map(({ id }) => id),
  ]);
  for (const project of projects) {
    const { environments: named, settings } = await readProject(api, project);
    const environments: Environment[] = [];
    for (const one of named)
      if (await isPlace(one.name)) environments.push(one);
      else notes.push(`environment "${one.name}" of project "${project.id}", which the API does not list`);
    add('projects', [projectRow(project)]);
    add('project_settings', [settings]);
    add(
      'project_environments',
      environments.map(({ name, defaultStrategy }) => ({
        project_id: project.id,
        environment_name: name,
        default_strategy: defaultStrategy,
      })),
    );
    const path = `projects/${encode(project.id)}/features`;
    const features = archived.has(project.id)
      ? objects(await api.find(path), 'features')
      : await api.list(path, 'features');
    for (const feature of features)
      exported.features.set(String(feature.name), featureRow({ ...feature, project: project.id }));
    if (state === undefined)
      await readExports(
        api,
        environments.map(({ name }) => name),
        features,
        exported,
      );
  }
  if (state !== undefined) await takeState(api, state, exported);
  await orderStrategies(api, exported);
  for (const feature of await readArchived(api))
    exported.features.set(String(feature.name), {
      ...featureRow(feature),
      unreadable: 'it is archived, and the API of Unleash does not show what archived flags do',
    });
  add('features', exported.features.values());
  add(
    'feature_strategies',
    exported.strategies.map(({ segments: _, ...row }) => row),
  );
  add('feature_strategy_segment', exported.strategies.flatMap(segmentsOf));
  add('feature_environments', exported.environments);
  for (const table of ['feature_tag', 'feature_link', 'dependent_features'] as const)
    add(table, exported[table].values());

  add('environments', places.values());
  const listed = new Set([ALL, ...projects.map(({ id }) => id)]);
  const isListed = ({ project }: Json) => project == null || listed.has(project);
  add('context_fields', fields.filter(isListed).map(contextRow));
  add('segments', segments.filter(isListed).map(segmentRow));
  const shown = tokens.filter(token => typeof token.secret === 'string' && token.secure !== true);
  const scoped = shown.filter(
    token =>
      tokenProjects(token).every(isListed) &&
      (token.environment == null || token.environment === ALL || places.has(token.environment)),
  );
  add('api_tokens', scoped.map(tokenRow));
  add('api_token_project', scoped.flatMap(tokenProjects));
  const lost = [...[...fields, ...segments].filter(one => !isListed(one)), ...shown].length - scoped.length;
  if (lost > 0) notes.push(`${HIDDEN_PROJECT}: ${lost}`);
  if (shown.length < tokens.length) notes.push(`${SECRET_HIDDEN}: ${tokens.length - shown.length}`);
  notes.push(
    'what the API does not show: users, roles, groups, project roles, favorites, personal access tokens, integrations, history, usage and lifecycle',
  );
  return { tables, notes };
}

/** The open-source edition lists only the default project, although others can be read. */
async function readProjects(
  api: Api,
  named: unknown[],
): Promise<{ projects: Json[]; archived: ReadonlySet<unknown> }> {
  const listed = await api.list('projects', 'projects');
  const ids = new Set(listed.map(({ id }) => id));
  // Versions without archived projects ignore the parameter, and list all of them.
  const archived = objects(await api.find('projects?archived=true'), 'projects').filter(
    ({ id }) => !ids.has(id),
  );
  const projects = new Map([...listed, ...archived].map(project => [project.id, project]));
  for (const id of new Set(named.filter(one => typeof one === 'string')))
    if (!projects.has(id)) {
      const path = `projects/${encode(id)}`;
      const found = (await api.find(`${path}/overview`)) ?? (await api.find(path));
      if (isObject(found)) projects.set(id, { ...found, id });
    }
  return { projects: [...projects.values()], archived: new Set(archived.map(({ id }) => id)) };
}

async function readProject(
  api: Api,
  { id }: Json,
): Promise<{ environments: Environment[]; settings: SourceRow }> {
  const path = `projects/${encode(id)}`;
  const found = (await api.find(`${path}/overview`)) ?? (await api.find(path));
  const shown = isObject(found) ? found : {};
  const list: unknown[] = Array.isArray(shown.environments) ? shown.environments : [];
  return { environments: list.flatMap(environmentOf), settings: settingsRow(id, shown) };
}

/** Version 4 lists names. */
function environmentOf(one: unknown): Environment[] {
  if (typeof one === 'string') return [{ name: one, defaultStrategy: null }];
  if (!isObject(one)) return [];
  return [{ name: String(one.environment), defaultStrategy: one.defaultStrategy ?? null }];
}

async function readArchived(api: Api): Promise<Json[]> {
  const listed = await api.find('archive/features');
  if (listed !== undefined) return objects(listed, 'features');
  const archived: Json[] = [];
  for (let offset = 0; offset < MAX_ARCHIVED; offset += ARCHIVED_PER_PAGE) {
    const path = `search/features?archived=IS:true&limit=${ARCHIVED_PER_PAGE}&offset=${offset}`;
    const page = objects(await api.find(path), 'features');
    archived.push(...page.filter(({ archivedAt }) => archivedAt != null));
    if (page.length < ARCHIVED_PER_PAGE) return archived;
  }
  throw new SourceError(`Unleash lists more than ${MAX_ARCHIVED.toLocaleString('en')} archived flags.`);
}
