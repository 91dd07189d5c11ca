import { SourceError, type SourceRow } from './source.ts';

// What Unleash's API shows, as rows of the tables that the other parts of the import read.

/** Sends a request to Unleash. The path begins after /api/admin/. */
export type Send = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Sent>;
export type Sent = { status: number; body: unknown };

type Json = Record<string, unknown>;
type Environment = { name: string; defaultStrategy: unknown };

/** Rows by table, and a description of what the API does not show. */
export type ApiRows = { tables: Map<string, SourceRow[]>; notes: string[] };

const FEATURES_PER_EXPORT = 500;
const REQUESTS_AT_A_TIME = 4;
const ARCHIVED_PER_PAGE = 100;
const ALL = '*';
const HIDDEN_PROJECT =
  'context fields, segments and API tokens of projects or environments that the API does not list';
const SECRET_HIDDEN = 'API tokens whose secrets Unleash does not show';

export async function readApi(send: Send): Promise<ApiRows> {
  const api = clientOf(send);
  const tables = new Map<string, SourceRow[]>();
  const add = (table: string, ...rows: SourceRow[]) =>
    void tables.set(table, [...(tables.get(table) ?? []), ...rows]);
  const notes: string[] = [];

  const state = await readState(api);
  const places = new Map(
    objects(await api.read('environments'), 'environments').map(one => [one.name, environmentRow(one)]),
  );
  /** The open-source edition lists only the built-in ones, although others can be read. */
  const isPlace = async (name: string): Promise<boolean> => {
    const found = places.get(name) ?? (await api.find(`environments/${encode(name)}`));
    if (found !== undefined && !places.has(name)) places.set(name, environmentRow(found as Json));
    return found !== undefined;
  };
  add('strategies', ...objects(await api.read('strategies'), 'strategies').map(strategyTypeRow));
  add('tag_types', ...objects(await api.read('tag-types'), 'tagTypes'));
  add('tags', ...objects(await api.read('tags'), 'tags'));
  add('feature_types', ...objects(await api.read('feature-types'), 'types').map(featureTypeRow));
  const fields = objects(await api.read('context'));
  const segments = objects((await api.find('segments')) ?? state, 'segments');
  const tokens = objects(await api.read('api-tokens'), 'tokens');

  const exported = emptyExport();
  const projects = await readProjects(api, [
    ...[...fields, ...segments].map(({ project }) => project),
    ...objects(state, 'projects').map(({ id }) => id),
  ]);
  for (const project of projects) {
    const { environments: named, settings } = await readProject(api, project);
    const environments: Environment[] = [];
    for (const one of named)
      if (await isPlace(one.name)) environments.push(one);
      else notes.push(`environment "${one.name}" of project "${project.id}", which the API does not list`);
    add('projects', projectRow(project));
    add('project_settings', settings);
    for (const { name, defaultStrategy } of environments)
      add('project_environments', {
        project_id: project.id,
        environment_name: name,
        default_strategy: defaultStrategy ?? null,
      });
    const features = objects(await api.find(`projects/${encode(project.id)}/features`), 'features');
    for (const feature of features)
      exported.features.set(String(feature.name), featureRow({ ...feature, project: project.id }));
    if (state === undefined)
      await readExports(
        api,
        environments.map(({ name }) => name),
        features.map(({ name }) => String(name)),
        exported,
      );
  }
  if (state !== undefined) await takeState(api, state, exported);
  await orderStrategies(api, exported);
  for (const archived of await readArchived(api)) {
    const name = String(archived.name);
    exported.features.set(name, {
      ...featureRow(archived),
      unreadable: 'it is archived, and the API of Unleash does not show what archived flags do',
    });
  }
  add('features', ...exported.features.values());
  add('feature_strategies', ...exported.strategies.map(({ segments: _, ...row }) => row));
  add('feature_strategy_segment', ...exported.strategies.flatMap(segmentsOf));
  add('feature_environments', ...exported.environments);
  for (const table of ['feature_tag', 'feature_link', 'dependent_features'] as const)
    add(table, ...exported[table].values());

  add('environments', ...places.values());
  const listed = new Set([ALL, ...projects.map(({ id }) => id)]);
  const isListed = ({ project }: Json) => project == null || listed.has(project);
  add('context_fields', ...fields.filter(isListed).map(contextRow));
  add('segments', ...segments.filter(isListed).map(segmentRow));
  const shown = tokens.filter(token => typeof token.secret === 'string' && token.secure !== true);
  const scoped = shown.filter(
    token =>
      tokenProjects(token).every(isListed) &&
      (token.environment == null || token.environment === ALL || places.has(token.environment)),
  );
  add('api_tokens', ...scoped.map(tokenRow));
  add('api_token_project', ...scoped.flatMap(tokenProjects));
  const lost = [...[...fields, ...segments].filter(one => !isListed(one)), ...shown].length - scoped.length;
  if (lost > 0) notes.push(`${HIDDEN_PROJECT}: ${lost}`);
  if (shown.length < tokens.length) notes.push(`${SECRET_HIDDEN}: ${tokens.length - shown.length}`);
  notes.push(
    'what the API does not show: users, roles, groups, project roles, favorites, personal access tokens, integrations, history, usage and lifecycle',
  );
  return { tables, notes };
}

