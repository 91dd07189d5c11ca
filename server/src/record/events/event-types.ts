// In the templates below, `[a|b|c]` is replaced with the first option whose slots can all be filled, or with nothing. `{name}` is
// such a slot, and `{segment:name}` is a slot that refers to a segment (references.ts). `[@ …]` says where it happened.
// `describe.ts` fills the slots from the event's columns and from its payload.

const IN_PROJECT = '[@ in project {project:project}]';
const IN_ENVIRONMENT =
  '[@ in environment {environment:environment} of project {project:project}| in environment {environment:environment}| in project {project:project}]';
const FLAG = phraseFor('a flag', 'feature:flag');
const FLAG_IN_PROJECT = `${FLAG}${IN_PROJECT}`;
const FLAG_IN_ENVIRONMENT = `${FLAG}${IN_ENVIRONMENT}`;
// A link is named only by its title, because a page might turn the URL into a second link.
const LINK = phraseFor('a link', 'title');
const PARENT = phraseFor('another flag', 'feature:feature');
const STRATEGY = phraseFor('a strategy', 'strategy:name');
const STRATEGY_TYPE = phraseFor('a strategy type', 'strategy:name');
const PROJECT = phraseFor('a project', 'project:project');
const ENVIRONMENT = phraseFor('an environment', 'environment:environment', 'environment:name');
const CONTEXT_FIELD = phraseFor('a context field', 'contextField:name');
const SEGMENT = `${phraseFor('a segment', 'segment:name', 'segment:id')}${IN_PROJECT}`;
const TAG = phraseFor('a tag', 'tag:tag');
const TAG_TYPE = phraseFor('a tag type', 'tagType:name');
const ROLE = phraseFor('a role', 'role:name', 'role:id');
const USER = phraseFor('a user', 'user:username', 'user:name', 'user:email', 'user:userId', 'user:id');
// A group event may carry the group's `name`, so the member is read from other fields.
const MEMBER = phraseFor('a user', 'member:username', 'member:email', 'member:userId');
const GROUP = phraseFor('a group', 'group:groupName', 'group:name', 'group:groupId', 'group:id');
const ACCOUNT = phraseFor('a service account', 'account:username', 'account:name', 'account:id');
const ACCOUNT_OF_TOKEN = phraseFor('a service account', 'accountOfToken:username', 'accountOfToken:userId');
const APP = phraseFor('an application', 'appName');
// The provider alone would not distinguish two webhooks.
const INTEGRATION =
  '[{provider} integration {integration:description}|{provider} integration {integration:id}|integration {integration:id}|an integration]';
const API_TOKEN = `${phraseFor('an API token', 'tokenName', 'username')}${IN_ENVIRONMENT}`;
const PAT = phraseFor('a personal access token', 'description', 'id');
// A signup link is named only by its name, because the payload may hold its secret.
const SIGNUP = phraseFor('a signup link', 'name');
const VIEW = phraseFor('a view', 'name');
const SETTING = phraseFor('a setting', 'id');
const BANNER = phraseFor('a banner', 'message', 'id');
const ENDPOINT = phraseFor('a signal endpoint', 'name', 'id');
const ENDPOINT_TOKEN = phraseFor('a signal endpoint token', 'name', 'id');
const ACTIONS = `${phraseFor('an action set', 'name', 'id')}${IN_PROJECT}`;
const PLAN = phraseFor('a release plan', 'name', 'id');
const TEMPLATE = phraseFor('a release plan template', 'name', 'id');
const REQUEST = `${phraseFor('a change request', 'changeRequestId', 'id')}${IN_ENVIRONMENT}`;
// A change within the request has its own `id`, so only `changeRequestId` identifies the request.
const REQUEST_OF_CHANGE = `${phraseFor('a change request', 'changeRequestId')}${IN_ENVIRONMENT}`;
const CHANGE = `${phraseFor('a change', 'action')}[ of flag {feature:flag}]`;
// A finding is about a flag or a segment, depending on its rule.
const FINDING = `[the finding {findingRule}|a finding] of [flag {feature:flag}|segment {segment:name}|a project]${IN_PROJECT}`;

