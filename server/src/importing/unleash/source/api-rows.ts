import type { SourceRow } from './source.ts';

// Converts objects of Unleash's API to rows of the tables that the other parts of the import read.

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string | null => (value == null ? null : String(value));

/** Returns the objects of a list, which is either the body or one of its fields. */
export function objectsIn(body: unknown, field?: string): Json[] {
  const list = field === undefined ? body : isObject(body) ? body[field] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export const featureRow = (item: Json): SourceRow => ({
  name: item.name,
  project: text(item.project),
  type: text(item.type),
  description: text(item.description),
  stale: item.stale === true,
  impression_data: item.impressionData === true,
  created_at: text(item.createdAt),
  archived_at: text(item.archivedAt),
  variants: item.variants ?? null,
});

export type StrategyRow = SourceRow & { id: string; segments: number[] };

export const strategyRow = (item: Json): StrategyRow => ({
  id: String(item.id),
  feature_name: item.featureName,
  environment: item.environment,
  strategy_name: item.name,
  title: text(item.title),
  disabled: item.disabled === true,
  sort_order: null,
  parameters: item.parameters ?? {},
  constraints: item.constraints ?? [],
  variants: item.variants ?? [],
  created_at: text(item.createdAt),
  segments: Array.isArray(item.segments) ? item.segments.map(Number) : [],
});

export const toSegmentRows = ({ id, segments }: StrategyRow): SourceRow[] =>
  segments.map(segment => ({ feature_strategy_id: id, segment_id: segment }));

export const environmentRow = (item: Json): SourceRow => ({
  name: item.name,
  type: item.type,
  sort_order: item.sortOrder ?? null,
  enabled: item.enabled !== false,
  protected: item.protected === true,
});

export const contextRow = (item: Json): SourceRow => ({
  name: item.name,
  description: text(item.description),
  stickiness: item.stickiness === true,
  sort_order: item.sortOrder ?? null,
  legal_values: item.legalValues ?? [],
  project: text(item.project),
  created_at: text(item.createdAt),
});

export const strategyTypeRow = (item: Json): SourceRow => ({
  name: item.name,
  display_name: text(item.displayName),
  description: text(item.description),
  parameters: item.parameters ?? [],
  deprecated: item.deprecated === true,
});

export const featureTypeRow = (item: Json): SourceRow => ({
  id: item.id,
  lifetime_days: item.lifetimeDays ?? null,
});

export const segmentRow = (item: Json): SourceRow => ({
  id: item.id,
  name: item.name,
  description: text(item.description),
  segment_project_id: text(item.project),
  constraints: item.constraints ?? [],
  created_at: text(item.createdAt),
});

export const projectRow = (item: Json): SourceRow => ({
  id: item.id,
  name: item.name,
  description: text(item.description),
  created_at: text(item.createdAt),
  archived_at: text(item.archivedAt),
});

export const tokenRow = (item: Json): SourceRow => ({
  secret: item.secret,
  username: text(item.username),
  token_name: text(item.tokenName),
  type: item.type,
  environment: text(item.environment),
  alias: text(item.alias),
  created_at: text(item.createdAt),
  expires_at: text(item.expiresAt),
});

export function tokenProjectRows({ secret, project, projects }: Json): SourceRow[] {
  const list: unknown[] = Array.isArray(projects) ? projects : project == null ? [] : [project];
  return list.map(item => ({ secret, project: item }));
}

export function settingsRow(id: unknown, overview: Json): SourceRow {
  const naming = isObject(overview.featureNaming) ? overview.featureNaming : {};
  return {
    project: id,
    default_stickiness: text(overview.defaultStickiness),
    project_mode: text(overview.mode),
    feature_limit: overview.featureLimit ?? null,
    feature_naming_pattern: text(naming.pattern),
    feature_naming_example: text(naming.example),
    feature_naming_description: text(naming.description),
    link_templates: overview.linkTemplates ?? null,
  };
}
