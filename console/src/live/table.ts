import type { QueryKey } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { keys } from '../api/keys.ts';

export type EventType = schemas['EventType'];
/** From the subject of a change to keys. Without a part of the subject: the keys of everything that the rest can mean. */
type Keys = (subject: {
  projectId: string | undefined;
  featureName: string | undefined;
}) => readonly QueryKey[];

/** What a flag does and shows: its page and the lists that contain it. */
const flagContent: Keys = flag => [
  keys.feature(flag),
  keys.flags,
  keys.health(flag.projectId),
  keys.drift(),
  keys.segments,
];
/** Whether a flag exists, where, and in which stage: including the pages of its parents and children, and everything that counts flags. */
const flagLife: Keys = ({ projectId }) => [
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
const flagRelatives: Keys = ({ projectId }) => [
  keys.feature({ projectId }),
  keys.flags,
  keys.health(projectId),
];
const flagTags: Keys = flag => [...flagContent(flag), keys.tags];
const flagFavorite: Keys = flag => [keys.feature(flag), keys.flags, keys.favorites];
const finding: Keys = ({ projectId }) => [keys.health(projectId), keys.projects, keys.flags];

const project: Keys = ({ projectId }) => [
  keys.projects,
  keys.project(projectId),
  keys.health(projectId),
  keys.flags,
  keys.feature({ projectId }),
];
/** Also what the user may see and do. */
const projectLife: Keys = () => [
  keys.me,
  keys.projects,
  keys.project(),
  keys.flags,
  keys.flagCount,
  keys.favorites,
  keys.environments,
  keys.apiTokens,
];
const projectFavorite: Keys = () => [keys.projects];
const projectViews: Keys = ({ projectId }) => [keys.project(projectId)];
const projectEnvironments: Keys = subject => [...project(subject), keys.environments];

/** What somebody may see and do. */
const access: Keys = () => [
  keys.me,
  keys.projects,
  keys.project(),
  keys.flags,
  keys.users,
  keys.groups,
  keys.roles,
  keys.serviceAccounts,
];
const users: Keys = subject => [...access(subject), keys.profile, keys.sessions];

const segments: Keys = () => [keys.segments, keys.feature(), keys.health()];
const contextFields: Keys = () => [keys.contextFields];
const environments: Keys = () => [
  keys.environments,
  keys.project(),
  keys.projects,
  keys.flags,
  keys.feature(),
];
const strategyTypes: Keys = () => [keys.strategyTypes];
const featureTypes: Keys = () => [keys.featureTypes, keys.flags, keys.health()];
const tags: Keys = () => [keys.tags, keys.flags, keys.feature()];
const tagTypes: Keys = () => [keys.tagTypes, keys.tags];

const serviceAccounts: Keys = () => [keys.serviceAccounts, keys.groups, keys.project()];
const invitations: Keys = () => [keys.invitations, keys.users];
const apiTokens: Keys = () => [keys.apiTokens, keys.edges, keys.project(), keys.environments];
const personalTokens: Keys = () => [keys.personalTokens];
const settings: Keys = () => [keys.settings, keys.instance];
const integrations: Keys = () => [keys.integrations, keys.deliveries];
const applications: Keys = () => [keys.applications, keys.application(), keys.apiTokens];
const sessions: Keys = () => [keys.sessions, keys.users];
const login: Keys = () => [keys.users];
/** The console has no page for it. Only the event log shows it. */
const none: Keys = () => [];

/** The queries that an event changes, in addition to those of events. */
export const TABLE: Record<EventType, Keys> = {
  'feature-created': flagLife,
  'feature-deleted': flagLife,
  'feature-archived': flagLife,
  'feature-revived': flagLife,
  'feature-project-change': flagLife,
  'feature-import': flagLife,
  'features-imported': flagLife,
  'drop-features': flagLife,
  'feature-stale-on': flagLife,
  'feature-stale-off': flagLife,
  'feature-potentially-stale-on': flagLife,
  'feature-completed': flagLife,
  'feature-uncompleted': flagLife,
  'feature-stage-entered': flagLife,
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
  'feature-owners-updated': flagContent,
  'feature-link-removed': flagContent,
  'feature-tagged': flagTags,
  'feature-untagged': flagTags,
  'feature-tag-import': flagTags,
  'drop-feature-tags': tags,
  'feature-dependency-added': flagRelatives,
  'feature-dependency-removed': flagRelatives,
  'feature-dependencies-removed': flagRelatives,
  'feature-favorited': flagFavorite,
  'feature-unfavorited': flagFavorite,
  'features-exported': none,
  'health-finding-snoozed': finding,
  'health-finding-unsnoozed': finding,

  'project-created': projectLife,
  'project-deleted': projectLife,
  'project-archived': projectLife,
  'project-revived': projectLife,
  'project-import': projectLife,
  'drop-projects': projectLife,
  'project-updated': project,
  'project-environment-added': projectEnvironments,
  'project-environment-removed': projectEnvironments,
  'default-strategy-updated': projectEnvironments,
  'project-view-created': projectViews,
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

  'client-metrics': none,
  'db-pool-update': none,
  'change-request-created': none,
  'change-request-discarded': none,
  'change-added': none,
  'change-discarded': none,
  'change-edited': none,
  'change-request-rejected': none,
  'change-request-approved': none,
  'change-request-approval-added': none,
  'change-request-cancelled': none,
  'change-request-sent-to-review': none,
  'change-request-schedule-suspended': none,
  'change-request-applied': none,
  'change-request-scheduled': none,
  'change-request-scheduled-application-success': none,
  'change-request-scheduled-application-failure': none,
  'change-request-configuration-updated': project,
  'banner-created': none,
  'banner-updated': none,
  'banner-deleted': none,
  'signal-endpoint-created': none,
  'signal-endpoint-updated': none,
  'signal-endpoint-deleted': none,
  'signal-endpoint-token-created': none,
  'signal-endpoint-token-updated': none,
  'signal-endpoint-token-deleted': none,
  'actions-created': none,
  'actions-updated': none,
  'actions-deleted': none,
  'release-plan-template-created': none,
  'release-plan-template-updated': none,
  'release-plan-template-deleted': none,
  'release-plan-template-archived': none,
  'release-plan-added': none,
  'release-plan-removed': none,
  'release-plan-milestone-started': none,
};

/** Every key begins with it. */
export const EVERYTHING: QueryKey = [];

/**
 * The queries that a change of this type changes. `featureName` is null for an event that is not about a flag. A type that only a
 * newer server knows changes everything.
 */
export function keysOf(
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
    // They count things.
    ...(/-(created|deleted)$/.test(type) ? [keys.statistics] : []),
    ...(featureName === null ? [] : [keys.eventsOf(featureName)]),
    ...(TABLE[type]?.(subject) ?? [EVERYTHING]),
  ];
}
