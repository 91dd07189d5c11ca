import type { SourceRow } from './source.ts';

// Converts objects from Unleash's API to rows of the tables that the other parts of the import read.

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toTextOrNull = (value: unknown): string | null => (value == null ? null : String(value));

/** Returns the objects of a list, which is either the body or one of its fields. */
export function listObjects(body: unknown, field?: string): Json[] {
  const list = field === undefined ? body : isObject(body) ? body[field] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export const toFeatureRow = (item: Json): SourceRow => ({
  name: item.name,
  project: toTextOrNull(item.project),
  type: toTextOrNull(item.type),
  description: toTextOrNull(item.description),
  stale: item.stale === true,
  impression_data: item.impressionData === true,
  created_at: toTextOrNull(item.createdAt),
  archived_at: toTextOrNull(item.archivedAt),
  variants: item.variants ?? null,
});

export type StrategyRow = SourceRow & { id: string; segments: number[] };

export const toStrategyRow = (item: Json): StrategyRow => ({
  id: String(item.id),
  feature_name: item.featureName,
  environment: item.environment,
  strategy_name: item.name,
  title: toTextOrNull(item.title),
  disabled: item.disabled === true,
  sort_order: null,
  parameters: item.parameters ?? {},
  constraints: item.constraints ?? [],
  variants: item.variants ?? [],
  created_at: toTextOrNull(item.createdAt),
  segments: Array.isArray(item.segments) ? item.segments.map(Number) : [],
});

export const toStrategySegmentRows = ({ id, segments }: StrategyRow): SourceRow[] =>
  segments.map(segment => ({ feature_strategy_id: id, segment_id: segment }));

export const toEnvironmentRow = (item: Json): SourceRow => ({
  name: item.name,
  type: item.type,
  sort_order: item.sortOrder ?? null,
  enabled: item.enabled !== false,
  protected: item.protected === true,
});

export const toContextRow = (item: Json): SourceRow => ({
  name: item.name,
  description: toTextOrNull(item.description),
  stickiness: item.stickiness === true,
  sort_order: item.sortOrder ?? null,
  legal_values: item.legalValues ?? [],
  project: toTextOrNull(item.project),
  created_at: toTextOrNull(item.createdAt),
});

export const toStrategyTypeRow = (item: Json): SourceRow => ({
  name: item.name,
  display_name: toTextOrNull(item.displayName),
  description: toTextOrNull(item.description),
  parameters: item.parameters ?? [],
  deprecated: item.deprecated === true,
});

export const toFeatureTypeRow = (item: Json): SourceRow => ({
  id: item.id,
  lifetime_days: item.lifetimeDays ?? null,
});

export const toSegmentRow = (item: Json): SourceRow => ({
  id: item.id,
  name: item.name,
  description: toTextOrNull(item.description),
  segment_project_id: toTextOrNull(item.project),
  constraints: item.constraints ?? [],
  created_at: toTextOrNull(item.createdAt),
});

export const toProjectRow = (item: Json): SourceRow => ({
  id: item.id,
  name: item.name,
  description: toTextOrNull(item.description),
  created_at: toTextOrNull(item.createdAt),
  archived_at: toTextOrNull(item.archivedAt),
});

export const toTokenRow = (item: Json): SourceRow => ({
  secret: item.secret,
  username: toTextOrNull(item.username),
  token_name: toTextOrNull(item.tokenName),
  type: item.type,
  environment: toTextOrNull(item.environment),
  alias: toTextOrNull(item.alias),
  created_at: toTextOrNull(item.createdAt),
  expires_at: toTextOrNull(item.expiresAt),
});

export function toTokenProjectRows({ secret, project, projects }: Json): SourceRow[] {
  const list: unknown[] = Array.isArray(projects) ? projects : project == null ? [] : [project];
  return list.map(item => ({ secret, project: item }));
}

export function toSettingsRow(id: unknown, overview: Json): SourceRow {
  const naming = isObject(overview.featureNaming) ? overview.featureNaming : {};
  return {
    project: id,
    default_stickiness: toTextOrNull(overview.defaultStickiness),
    project_mode: toTextOrNull(overview.mode),
    feature_limit: overview.featureLimit ?? null,
    feature_naming_pattern: toTextOrNull(naming.pattern),
    feature_naming_example: toTextOrNull(naming.example),
    feature_naming_description: toTextOrNull(naming.description),
    link_templates: overview.linkTemplates ?? null,
  };
}
