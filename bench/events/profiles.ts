import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { type Random, sentences, strategy, uuid } from './text.ts';

/** The columns of an event in the order in which COPY writes them. */
export const COLUMNS =
  'id, created_at, group_id, type, created_by, created_by_user_id, created_by_kind, ip, project, environment, feature_name, ' +
  'data, pre_data, tags';

export type ProfileName = 'skewed' | 'flat';
export type Profile = {
  projects: string[];
  /** A tenth of all events, all in the first third of the time; undefined in a profile without such a project. */
  silent?: string;
  types: string[];
  environments: string[];
  firstDay: string;
  days: number;
  place: (random: Random, progress: number) => Place;
  /** The share of events with the state before the change. */
  withPreData: number;
  variants: number;
};
type Place = {
  type: string;
  user: number;
  project: string | undefined;
  environment: string | undefined;
  feature: string | undefined;
};

export const USERS = 500;
const FEATURES = 20_000;

/** A fixed list: databases are kept, and new types of the server must not change them. Features first: they dominate a real log. */
export const TYPES =
  `feature-created feature-deleted feature-updated feature-metadata-updated feature-variants-updated
feature-environment-variants-updated feature-project-change feature-archived feature-revived feature-import feature-tagged
feature-tag-import feature-strategy-update feature-strategy-add feature-strategy-remove feature-type-updated feature-completed
feature-uncompleted feature-untagged feature-stale-on feature-stale-off feature-environment-enabled
feature-environment-disabled feature-favorited feature-unfavorited feature-potentially-stale-on feature-dependency-added
feature-dependency-removed feature-dependencies-removed feature-link-added feature-link-updated feature-link-removed
application-created strategy-order-changed drop-feature-tags drop-features strategy-created strategy-deleted
strategy-deprecated strategy-reactivated strategy-updated strategy-import drop-strategies context-field-created
context-field-updated context-field-deleted project-access-added project-access-user-roles-updated
project-access-group-roles-updated project-access-user-roles-deleted project-access-group-roles-deleted
project-access-updated project-created project-updated project-deleted project-archived project-revived project-import
project-user-added project-user-removed project-user-role-changed project-group-role-changed project-group-added
project-group-removed role-created role-updated role-deleted drop-projects tag-created tag-deleted tag-import drop-tags
tag-type-created tag-type-deleted tag-type-updated tag-type-import drop-tag-types addon-config-created addon-config-updated
addon-config-deleted db-pool-update user-created user-updated user-deleted drop-environments environment-import
environment-created environment-updated environment-deleted segment-created segment-updated segment-deleted group-created
group-updated group-deleted group-user-added group-user-removed setting-created setting-updated setting-deleted`.split(
    /\s+/,
  );

/** From 1 to size, the smaller the more often (Zipf 1.0): of 300 the first has 12 %, of 500 the first 11 %. */
const rank = (random: Random, size: number) => Math.floor(Math.exp(random() * Math.log(size + 1)));
const oneOf = (random: Random, size: number) => Math.floor(random() * size);
const numbered = (count: number, name: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => name(n));

const SILENT = 301;
const ENVIRONMENTS = ['production', 'development', 'staging', 'testing'];

export const PROFILES: Record<ProfileName, Profile> = {
  /** Like a real log: a few projects, features, users and types dominate. */
  skewed: {
    projects: numbered(SILENT, n => `project-${n + 1}`),
    silent: `project-${SILENT}`,
    types: TYPES,
    environments: ENVIRONMENTS.slice(0, 3),
    firstDay: '2023-11-01',
    days: 1_096,
    withPreData: 0.45,
    variants: 0,
    place: (random, progress) => {
      const silent = progress < 1 / 3 && random() < 0.3;
      const drawn = rank(random, SILENT - 1);
      const project = silent ? SILENT : random() < 0.9 ? drawn : undefined;
      const feature = rank(random, Math.max(5, FEATURES / (6.28 * (project ?? SILENT - 1))));
      return {
        type: TYPES[rank(random, TYPES.length) - 1] ?? '',
        user: rank(random, USERS),
        project: project === undefined ? undefined : `project-${project}`,
        environment: random() < 0.5 ? ENVIRONMENTS[oneOf(random, 3)] : undefined,
        feature: random() < 0.8 ? `project-${project ?? 0}-feature-${feature}` : undefined,
      };
    },
  },
  /** Every value equally often: the distribution of the comparison with Unleash. */
  flat: {
    projects: numbered(200, n => `proj-${String(n).padStart(3, '0')}`),
    types: TYPES.slice(0, 60),
    environments: ENVIRONMENTS,
    firstDay: '2024-11-15',
    days: 730,
    withPreData: 0.3,
    variants: 1,
    place: random => ({
      type: TYPES[oneOf(random, 60)] ?? '',
      user: 1 + oneOf(random, USERS),
      project: `proj-${String(oneOf(random, 200)).padStart(3, '0')}`,
      environment: ENVIRONMENTS[oneOf(random, 4)],
      feature: `load-feature-${String(oneOf(random, FEATURES)).padStart(5, '0')}`,
    }),
  },
};

const seeded = (n: number) => randomFrom(Math.imul(n, 0x9e3779b1));
const orNull = (value: string | undefined) => value ?? '\\N';

/** Event number `n` of `events` as a line of COPY. The same in every run. */
export function copyLine(profile: Profile, n: number, events: number): string {
  const random = seeded(n);
  const { type, user, project, environment, feature } = profile.place(random, n / events);
  const at = new Date(Date.parse(profile.firstDay) + (profile.days * 86_400_000 * n) / events).toISOString();
  const state = { name: feature ?? project ?? 'instance', at, variants: profile.variants, sentences: '' };
  const data = strategy(random, { ...state, sentences: sentences(random, n, events) });
  const preData = random() < profile.withPreData ? strategy(random, state) : undefined;
  const tags = random() < 0.05 ? '[{"type": "simple", "value": "checkout"}]' : '[]';
  const groupId = uuid(seeded(-Math.floor(n / 2) - 1));
  return (
    `${n}\t${at}\t${groupId}\t${type}\tuser-${user}\t${user}\tuser\t192.0.2.${n % 250}\t` +
    `${orNull(project)}\t${orNull(environment)}\t${orNull(feature)}\t` +
    `${data.replaceAll('\\', '\\\\')}\t${orNull(preData)}\t${tags}\n`
  );
}
