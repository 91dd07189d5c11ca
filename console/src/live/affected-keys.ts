import type { QueryKey } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { keys } from '../api/keys.ts';

export type EventType = schemas['EventType'];
/**
 * Finds the keys of the queries that show the subject of a change. If part of the subject is unknown, finds the keys of everything
 * that the subject could be.
 */
type FindKeys = (subject: {
  projectId: string | undefined;
  featureName: string | undefined;
}) => readonly QueryKey[];

/** The queries that show what a flag does: its page and the lists that contain it. */
const flagContent: FindKeys = flag => [
  keys.feature(flag),
  keys.flags,
  keys.health(flag.projectId),
  keys.drift(),
  keys.segments,
];
const flagOwners: FindKeys = flag => [...flagContent(flag), keys.owned];
/** The queries that depend on whether a flag exists, in which project and in which stage. They include everything that counts flags. */
const flagLifecycle: FindKeys = ({ projectId }) => [
  keys.owned,
  keys.feature(),
  keys.flags,
  keys.flagCount,
  keys.flagCreators,
  keys.favorites,
  keys.projects,
  keys.project(projectId),
  keys.health(projectId),
  keys.drift(),
  keys.copies(),
  keys.segments,
  keys.contextFields,
  keys.environments,
  keys.tags,
];
const flagDependencies: FindKeys = ({ projectId }) => [
  keys.feature({ projectId }),
  keys.flags,
  keys.health(projectId),
];
const flagTags: FindKeys = flag => [...flagContent(flag), keys.tags];
const flagFavorite: FindKeys = flag => [keys.feature(flag), keys.flags, keys.favorites];
const healthFinding: FindKeys = ({ projectId }) => [keys.health(projectId), keys.projects, keys.flags];

const project: FindKeys = ({ projectId }) => [
  keys.projects,
  keys.project(projectId),
  keys.health(projectId),
  keys.flags,
  keys.feature({ projectId }),
];
/** Includes the user's own permissions, which change together with the set of projects. */
const projectLifecycle: FindKeys = () => [
  keys.me,
  keys.projects,
  keys.project(),
  keys.flags,
  keys.flagCount,
  keys.favorites,
  keys.environments,
  keys.apiTokens,
];
const projectFavorite: FindKeys = () => [keys.projects];
const projectViews: FindKeys = ({ projectId }) => [keys.project(projectId)];
const projectEnvironments: FindKeys = subject => [...project(subject), keys.environments];

/** The queries that depend on what somebody may see and do. */
const access: FindKeys = () => [
  keys.me,
  keys.projects,
  keys.project(),
  keys.flags,
  keys.users,
  keys.groups,
  keys.roles,
  keys.serviceAccounts,
  keys.owned,
];
const users: FindKeys = subject => [...access(subject), keys.profile, keys.sessions];

const segments: FindKeys = () => [keys.segments, keys.feature(), keys.health()];
const contextFields: FindKeys = () => [keys.contextFields];
const environments: FindKeys = () => [
  keys.environments,
  keys.project(),
  keys.projects,
  keys.flags,
  keys.feature(),
];
const strategyTypes: FindKeys = () => [keys.strategyTypes];
const featureTypes: FindKeys = () => [keys.featureTypes, keys.flags, keys.health()];
const tags: FindKeys = () => [keys.tags, keys.flags, keys.feature()];
const tagTypes: FindKeys = () => [keys.tagTypes, keys.tags];

const serviceAccounts: FindKeys = () => [keys.serviceAccounts, keys.groups, keys.project()];
const invitations: FindKeys = () => [keys.invitations, keys.users];
const apiTokens: FindKeys = () => [keys.apiTokens, keys.edges, keys.project(), keys.environments];
const personalTokens: FindKeys = () => [keys.personalTokens];
const settings: FindKeys = () => [keys.settings, keys.instance];
const integrations: FindKeys = () => [keys.integrations, keys.deliveries];
const applications: FindKeys = () => [keys.applications, keys.application(), keys.apiTokens];
const sessions: FindKeys = () => [keys.sessions, keys.users];
const login: FindKeys = () => [keys.users];
/** For events about subjects that have no page in the console and appear only in the event log. */
const noKeys: FindKeys = () => [];

