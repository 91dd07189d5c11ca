import type { SourceRow } from './source.ts';

// Objects of Unleash's API as rows of the tables that the other parts of the import read.

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string | null => (value == null ? null : String(value));

/** The objects of a list, which is either the body or one of its fields. */
export function objects(body: unknown, field?: string): Json[] {
  const list = field === undefined ? body : isObject(body) ? body[field] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export const featureRow = (one: Json): SourceRow => ({
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

export type StrategyRow = SourceRow & { id: string; segments: number[] };

export const strategyRow = (one: Json): StrategyRow => ({
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

export const segmentsOf = ({ id, segments }: StrategyRow): SourceRow[] =>
  segments.map(segment => ({ feature_strategy_id: id, segment_id: segment }));

export const environmentRow = (one: Json): SourceRow => ({
  name: one.name,
  type: one.type,
  sort_order: one.sortOrder ?? null,
  enabled: one.enabled !== false,
  protected: one.protected === true,
});

export const contextRow = (one: Json): SourceRow => ({
  name: one.name,
  description: text(one.description),
  stickiness: one.stickiness === true,
  sort_order: one.sortOrder ?? null,
  legal_values: one.legalValues ?? [],
  project: text(one.project),
  created_at: text(one.createdAt),
});

export const strategyTypeRow = (one: Json): SourceRow => ({
  name: one.name,
  display_name: text(one.displayName),
  description: text(one.description),
  parameters: one.parameters ?? [],
  deprecated: one.deprecated === true,
});

export const featureTypeRow = (one: Json): SourceRow => ({
  id: one.id,
  lifetime_days: one.lifetimeDays ?? null,
});

export const segmentRow = (one: Json): SourceRow => ({
  id: one.id,
  name: one.name,
  description: text(one.description),
  segment_project_id: text(one.project),
  constraints: one.constraints ?? [],
  created_at: text(one.createdAt),
});

export const projectRow = (one: Json): SourceRow => ({
  id: one.id,
  name: one.name,
  description: text(one.description),
  created_at: text(one.createdAt),
  archived_at: text(one.archivedAt),
});

export const tokenRow = (one: Json): SourceRow => ({
  secret: one.secret,
  username: text(one.username),
  token_name: text(one.tokenName),
  type: one.type,
  environment: text(one.environment),
  alias: text(one.alias),
  created_at: text(one.createdAt),
  expires_at: text(one.expiresAt),
});

export function tokenProjects({ secret, project, projects }: Json): SourceRow[] {
  const list: unknown[] = Array.isArray(projects) ? projects : project == null ? [] : [project];
  return list.map(one => ({ secret, project: one }));
}

export function settingsRow(id: unknown, shown: Json): SourceRow {
  const naming = isObject(shown.featureNaming) ? shown.featureNaming : {};
  return {
    project: id,
    default_stickiness: text(shown.defaultStickiness),
    project_mode: text(shown.mode),
    feature_limit: shown.featureLimit ?? null,
    feature_naming_pattern: text(naming.pattern),
    feature_naming_example: text(naming.example),
    feature_naming_description: text(naming.description),
    link_templates: shown.linkTemplates ?? null,
  };
}