type Api = {
  /** Rejects every status other than 200. */
  read: (path: string) => Promise<unknown>;
  /** Undefined if this version or edition does not have the path. */
  find: (path: string) => Promise<unknown>;
  post: (path: string, body: object) => Promise<unknown>;
};

function clientOf(send: Send): Api {
  const request = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const sent = await send(method, path, body);
    if (sent.status === 200 || sent.status === 404) return sent;
    if (sent.status === 401 || sent.status === 403)
      throw new SourceError(
        `Unleash rejects the token with ${sent.status} for ${method} /api/admin/${path}. Use an admin token, or the personal access token of an admin.`,
      );
    throw new SourceError(`Unleash responded with ${sent.status} to ${method} /api/admin/${path}.`);
  };
  const found = ({ status, body }: Sent) => (status === 404 ? undefined : body);
  return {
    read: async path => {
      const body = found(await request('GET', path));
      if (body === undefined) throw new SourceError(`Unleash has no /api/admin/${path}. Check the URL.`);
      return body;
    },
    find: async path => found(await request('GET', path)),
    post: async (path, body) => found(await request('POST', path, body)),
  };
}

const encode = (part: unknown): string => encodeURIComponent(String(part));
const text = (value: unknown): string | null => (value == null ? null : String(value));

/** The objects of a list, which is either the body or one of its fields. */
function objects(body: unknown, field?: string): Json[] {
  const list = field === undefined ? body : (body as Json | undefined)?.[field];
  return Array.isArray(list) ? list.filter(one => typeof one === 'object' && one !== null) : [];
}

/** Version 4 cannot export individual features, but it can export everything. */
async function readState(api: Api): Promise<Json | undefined> {
  const probe = await api.post('features-batch/export', {
    environment: 'default',
    features: [],
    downloadFile: false,
  });
  return probe === undefined ? ((await api.read('state/export?format=json')) as Json) : undefined;
}

/** The open-source edition lists only the default project, although others can be read. */
async function readProjects(api: Api, named: unknown[]): Promise<Json[]> {
  const projects = new Map<unknown, Json>();
  for (const path of ['projects', 'projects?archived=true'])
    for (const project of objects(await api.find(path), 'projects')) projects.set(project.id, project);
  for (const id of new Set(named.filter(one => typeof one === 'string')))
    if (!projects.has(id)) {
      const path = `projects/${encode(id)}`;
      const found = (await api.find(`${path}/overview`)) ?? (await api.find(path));
      if (found !== undefined) projects.set(id, { ...(found as Json), id });
    }
  return [...projects.values()];
}

async function readProject(
  api: Api,
  { id }: Json,
): Promise<{ environments: Environment[]; settings: SourceRow }> {
  const path = `projects/${encode(id)}`;
  const shown = ((await api.find(`${path}/overview`)) ?? (await api.find(path)) ?? {}) as Json;
  const naming = (shown.featureNaming ?? {}) as Json;
  const list: unknown[] = Array.isArray(shown.environments) ? shown.environments : [];
  return {
    environments: list.map(one =>
      typeof one === 'string'
        ? { name: one, defaultStrategy: null }
        : {
            name: String((one as Json).environment),
            defaultStrategy: (one as Json).defaultStrategy ?? null,
          },
    ),
    settings: {
      project: id,
      default_stickiness: text(shown.defaultStickiness),
      project_mode: text(shown.mode),
      feature_limit: shown.featureLimit ?? null,
      feature_naming_pattern: text(naming.pattern),
      feature_naming_example: text(naming.example),
      feature_naming_description: text(naming.description),
      link_templates: shown.linkTemplates ?? null,
    },
  };
}

