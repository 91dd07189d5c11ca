import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { makeSentences, strategyJson, uuid } from './text.ts';

/** The event columns in the order in which COPY writes them. */
export const COLUMNS =
  'id, created_at, group_id, type, created_by, created_by_user_id, created_by_kind, ip, project, environment, feature_name, ' +
  'data, pre_data, tags';

export const USERS = 500;
/** This project has a tenth of all events, all of them in the first third of the log. */
const SILENT_PROJECT = 301;
export const PROJECTS = Array.from({ length: SILENT_PROJECT }, (_, n) => `project-${n + 1}`);
const FEATURES = 20_000;
const ENVIRONMENTS = ['production', 'development', 'staging'];
const FIRST_DAY = Date.parse('2023-11-01');
const LOG_DURATION_MS = 1_096 * 86_400_000;
const PRE_DATA_SHARE = 0.45;

/**
 * A fixed list, so that a database reused between runs does not depend on the server's current event types. Feature events come
 * first, because they dominate a real log.
 */
const TYPES =
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

const randomFor = (n: number) => randomFrom(Math.imul(n, 0x9e3779b1));
const orNull = (value: string | undefined) => value ?? '\\N';

/**
 * Formats event number `n` of `events` as a COPY line, which is the same in every run. As in a real log, a few projects, features, users
 * and types dominate.
 */
export function formatCopyLine(n: number, events: number): string {
  const random = randomFor(n);
  /**
   * Draws a number from 1 to `size`, smaller numbers more often (Zipf 1.0). For example, if `size` is 300, 12 % of the
   * numbers are 1.
   */
  const drawRank = (size: number) => Math.floor(Math.exp(random() * Math.log(size + 1)));
  const isSilent = n / events < 1 / 3 && random() < 0.3;
  const projectRank = drawRank(SILENT_PROJECT - 1);
  const projectNumber = isSilent ? SILENT_PROJECT : random() < 0.9 ? projectRank : undefined;
  const featureNumber = drawRank(Math.max(5, FEATURES / (6.28 * (projectNumber ?? SILENT_PROJECT - 1))));
  const type = TYPES[drawRank(TYPES.length) - 1] ?? '';
  const user = drawRank(USERS);
  const project = projectNumber === undefined ? undefined : `project-${projectNumber}`;
  const environment = random() < 0.5 ? ENVIRONMENTS[Math.floor(random() * 3)] : undefined;
  const feature = random() < 0.8 ? `project-${projectNumber ?? 0}-feature-${featureNumber}` : undefined;
  const createdAt = new Date(FIRST_DAY + (LOG_DURATION_MS * n) / events).toISOString();
  const state = { name: feature ?? project ?? 'instance', at: createdAt, sentences: '' };
  const data = strategyJson(random, { ...state, sentences: makeSentences(random, n, events) });
  const preData = random() < PRE_DATA_SHARE ? strategyJson(random, state) : undefined;
  const tags = random() < 0.05 ? '[{"type": "simple", "value": "checkout"}]' : '[]';
  const groupId = uuid(randomFor(-Math.floor(n / 2) - 1));
  return (
    `${n}\t${createdAt}\t${groupId}\t${type}\tuser-${user}\t${user}\tuser\t192.0.2.${n % 250}\t` +
    `${orNull(project)}\t${orNull(environment)}\t${orNull(feature)}\t` +
    `${data.replaceAll('\\', '\\\\')}\t${orNull(preData)}\t${tags}\n`
  );
}