/** Finds the queries that events of each type affect, in addition to those that show events. */
export const FIND_KEYS_BY_TYPE: Record<EventType, FindKeys> = {
  'feature-created': flagLifecycle,
  'feature-deleted': flagLifecycle,
  'feature-archived': flagLifecycle,
  'feature-revived': flagLifecycle,
  'feature-project-change': flagLifecycle,
  'feature-import': flagLifecycle,
  'features-imported': flagLifecycle,
  'drop-features': flagLifecycle,
  'feature-stale-on': flagLifecycle,
  'feature-stale-off': flagLifecycle,
  'feature-potentially-stale-on': flagLifecycle,
  'feature-completed': flagLifecycle,
  'feature-uncompleted': flagLifecycle,
  'feature-stage-entered': flagLifecycle,
  'feature-updated': flagContent,
  'feature-metadata-updated': flagContent,
  'feature-variants-updated': flagContent,
  'feature-environment-variants-updated': flagContent,
  'feature-environment-enabled': flagContent,
  'feature-environment-disabled': flagContent,
  'feature-strategy-add': flagContent,
  'feature-strategy-update': flagContent,
  'feature-strategy-remove': flagContent,
  'strategy-order-changed': flagContent,
  'feature-link-added': flagContent,
  'feature-link-updated': flagContent,
  'feature-owners-updated': flagOwners,
  'feature-link-removed': flagContent,
  'feature-tagged': flagTags,
  'feature-untagged': flagTags,
  'feature-tag-import': flagTags,
  'drop-feature-tags': tags,
  'feature-dependency-added': flagDependencies,
  'feature-dependency-removed': flagDependencies,
  'feature-dependencies-removed': flagDependencies,
  'feature-favorited': flagFavorite,
  'feature-unfavorited': flagFavorite,
  'features-exported': noKeys,
  'health-finding-snoozed': healthFinding,
  'health-finding-unsnoozed': healthFinding,

  'project-created': projectLifecycle,
  'project-deleted': projectLifecycle,
  'project-archived': projectLifecycle,
  'project-revived': projectLifecycle,
  'project-import': projectLifecycle,
  'drop-projects': projectLifecycle,
  'project-updated': project,
  'project-environment-added': projectEnvironments,
  'project-environment-removed': projectEnvironments,
  'default-strategy-updated': projectEnvironments,
  'project-view-created': projectViews,
  'project-view-updated': projectViews,
  'project-view-deleted': projectViews,
  'project-favorited': projectFavorite,
  'project-unfavorited': projectFavorite,
  'project-access-added': access,
  'project-access-updated': access,
  'project-access-user-roles-updated': access,
  'project-access-user-roles-deleted': access,
  'project-access-group-roles-updated': access,
  'project-access-group-roles-deleted': access,
  'project-user-added': access,
  'project-user-removed': access,
  'project-user-role-changed': access,
  'project-group-added': access,
  'project-group-removed': access,
  'project-group-role-changed': access,

  'segment-created': segments,
  'segment-updated': segments,
  'segment-deleted': segments,
  'segment-import': segments,
  'context-field-created': contextFields,
  'context-field-updated': contextFields,
  'context-field-deleted': contextFields,
  'environment-created': environments,
  'environment-updated': environments,
  'environment-deleted': environments,
  'environment-import': environments,
  'drop-environments': environments,
  'strategy-created': strategyTypes,
  'strategy-updated': strategyTypes,
  'strategy-deleted': strategyTypes,
  'strategy-deprecated': strategyTypes,
  'strategy-reactivated': strategyTypes,
  'strategy-import': strategyTypes,
  'drop-strategies': strategyTypes,
  'feature-type-updated': featureTypes,
  'tag-created': tags,
  'tag-deleted': tags,
  'tag-import': tags,
  'drop-tags': tags,
  'tag-type-created': tagTypes,
  'tag-type-updated': tagTypes,
  'tag-type-deleted': tagTypes,
  'tag-type-import': tagTypes,
  'drop-tag-types': tagTypes,

  'user-created': users,
  'user-updated': users,
  'user-deleted': users,
  'user-deactivated': users,
  'user-reactivated': users,
  'user-password-changed': users,
  'user-password-link-created': users,
  'user-identity-linked': users,
  'user-preference-updated': users,
  'scim-users-deleted': users,
  'user-sessions-ended': sessions,
  'login-blocked': login,
  'group-created': access,
  'group-updated': access,
  'group-deleted': access,
  'group-user-added': access,
  'group-user-removed': access,
  'scim-groups-deleted': access,
  'role-created': access,
  'role-updated': access,
  'role-deleted': access,
  'service-account-created': serviceAccounts,
  'service-account-updated': access,
  'service-account-deleted': serviceAccounts,
  'service-account-token-created': serviceAccounts,
  'service-account-token-updated': serviceAccounts,
  'service-account-token-deleted': serviceAccounts,
  'public-signup-token-created': invitations,
  'public-signup-token-updated': invitations,
  'public-signup-token-user-added': invitations,
  'api-token-created': apiTokens,
  'api-token-updated': apiTokens,
  'api-token-deleted': apiTokens,
  'pat-created': personalTokens,
  'pat-deleted': personalTokens,
  'setting-created': settings,
  'setting-updated': settings,
  'setting-deleted': settings,

  'addon-config-created': integrations,
  'addon-config-updated': integrations,
  'addon-config-deleted': integrations,
  'integration-disabled': integrations,
  'integration-failing': integrations,
  'integration-delivery-skipped': integrations,
  'integration-tested': integrations,
  'integration-secret-rotated': integrations,
  'integration-redelivered': integrations,
  'integration-backfilled': integrations,
  'application-created': applications,
  'application-updated': applications,
  'application-deleted': applications,
  'client-register': applications,

  'client-metrics': noKeys,
  'db-pool-update': noKeys,
  'change-request-created': noKeys,
  'change-request-discarded': noKeys,
  'change-added': noKeys,
  'change-discarded': noKeys,
  'change-edited': noKeys,
  'change-request-rejected': noKeys,
  'change-request-approved': noKeys,
  'change-request-approval-added': noKeys,
  'change-request-cancelled': noKeys,
  'change-request-sent-to-review': noKeys,
  'change-request-schedule-suspended': noKeys,
  'change-request-applied': noKeys,
  'change-request-scheduled': noKeys,
  'change-request-scheduled-application-success': noKeys,
  'change-request-scheduled-application-failure': noKeys,
  'change-request-configuration-updated': project,
  'banner-created': noKeys,
  'banner-updated': noKeys,
  'banner-deleted': noKeys,
  'signal-endpoint-created': noKeys,
  'signal-endpoint-updated': noKeys,
  'signal-endpoint-deleted': noKeys,
  'signal-endpoint-token-created': noKeys,
  'signal-endpoint-token-updated': noKeys,
  'signal-endpoint-token-deleted': noKeys,
  'actions-created': noKeys,
  'actions-updated': noKeys,
  'actions-deleted': noKeys,
  'release-plan-template-created': noKeys,
  'release-plan-template-updated': noKeys,
  'release-plan-template-deleted': noKeys,
  'release-plan-template-archived': noKeys,
  'release-plan-added': noKeys,
  'release-plan-removed': noKeys,
  'release-plan-milestone-started': noKeys,
};

/** The empty key, which is a prefix of every key. */
export const EVERYTHING: QueryKey = [];

/**
 * Returns the keys of the queries that a change of this type affects. `featureName` is null for an event that is not about a flag.
 * An event type that only a newer server knows affects everything.
 */
export function listAffectedKeys(
  type: EventType,
  {
    projectId,
    featureName,
  }: { projectId?: string | null | undefined; featureName?: string | null | undefined },
): readonly QueryKey[] {
  const subject = { projectId: projectId ?? undefined, featureName: featureName ?? undefined };
  return [
    keys.latestEvents,
    keys.eventCounts,
    keys.eventsAbout(),
    // Statistics count resources, so only creating and deleting affects them.
    ...(/-(created|deleted)$/.test(type) ? [keys.statistics] : []),
    ...(featureName === null ? [] : [keys.featureEvents(featureName)]),
    ...(FIND_KEYS_BY_TYPE[type]?.(subject) ?? [EVERYTHING]),
  ];
}