type StrategyRow = SourceRow & { id: string; segments: number[] };
type Exported = {
  features: Map<string, SourceRow>;
  strategies: StrategyRow[];
  environments: SourceRow[];
  feature_tag: Map<string, SourceRow>;
  feature_link: Map<string, SourceRow>;
  dependent_features: Map<string, SourceRow>;
};

const emptyExport = (): Exported => ({
  features: new Map(),
  strategies: [],
  environments: [],
  feature_tag: new Map(),
  feature_link: new Map(),
  dependent_features: new Map(),
});

async function readExports(
  api: Api,
  environments: string[],
  names: string[],
  exported: Exported,
): Promise<void> {
  for (const environment of environments)
    for (let at = 0; at < names.length; at += FEATURES_PER_EXPORT) {
      const features = names.slice(at, at + FEATURES_PER_EXPORT);
      const body = await api.post('features-batch/export', { environment, features, downloadFile: false });
      takeExport(body, environment, exported);
    }
}

function takeExport(body: unknown, environment: string, exported: Exported): void {
  for (const feature of objects(body, 'features')) {
    const name = String(feature.name);
    exported.features.set(name, { ...exported.features.get(name), ...definedOf(featureRow(feature)) });
  }
  exported.strategies.push(
    ...objects(body, 'featureStrategies').map(one => strategyRow({ ...one, environment })),
  );
  takeEnvironments(objects(body, 'featureEnvironments'), exported);
  takeTags(objects(body, 'featureTags'), exported);
  for (const { feature, dependencies } of objects(body, 'dependencies'))
    for (const one of objects(dependencies))
      exported.dependent_features.set(`${feature} ${one.feature}`, {
        child: feature,
        parent: one.feature,
        enabled: one.enabled !== false,
        variants: one.variants ?? [],
      });
  for (const { feature, links } of objects(body, 'links'))
    for (const { id, url, title } of objects(links))
      exported.feature_link.set(String(id), { id, feature_name: feature, url, title });
}

async function takeState(api: Api, state: Json, exported: Exported): Promise<void> {
  for (const feature of objects(state, 'features'))
    if (feature.archived !== true) exported.features.set(String(feature.name), featureRow(feature));
  const segments = Map.groupBy(objects(state, 'featureStrategySegments'), one =>
    String(one.featureStrategyId),
  );
  exported.strategies.push(
    ...objects(state, 'featureStrategies').map(one =>
      strategyRow({
        ...one,
        name: one.strategyName,
        segments: (segments.get(String(one.id)) ?? []).map(({ segmentId }) => segmentId),
      }),
    ),
  );
  takeEnvironments(objects(state, 'featureEnvironments'), exported);
  takeTags(objects(state, 'featureTags'), exported);
  // Variants belong to environments, and this export contains those of one environment only.
  await several(exported.environments, async row => {
    const feature = exported.features.get(String(row.feature_name));
    if (feature === undefined) return;
    const path = `projects/${encode(feature.project)}/features/${encode(row.feature_name)}/environments/${encode(row.environment)}`;
    const found = (await api.find(`${path}/variants`)) as Json | undefined;
    if (found === undefined) return;
    row.variants = found.variants ?? [];
    feature.variants = null;
  });
}

/** Runs the function for each item, a few at a time. */
async function several<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += REQUESTS_AT_A_TIME)
    await Promise.all(items.slice(at, at + REQUESTS_AT_A_TIME).map(work));
}

function takeEnvironments(list: Json[], { environments }: Exported): void {
  for (const { featureName, environment, enabled, variants } of list)
    environments.push({ feature_name: featureName, environment, enabled, variants: variants ?? null });
}

function takeTags(list: Json[], exported: Exported): void {
  for (const { featureName, tagType, tagValue } of list)
    exported.feature_tag.set(`${featureName} ${tagType}:${tagValue}`, {
      feature_name: featureName,
      tag_type: tagType,
      tag_value: tagValue,
    });
}

/**
 * Exports do not give the order of strategies, but the first one that matches decides the variant. Only the feature itself has
 * the order.
 */
