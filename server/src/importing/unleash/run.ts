import type { Db } from '../../platform/db/database.ts';
import type { TargetPolicy } from '../../platform/outgoing/address.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { importEvents } from './history/history.ts';
import { importLastUses } from './history/last-uses.ts';
import { importUsage } from './history/usage.ts';
import { DEPENDENCIES } from './kinds/dependencies.ts';
import { FEATURES } from './kinds/features.ts';
import { FAVORITES, PROJECT_ACCESS } from './kinds/grants.ts';
import { makeIntegrationsKind } from './kinds/integrations.ts';
import type { Context, Kind } from './kinds/kind.ts';
import { GROUPS, ROLES, USERS } from './kinds/people.ts';
import { PERSONAL_TOKENS } from './kinds/personal-tokens.ts';
import { DEFAULT_STRATEGIES, ENVIRONMENTS, PROJECTS } from './kinds/projects.ts';
import { SEGMENTS } from './kinds/segments.ts';
import { API_TOKENS } from './kinds/tokens.ts';
import { CONTEXT_FIELDS, FEATURE_TYPES, STRATEGY_TYPES, TAG_TYPES, TAGS } from './kinds/vocabulary.ts';
import type { Report } from './report.ts';
import { countRows, type Source } from './source/source.ts';
import { type Options, synchronize } from './synchronize.ts';

/** Lists the kinds in dependency order, so that an item comes after everything it refers to. */
// biome-ignore lint/suspicious/noExplicitAny: the kinds have different states, and each is used with its own
const listKinds = ({ keyring, targets }: Settings): Kind<any>[] => [
  FEATURE_TYPES,
  TAG_TYPES,
  TAGS,
  ENVIRONMENTS,
  ROLES,
  USERS,
  GROUPS,
  PROJECTS,
  PROJECT_ACCESS,
  CONTEXT_FIELDS,
  STRATEGY_TYPES,
  SEGMENTS,
  DEFAULT_STRATEGIES,
  FEATURES,
  DEPENDENCIES,
  FAVORITES,
  API_TOKENS,
  PERSONAL_TOKENS,
  makeIntegrationsKind(keyring, targets),
];

/** The keys for integration secrets, and the targets that integrations may send to. */
export type Settings = { keyring: Keyring; targets: TargetPolicy };

/** The rejected keys, by kind. A run that covers only some features also needs the keys that the previous run rejected. */
export type RejectedKeys = Map<string, Set<string>>;

export type Progress = (kind: string, items: number) => void;

/** Imports everything once, from one snapshot. */
export async function importUnleash(
  db: Db,
  source: Source,
  settings: Settings,
  options: Options,
  onProgress: Progress = () => {},
  rejectedKeys: RejectedKeys = new Map(),
): Promise<Report> {
  const context: Context = {
    source,
    db,
    isRejected: (kind, key) => rejectedKeys.get(kind)?.has(key) ?? false,
    onlyFeatures: options.onlyFeatures,
  };
  const report: Report = new Map();
  for (const kind of listKinds(settings).filter(({ name }) => source.kinds?.has(name) ?? true)) {
    const previousKeys =
      kind.selectedKeys?.(context) === undefined ? [] : (rejectedKeys.get(kind.name) ?? []);
    const keys = new Set([...previousKeys].filter(key => !kind.selectedKeys?.(context)?.includes(key)));
    rejectedKeys.set(kind.name, keys);
    const kindReport = await synchronize(
      db,
      context,
      kind,
      options,
      key => keys.add(key),
      items => onProgress(kind.name, items),
    );
    report.set(kind.name, kindReport);
  }
  if (source.kinds !== undefined) return report;
  const usage = {
    plan: options.plan,
    willExist: (feature: string) => !context.isRejected('features', feature),
  };
  report.set('last uses', await importLastUses(db, source, usage, items => onProgress('last uses', items)));
  report.set(
    'usage per day',
    await importUsage(db, source, usage, items => onProgress('usage per day', items)),
  );
  const history = { plan: options.plan, onlyNew: options.onlyChanged };
  report.set('events', await importEvents(db, source, history, items => onProgress('events', items)));
  return report;
}

/** Tables whose rows have no equivalent in Halyard. */
const UNSUPPORTED_TABLES = {
  change_requests: 'change requests',
  release_plan_definitions: 'release plans and templates',
  banners: 'banners',
  signal_endpoints: 'signal endpoints',
  action_sets: 'action sets',
  public_signup_tokens: 'signup links',
  integration_events: 'integration logs',
} as const;

/** Describes what exists in Unleash but cannot be imported. */
export async function listUnsupported(source: Source): Promise<string[]> {
  const lines: string[] = [...(source.notes ?? [])];
  for (const [table, label] of Object.entries(UNSUPPORTED_TABLES)) {
    const count = await countRows(source, table);
    if (count > 0) lines.push(`${label}: ${count}`);
  }
  return lines;
}