const CHANGES = '[, changing {changes}]';
const STRATEGY_CHANGES = '[, changing {strategyChanges}]';
const NOW_VARIANTS = '[, now: {after.variants}]';
const ROLES = '[, roles: {roles}]';
const NEW_ROLES = '[ from {before.roles} to {after.roles}| to {after.roles}]';
const NEW_ROLE =
  '[ from {before.roleName} to {after.roleName}| from {before.roleId} to {after.roleId}| to {after.roleId}]';
const WITH_ROLE = '[ with role {roleName}| with role {roleId}]';
const REASON = '[, reason: {reason}]';

/**
 * Every type that an event can have, with its readable label and what the summary says after the actor's name. No operation emits
 * the types with `emitted: false`, and the compiler rejects an operation that records one of them.
 */
export const EVENT_TYPES = {
  'application-created': {
    label: 'Application first seen',
    text: `saw ${APP} for the first time`,
  },
  'feature-created': {
    label: 'Flag created',
    text: `created ${FLAG_IN_PROJECT}[ as a copy of flag {clonedFeature:clonedFrom.feature} in project {project:clonedFrom.project}]`,
  },
  'feature-deleted': { label: 'Flag deleted', text: `deleted ${FLAG}[@ from project {project:project}]` },
  'feature-updated': { label: 'Flag updated', text: `updated ${FLAG_IN_PROJECT}${CHANGES}`, emitted: false },
  'feature-metadata-updated': {
    label: 'Flag details updated',
    text: `updated the details of ${FLAG_IN_PROJECT}${CHANGES}`,
  },
  'feature-variants-updated': {
    label: 'Flag variants updated',
    text: `updated the variants of ${FLAG_IN_PROJECT}${NOW_VARIANTS}`,
    emitted: false,
  },
  'feature-environment-variants-updated': {
    label: 'Flag variants updated in environment',
    text: `updated the variants of ${FLAG_IN_ENVIRONMENT}${NOW_VARIANTS}`,
  },
  'feature-project-change': {
    label: 'Flag moved to a different project',
    text: `moved ${FLAG}[ from project {project:oldProject}][ to project {project:newProject}| to project {project:project}]`,
  },
  'feature-archived': { label: 'Flag archived', text: `archived ${FLAG_IN_PROJECT}` },
  'feature-revived': { label: 'Flag revived', text: `revived ${FLAG_IN_PROJECT}` },
  'feature-import': {
    label: 'Flag imported',
    text: `imported ${FLAG}[@ into project {project:project}]`,
  },
  'feature-tagged': { label: 'Tag added to flag', text: `added ${TAG} to ${FLAG_IN_PROJECT}` },
  'feature-tag-import': {
    label: 'Flag tag imported',
    text: `imported ${TAG} of ${FLAG_IN_PROJECT}`,
    emitted: false,
  },
  'feature-strategy-update': {
    label: 'Flag strategy updated',
    text: `updated ${STRATEGY} of ${FLAG_IN_ENVIRONMENT}${STRATEGY_CHANGES}`,
  },
  'feature-strategy-add': {
    label: 'Strategy added to flag',
    text: `added ${STRATEGY} to ${FLAG_IN_ENVIRONMENT}`,
  },
  'feature-strategy-remove': {
    label: 'Strategy removed from flag',
    text: `removed ${STRATEGY} from ${FLAG_IN_ENVIRONMENT}`,
  },
  'feature-type-updated': {
    label: 'Flag type lifetime changed',
    text: `changed the lifetime of ${phraseFor('a flag type', 'featureType:name', 'featureType:id')}[ to {after.lifetimeDays} days]`,
  },
  'feature-completed': {
    label: 'Flag completed',
    text: `marked ${FLAG_IN_PROJECT} as completed[, outcome: {status}][, variant: {statusValue}]`,
  },
  'feature-uncompleted': { label: 'Flag reopened', text: `marked ${FLAG_IN_PROJECT} as not completed` },
  'strategy-order-changed': {
    label: 'Flag strategies reordered',
    text: `reordered the strategies of ${FLAG_IN_ENVIRONMENT}[, now: {after.strategyIds}]`,
  },
  'drop-feature-tags': {
    label: 'All flag tags dropped',
    text: 'removed all tags from all flags',
    emitted: false,
  },
  'feature-untagged': { label: 'Tag removed from flag', text: `removed ${TAG} from ${FLAG_IN_PROJECT}` },
  'feature-stale-on': { label: 'Flag marked as stale', text: `marked ${FLAG_IN_PROJECT} as stale` },
  'feature-stale-off': { label: 'Flag unmarked as stale', text: `unmarked ${FLAG_IN_PROJECT} as stale` },
  'drop-features': { label: 'All flags dropped', text: 'deleted all flags', emitted: false },
  'feature-environment-enabled': { label: 'Flag enabled', text: `enabled ${FLAG_IN_ENVIRONMENT}` },
  'feature-environment-disabled': { label: 'Flag disabled', text: `disabled ${FLAG_IN_ENVIRONMENT}` },
  'strategy-created': { label: 'Strategy type created', text: `created ${STRATEGY_TYPE}` },
  'strategy-deleted': { label: 'Strategy type deleted', text: `deleted ${STRATEGY_TYPE}` },
  'strategy-deprecated': { label: 'Strategy type deprecated', text: `deprecated ${STRATEGY_TYPE}` },
  'strategy-reactivated': { label: 'Strategy type reactivated', text: `reactivated ${STRATEGY_TYPE}` },
  'strategy-updated': { label: 'Strategy type updated', text: `updated ${STRATEGY_TYPE}${CHANGES}` },
  'strategy-import': { label: 'Strategy type imported', text: `imported ${STRATEGY_TYPE}` },
  'drop-strategies': {
    label: 'All strategy types dropped',
    text: 'deleted all strategy types',
    emitted: false,
  },
  'context-field-created': { label: 'Context field created', text: `created ${CONTEXT_FIELD}${IN_PROJECT}` },
  'context-field-updated': {
    label: 'Context field updated',
    text: `updated ${CONTEXT_FIELD}${IN_PROJECT}${CHANGES}`,
  },
  'context-field-deleted': { label: 'Context field deleted', text: `deleted ${CONTEXT_FIELD}${IN_PROJECT}` },
  'project-access-added': {
    label: 'Project access granted',
    text: `granted access to ${PROJECT}[, users: {listedUser:grantedUsers}][, groups: {listedGroup:grantedGroups}]${ROLES}`,
  },
  'project-access-user-roles-updated': {
    label: 'Project roles of user changed',
    text: `changed the roles of ${USER}${IN_PROJECT}${NEW_ROLES}`,
  },
  'project-access-group-roles-updated': {
    label: 'Project roles of group changed',
    text: `changed the roles of ${GROUP}${IN_PROJECT}${NEW_ROLES}`,
  },
  // Despite its name, this type may be about a group.
  'project-access-user-roles-deleted': {
    label: 'Project roles of user removed',
    text: `removed the roles of [group {group:groupId}|user {member:userId}|a user]${IN_PROJECT}${ROLES}`,
  },
  'project-access-group-roles-deleted': {
    label: 'Project roles of group removed',
    text: `removed the roles of ${GROUP}${IN_PROJECT}${ROLES}`,
  },
  'project-access-updated': {
    label: 'Project access changed',
    text: `changed access to ${PROJECT}${ROLES}`,
    emitted: false,
  },
  'project-created': { label: 'Project created', text: `created ${PROJECT}` },
  'project-updated': { label: 'Project updated', text: `updated ${PROJECT}${CHANGES}` },
  'project-deleted': { label: 'Project deleted', text: `deleted ${PROJECT}` },
  'project-archived': { label: 'Project archived', text: `archived ${PROJECT}` },
  'project-revived': { label: 'Project revived', text: `revived ${PROJECT}` },
  'project-import': {
    label: 'Project imported',
    text: `imported ${phraseFor('a project', 'project:project', 'project:id')}`,
  },
  'project-user-added': {
    label: 'User added to project',
    text: `added ${USER} to ${PROJECT}${WITH_ROLE}`,
    emitted: false,
  },
  'project-user-removed': {
    label: 'User removed from project',
    text: `removed ${USER} from ${PROJECT}`,
    emitted: false,
  },
  'project-user-role-changed': {
    label: 'Project role of user changed',
    text: `changed the role of ${USER}${IN_PROJECT}${NEW_ROLE}`,
    emitted: false,
  },
  'project-group-role-changed': {
    label: 'Project role of group changed',
    text: `changed the role of ${GROUP}${IN_PROJECT}${NEW_ROLE}`,
    emitted: false,
  },
  'project-group-added': {
    label: 'Group added to project',
    text: `added ${GROUP} to ${PROJECT}${WITH_ROLE}`,
    emitted: false,
  },
  'project-group-removed': {
    label: 'Group removed from project',
    text: `removed ${GROUP} from ${PROJECT}`,
    emitted: false,
  },
  'role-created': { label: 'Role created', text: `created ${ROLE}` },
  'role-updated': { label: 'Role updated', text: `updated ${ROLE}${CHANGES}` },
  'role-deleted': { label: 'Role deleted', text: `deleted ${ROLE}` },
  'drop-projects': { label: 'All projects dropped', text: 'deleted all projects', emitted: false },
  'tag-created': { label: 'Tag created', text: `created ${TAG}` },
  'tag-deleted': { label: 'Tag deleted', text: `deleted ${TAG}` },
  'tag-import': { label: 'Tag imported', text: `imported ${TAG}` },
  'drop-tags': { label: 'All tags dropped', text: 'deleted all tags', emitted: false },
  'tag-type-created': { label: 'Tag type created', text: `created ${TAG_TYPE}` },
  'tag-type-deleted': { label: 'Tag type deleted', text: `deleted ${TAG_TYPE}` },
  'tag-type-updated': { label: 'Tag type updated', text: `updated ${TAG_TYPE}${CHANGES}` },
  'tag-type-import': { label: 'Tag type imported', text: `imported ${TAG_TYPE}` },
  'drop-tag-types': { label: 'All tag types dropped', text: 'deleted all tag types', emitted: false },
  'addon-config-created': { label: 'Integration added', text: `added ${INTEGRATION}` },
  'addon-config-updated': { label: 'Integration updated', text: `updated ${INTEGRATION}${CHANGES}` },
  'addon-config-deleted': { label: 'Integration deleted', text: `deleted ${INTEGRATION}` },
  'db-pool-update': {
    label: 'Database pool reported',
    text: 'reported on the database connection pool',
    emitted: false,
  },
  'user-created': { label: 'User created', text: `created ${USER}` },
  'user-updated': { label: 'User updated', text: `updated ${USER}${CHANGES}` },
  'user-deleted': { label: 'User deleted', text: `deleted ${USER}` },
  'drop-environments': {
    label: 'All environments dropped',
    text: 'deleted all environments',
    emitted: false,
  },
  'environment-import': { label: 'Environment imported', text: `imported ${ENVIRONMENT}` },
  'environment-created': { label: 'Environment created', text: `created ${ENVIRONMENT}` },
  'environment-updated': { label: 'Environment updated', text: `updated ${ENVIRONMENT}${CHANGES}` },
  'environment-deleted': { label: 'Environment deleted', text: `deleted ${ENVIRONMENT}` },
  'segment-created': { label: 'Segment created', text: `created ${SEGMENT}` },
  'segment-updated': { label: 'Segment updated', text: `updated ${SEGMENT}${CHANGES}` },
  'segment-deleted': { label: 'Segment deleted', text: `deleted ${SEGMENT}` },
  'group-created': { label: 'Group created', text: `created ${GROUP}` },
  'group-updated': { label: 'Group updated', text: `updated ${GROUP}${CHANGES}` },
  'group-deleted': { label: 'Group deleted', text: `deleted ${GROUP}` },
  'group-user-added': { label: 'User added to group', text: `added ${MEMBER} to ${GROUP}` },
  'group-user-removed': { label: 'User removed from group', text: `removed ${MEMBER} from ${GROUP}` },
  'setting-created': { label: 'Setting created', text: `created ${SETTING}` },
  'setting-updated': { label: 'Setting changed', text: `changed ${SETTING}${CHANGES}` },
  'setting-deleted': { label: 'Setting deleted', text: `deleted ${SETTING}`, emitted: false },
  'client-metrics': {
    label: 'Usage metrics received',
    text: `sent usage metrics[ for application {appName}]`,
    emitted: false,
  },
  'client-register': {
    label: 'SDK registered',
    text: `registered an SDK[ for application {appName}]`,
    emitted: false,
  },
  'pat-created': { label: 'Personal access token created', text: `created ${PAT}` },
  'pat-deleted': { label: 'Personal access token deleted', text: `deleted ${PAT}` },
  'public-signup-token-created': { label: 'Signup link created', text: `created ${SIGNUP}` },
  'public-signup-token-user-added': {
    label: 'User joined via signup link',
    text: `let ${MEMBER} join through ${SIGNUP}`,
  },
  'public-signup-token-updated': { label: 'Signup link updated', text: `updated ${SIGNUP}${CHANGES}` },
  'change-request-created': { label: 'Change request opened', text: `opened ${REQUEST}`, emitted: false },
  'change-request-discarded': {
    label: 'Change request discarded',
    text: `discarded ${REQUEST}`,
    emitted: false,
  },
  'change-added': {
    label: 'Change added to change request',
    text: `added ${CHANGE} to ${REQUEST_OF_CHANGE}`,
    emitted: false,
  },
  'change-discarded': {
    label: 'Change removed from change request',
    text: `dropped ${CHANGE} from ${REQUEST_OF_CHANGE}`,
    emitted: false,
  },
  'change-edited': {
    label: 'Change edited in change request',
    text: `edited ${CHANGE} within ${REQUEST_OF_CHANGE}`,
    emitted: false,
  },
  'change-request-rejected': {
    label: 'Change request rejected',
    text: `rejected ${REQUEST}`,
    emitted: false,
  },
  'change-request-approved': {
    label: 'Change request approved',
    text: `gave ${REQUEST} its final approval`,
    emitted: false,
  },
  'change-request-approval-added': {
    label: 'Approval given to change request',
    text: `approved ${REQUEST}`,
    emitted: false,
  },
  'change-request-cancelled': {
    label: 'Change request cancelled',
    text: `cancelled ${REQUEST}`,
    emitted: false,
  },
  'change-request-sent-to-review': {
    label: 'Change request submitted for review',
    text: `put ${REQUEST} up for review`,
    emitted: false,
  },
  'change-request-schedule-suspended': {
    label: 'Change request schedule suspended',
    text: `suspended the schedule of ${REQUEST}${REASON}`,
    emitted: false,
  },
  'change-request-applied': { label: 'Change request applied', text: `applied ${REQUEST}`, emitted: false },
  'change-request-scheduled': {
    label: 'Change request scheduled',
    text: `scheduled ${REQUEST}[, due: {scheduledDate}|, due: {scheduledAt}]`,
    emitted: false,
  },
  'change-request-scheduled-application-success': {
    label: 'Scheduled change request applied',
    text: `applied ${REQUEST} as scheduled`,
    emitted: false,
  },
  'change-request-scheduled-application-failure': {
    label: 'Scheduled change request failed',
    text: `failed to apply ${REQUEST} as scheduled${REASON}`,
    emitted: false,
  },
  'change-request-configuration-updated': {
    label: 'Change request rules updated',
    text: `updated the change request rules${IN_ENVIRONMENT}${CHANGES}`,
    emitted: false,
  },
  'api-token-created': { label: 'API token created', text: `created ${API_TOKEN}` },
  'api-token-updated': { label: 'API token updated', text: `updated ${API_TOKEN}${CHANGES}` },
  'api-token-deleted': { label: 'API token deleted', text: `deleted ${API_TOKEN}` },
  'feature-favorited': {
    label: 'Flag added to favorites',
    text: `added ${FLAG_IN_PROJECT} to the favorites`,
  },
  'feature-unfavorited': {
    label: 'Flag removed from favorites',
    text: `removed ${FLAG_IN_PROJECT} from the favorites`,
  },
  'project-favorited': { label: 'Project added to favorites', text: `added ${PROJECT} to the favorites` },
  'project-unfavorited': {
    label: 'Project removed from favorites',
    text: `removed ${PROJECT} from the favorites`,
  },
  'features-exported': {
    label: 'Flags exported',
    text: `exported flags${IN_ENVIRONMENT}[: {feature:features}]`,
  },
  'features-imported': {
    label: 'Flags imported',
    text: `imported flags${IN_ENVIRONMENT}[: {feature:features}]`,
  },
  'service-account-created': { label: 'Service account created', text: `created ${ACCOUNT}` },
  'service-account-deleted': { label: 'Service account deleted', text: `deleted ${ACCOUNT}` },
  'service-account-updated': { label: 'Service account updated', text: `updated ${ACCOUNT}${CHANGES}` },
  'feature-potentially-stale-on': {
    label: 'Flag marked as potentially stale',
    text: `marked ${FLAG_IN_PROJECT} as potentially stale`,
  },
  'feature-dependency-added': {
    label: 'Parent flag added',
    text: `made ${FLAG} depend on ${PARENT}${IN_PROJECT}`,
  },
  'feature-dependency-removed': {
    label: 'Parent flag removed',
    text: `removed the dependency of ${FLAG} on ${PARENT}${IN_PROJECT}`,
  },
  'feature-dependencies-removed': {
    label: 'All parent flags removed',
    text: `removed all dependencies of ${FLAG_IN_PROJECT}`,
  },
  'banner-created': { label: 'Banner created', text: `created ${BANNER}`, emitted: false },
  'banner-updated': { label: 'Banner updated', text: `updated ${BANNER}${CHANGES}`, emitted: false },
  'banner-deleted': { label: 'Banner deleted', text: `deleted ${BANNER}`, emitted: false },
  'project-environment-added': {
    label: 'Environment added to project',
    text: `added ${ENVIRONMENT} to ${PROJECT}`,
  },
  'project-environment-removed': {
    label: 'Environment removed from project',
    text: `removed ${ENVIRONMENT} from ${PROJECT}`,
  },
  'default-strategy-updated': {
    label: 'Default strategy changed',
    text: `changed the default strategy${IN_ENVIRONMENT}[ to {after.name}]${STRATEGY_CHANGES}`,
  },
  'segment-import': { label: 'Segment imported', text: `imported ${SEGMENT}` },
  'signal-endpoint-created': {
    label: 'Signal endpoint created',
    text: `created ${ENDPOINT}`,
    emitted: false,
  },
  'signal-endpoint-updated': {
    label: 'Signal endpoint updated',
    text: `updated ${ENDPOINT}${CHANGES}`,
    emitted: false,
  },
  'signal-endpoint-deleted': {
    label: 'Signal endpoint deleted',
    text: `deleted ${ENDPOINT}`,
    emitted: false,
  },
  'signal-endpoint-token-created': {
    label: 'Signal endpoint token created',
    text: `created ${ENDPOINT_TOKEN}`,
    emitted: false,
  },
  'signal-endpoint-token-updated': {
    label: 'Signal endpoint token updated',
    text: `updated ${ENDPOINT_TOKEN}${CHANGES}`,
    emitted: false,
  },
  'signal-endpoint-token-deleted': {
    label: 'Signal endpoint token deleted',
    text: `deleted ${ENDPOINT_TOKEN}`,
    emitted: false,
  },
  'actions-created': { label: 'Action set created', text: `created ${ACTIONS}`, emitted: false },
  'actions-updated': { label: 'Action set updated', text: `updated ${ACTIONS}${CHANGES}`, emitted: false },
  'actions-deleted': { label: 'Action set deleted', text: `deleted ${ACTIONS}`, emitted: false },
  'release-plan-template-created': {
    label: 'Release plan template created',
    text: `created ${TEMPLATE}`,
    emitted: false,
  },
  'release-plan-template-updated': {
    label: 'Release plan template updated',
    text: `updated ${TEMPLATE}${CHANGES}`,
    emitted: false,
  },
  'release-plan-template-deleted': {
    label: 'Release plan template deleted',
    text: `deleted ${TEMPLATE}`,
    emitted: false,
  },
  'release-plan-template-archived': {
    label: 'Release plan template archived',
    text: `archived ${TEMPLATE}`,
    emitted: false,
  },
  'release-plan-added': {
    label: 'Release plan added to flag',
    text: `added ${PLAN} to ${FLAG_IN_ENVIRONMENT}`,
    emitted: false,
  },
  'release-plan-removed': {
    label: 'Release plan removed from flag',
    text: `removed ${PLAN} from ${FLAG_IN_ENVIRONMENT}`,
    emitted: false,
  },
  'release-plan-milestone-started': {
    label: 'Release milestone started',
    text: `started [milestone {milestoneName}|a milestone] of ${PLAN} for ${FLAG_IN_ENVIRONMENT}`,
    emitted: false,
  },
  'user-preference-updated': {
    label: 'User preference changed',
    text: 'changed a personal preference[, {subscription}: {action}|: {subscription}]',
    emitted: false,
  },
  'scim-users-deleted': {
    label: 'Provisioned users deleted',
    text: `deleted all users provisioned by SCIM`,
    emitted: false,
  },
  'scim-groups-deleted': {
    label: 'Provisioned groups deleted',
    text: `deleted all groups provisioned by SCIM`,
    emitted: false,
  },
  // Types beyond the 156 of Unleash.
  'feature-link-added': { label: 'Link added to flag', text: `added ${LINK} to ${FLAG_IN_PROJECT}` },
  'feature-link-updated': {
    label: 'Flag link updated',
    text: `updated ${LINK} of ${FLAG_IN_PROJECT}${CHANGES}`,
  },
  'feature-link-removed': {
    label: 'Link removed from flag',
    text: `removed ${LINK} from ${FLAG_IN_PROJECT}`,
  },
  'feature-owners-updated': {
    label: 'Flag owners updated',
    text: `changed the owners of ${FLAG_IN_PROJECT}`,
  },
  'project-view-created': {
    label: 'View shared with project',
    text: `shared ${VIEW} with ${PROJECT}`,
  },
  'project-view-updated': {
    label: 'Shared view updated',
    text: `updated shared ${VIEW} of ${PROJECT}`,
  },
  'project-view-deleted': {
    label: 'Shared view deleted',
    text: `deleted shared ${VIEW} of ${PROJECT}`,
  },
  'user-password-changed': { label: 'Password changed', text: `changed the password of ${USER}` },
  'user-password-link-created': {
    label: 'Password link created',
    text: `created a link to set the password of ${USER}`,
  },
  'user-sessions-ended': {
    label: 'Sessions ended',
    text: `ended [{onlySession} session|{sessions} sessions|the sessions] of ${USER}`,
  },
  'user-deactivated': { label: 'User deactivated', text: `deactivated ${USER}` },
  'user-reactivated': { label: 'User reactivated', text: `reactivated ${USER}` },
  'user-identity-linked': {
    label: 'Account linked to identity provider',
    text: `linked ${USER} to the identity provider and revoked earlier credentials`,
  },
  'login-blocked': {
    label: 'Logins blocked after failures',
    text: 'blocked logins[ of user {username}][ from IP address {address}] after [{failures}|too many] failures[ within {minutes} minutes]',
  },
  'integration-disabled': {
    label: 'Integration disabled',
    text: `disabled ${INTEGRATION}${REASON}`,
  },
  'integration-failing': {
    label: 'Integration keeps failing',
    text: `noticed that every delivery of ${INTEGRATION} has failed[ since {failingSince}]`,
  },
  'integration-delivery-skipped': {
    label: 'Delivery skipped',
    text: `skipped [delivery {record}|a delivery] of ${INTEGRATION} that blocked later ones`,
  },
  'integration-tested': { label: 'Integration tested', text: `tested ${INTEGRATION}` },
  'integration-secret-rotated': {
    label: 'Signing secret rotated',
    text: `rotated the signing secret of ${INTEGRATION}`,
  },
  'integration-redelivered': {
    label: 'Events redelivered',
    text: `redelivered [{onlyDelivery} event|{deliveries} events|events] of ${INTEGRATION}`,
  },
  'integration-backfilled': {
    label: 'Integration backfilled',
    text: `sent [{onlyDelivery} earlier event|{deliveries} earlier events|earlier events] to ${INTEGRATION}`,
  },
  'service-account-token-created': {
    label: 'Service account token created',
    text: `created ${phraseFor('a token', 'description', 'id')} of ${ACCOUNT_OF_TOKEN}`,
  },
  'service-account-token-updated': {
    label: 'Service account token updated',
    text: `updated ${phraseFor('a token', 'description', 'id')} of ${ACCOUNT_OF_TOKEN}${CHANGES}`,
  },
  'service-account-token-deleted': {
    label: 'Service account token deleted',
    text: `deleted ${phraseFor('a token', 'description', 'id')} of ${ACCOUNT_OF_TOKEN}`,
  },
  'health-finding-snoozed': {
    label: 'Health finding snoozed',
    text: `snoozed ${FINDING}[ until {untilDay}]${REASON}`,
  },
  'health-finding-unsnoozed': { label: 'Health finding unsnoozed', text: `unsnoozed ${FINDING}` },
  'feature-stage-entered': {
    label: 'Flag entered a lifecycle stage',
    text: `moved ${FLAG_IN_PROJECT}[ from stage {before.stage} to stage {after.stage}| to stage {after.stage}| to a different stage]`,
  },
  'application-updated': { label: 'Application updated', text: `updated ${APP}${CHANGES}` },
  'application-deleted': { label: 'Application deleted', text: `deleted ${APP}` },
} as const satisfies Record<string, { label: string; text: string; emitted?: false }>;

export type EventType = keyof typeof EVENT_TYPES;

/** The types that operations record. */
export type EmittedEventType = {
  [T in EventType]: (typeof EVENT_TYPES)[T] extends { emitted: false } ? never : T;
}[EventType];

// The cast is safe: `Object.keys` loses the key type, but the table is a constant with exactly these keys.
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];

/** The types with their labels, in the form that the API lists. */
export const EVENT_TYPE_LIST: { type: EventType; label: string; emitted: boolean }[] = EVENT_TYPE_NAMES.map(
  type => ({ type, label: EVENT_TYPES[type].label, emitted: !('emitted' in EVENT_TYPES[type]) }),
);

/**
 * Builds a phrase. `phraseFor('a role', 'name', 'id')` gives "role {name}", "role {id}" if the event has no name, or "a role" if
 * the event has neither.
 */
function phraseFor(fallback: string, ...slots: string[]): string {
  const noun = fallback.slice(fallback.indexOf(' ') + 1);
  return `[${[...slots.map(slot => `${noun} {${slot}}`), fallback].join('|')}]`;
}