async function orderStrategies(api: Api, { features, strategies }: Exported): Promise<void> {
  const places = Map.groupBy(strategies, one => JSON.stringify([one.feature_name, one.environment]));
  const names = new Set(
    [...places.values()].filter(list => list.length > 1).map(([first]) => String(first?.feature_name)),
  );
  const order = new Map<string, number>();
  await several([...names], async name => {
    const path = `projects/${encode(features.get(name)?.project)}/features/${encode(name)}`;
    for (const environment of objects(await api.find(path), 'environments'))
      for (const [index, { id }] of objects(environment, 'strategies').entries())
        order.set(String(id), index);
  });
  for (const strategy of strategies) strategy.sort_order = order.get(strategy.id) ?? null;
}

async function readArchived(api: Api): Promise<Json[]> {
  const listed = await api.find('archive/features');
  if (listed !== undefined) return objects(listed, 'features');
  const archived: Json[] = [];
  for (let offset = 0; ; offset += ARCHIVED_PER_PAGE) {
    const path = `search/features?archived=IS:true&limit=${ARCHIVED_PER_PAGE}&offset=${offset}`;
    const page = objects(await api.find(path), 'features');
    archived.push(...page.filter(({ archivedAt }) => archivedAt != null));
    if (page.length < ARCHIVED_PER_PAGE) return archived;
  }
}

const definedOf = (row: SourceRow): SourceRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

const featureRow = (one: Json): SourceRow => ({
  name: one.name,
  project: text(one.project),
  type: text(one.type),
  description: text(one.description),
  stale: one.stale === true,
  impression_data: one.impressionData === true,
  created_at: text(one.createdAt),
  archived_at: text(one.archivedAt),
  variants: one.variants ?? null,
});

const strategyRow = (one: Json): StrategyRow => ({
  id: String(one.id),
  feature_name: one.featureName,
  environment: one.environment,
  strategy_name: one.name,
  title: text(one.title),
  disabled: one.disabled === true,
  sort_order: null,
  parameters: one.parameters ?? {},
  constraints: one.constraints ?? [],
  variants: one.variants ?? [],
  created_at: text(one.createdAt),
  segments: Array.isArray(one.segments) ? one.segments.map(Number) : [],
});

const segmentsOf = ({ id, segments }: StrategyRow): SourceRow[] =>
  segments.map(segment => ({ feature_strategy_id: id, segment_id: segment }));

const environmentRow = (one: Json): SourceRow => ({
  name: one.name,
  type: one.type,
  sort_order: one.sortOrder ?? null,
  enabled: one.enabled !== false,
  protected: one.protected === true,
});

const contextRow = (one: Json): SourceRow => ({
  name: one.name,
  description: text(one.description),
  stickiness: one.stickiness === true,
  sort_order: one.sortOrder ?? null,
  legal_values: one.legalValues ?? [],
  project: text(one.project),
  created_at: text(one.createdAt),
});

const strategyTypeRow = (one: Json): SourceRow => ({
  name: one.name,
  display_name: text(one.displayName),
  description: text(one.description),
  parameters: one.parameters ?? [],
  deprecated: one.deprecated === true,
});

const featureTypeRow = (one: Json): SourceRow => ({ id: one.id, lifetime_days: one.lifetimeDays ?? null });

const segmentRow = (one: Json): SourceRow => ({
  id: one.id,
  name: one.name,
  description: text(one.description),
  segment_project_id: text(one.project),
  constraints: one.constraints ?? [],
  created_at: text(one.createdAt),
});

const projectRow = (one: Json): SourceRow => ({
  id: one.id,
  name: one.name,
  description: text(one.description),
  created_at: text(one.createdAt),
  archived_at: text(one.archivedAt),
});

const tokenRow = (one: Json): SourceRow => ({
  secret: one.secret,
  username: text(one.username),
  token_name: text(one.tokenName),
  type: one.type,
  environment: text(one.environment),
  alias: text(one.alias),
  created_at: text(one.createdAt),
  expires_at: text(one.expiresAt),
});

function tokenProjects({ secret, project, projects }: Json): SourceRow[] {
  const list: unknown[] = Array.isArray(projects) ? projects : project == null ? [] : [project];
  return list.map(one => ({ secret, project: one }));
}
