// Written by `npm run api-types` from openapi.json. Do not edit.
export interface schemas {
  AccessCandidateGroup: { id: number; name: string; description: (string | null); userCount: number };
  AccessCandidates: { users: Array<schemas['Person']>; groups: Array<schemas['AccessCandidateGroup']> };
  AccessChange: { kind: "join-group" | "grant-project-role" | "set-root-role"; role: schemas['AccessRole']; group: schemas['JoinedGroup']; alsoGrants: Array<schemas['AccessGain']>; otherProjects: number; replaces: schemas['ReplacedRole']; loses: Array<string> };
  AccessConfiguration: { roles: Array<schemas['RoleAccess']> };
  AccessExplanation: { subject: schemas['AccessSubject']; permission: (string | null); project: schemas['AccessProject']; environment: (string | null); allowed: boolean; reason: "admin-token" | "admin" | "role" | "everyone" | "lacks-permission" | "cannot-read-project" | "deactivated"; summary: string; paths: Array<schemas['AccessPath']>; otherRoles: Array<schemas['OtherAccessRole']>; roles: Array<schemas['AccessRole']>; changes: Array<schemas['AccessChange']>; grantors: Array<schemas['AccessGrantor']> };
  AccessGain: { permission: string; environment?: string };
  AccessGrant: { roles: Array<number>; users: Array<number>; groups: Array<number> };
  AccessGrantor: { id: number; name: string; because: "admin" | "owner" };
  AccessGroup: ({ id: number; name: string; joinedAt: string; addedBy: string } | null);
  AccessOfUser: { rootRoles: Array<schemas['RootGrant']>; groups: Array<schemas['GroupOfUser']>; projects: Array<schemas['ProjectOfUser']>; sessions: Array<schemas['SessionOfUser']>; tokens: Array<schemas['TokenOfUser']> };
  AccessPath: { role: schemas['AccessRole']; project: (string | null); group: schemas['AccessGroup']; grantedBy: (string | null); grantedAt: (string | null); permission: (string | null) };
  AccessProject: ({ id: string; name: string; mode: "open" | "protected" | "private" } | null);
  AccessRole: { id: number; name: string; type: "root" | "project" | "root-custom" | "custom" };
  AccessSubject: { id: number; name: string; kind: "user" | "service-account" | "admin-token" };
  ActiveUsers: { last7: number; last30: number; last60: number; last90: number };
  ActorKind: "user" | "token" | "agent" | "service-account" | "admin-token" | "system";
  AdminCount: { password: number; noPassword: number; service: number };
  AdminLogin: { id: number; name: (string | null); username: (string | null); email: (string | null); password: boolean; singleSignOn: boolean };
  AdminLogins: { admins: Array<schemas['AdminLogin']>; total: number; password: number; singleSignOn: number };
  AdvancedPlaygroundFeature: { name: string; projectId: string; environments: { [key: string]: Array<schemas['PlaygroundEvaluation']> } };
  AdvancedPlaygroundInput: { environments: Array<string>; projects: (Array<string> | "*"); context?: schemas['PlaygroundContext']; contexts?: Array<schemas['PlaygroundContext']>; at?: string };
  AdvancedPlaygroundRequest: { environments: Array<string>; context?: schemas['PlaygroundContext']; contexts?: Array<schemas['PlaygroundContext']>; projects?: (Array<string> | "*"); features?: Array<string>; drafts?: Array<schemas['PlaygroundDraft']>; at?: string };
  AdvancedPlaygroundResult: { input: schemas['AdvancedPlaygroundInput']; features: Array<schemas['AdvancedPlaygroundFeature']>; notEvaluated?: Array<schemas['PlaygroundNotEvaluated']> };
  AllFlagCreators: { flagCreators: schemas['FlagCreatorList']; total: number };
  AllowedToken: { description: string; expiresAt: string; scope?: schemas['TokenScope'] };
  ApiError: { id: string; name: "AlreadyCarriedOutError" | "AuthenticationRequired" | "BadDataError" | "ConflictError" | "ContentTypeerror" | "ExceedsLimitError" | "IdempotencyError" | "InternalError" | "InvalidOperationError" | "MaintenanceError" | "MethodNotAllowedError" | "NameExistsError" | "NoAccessError" | "NotFoundError" | "PatternError" | "PayloadTooLargeError" | "PreconditionFailedError" | "RateLimitError" | "ServiceUnavailableError"; message: string; details: Array<schemas['ErrorDetail']> };
  ApiToken: { id: number; secret: string; secure: boolean; identifier: string; tokenName: string; type: "admin" | "client" | "backend" | "frontend" | "edge"; enrolment?: string; environment: (string | null); project: string; projects: Array<string>; alias: (string | null); createdAt: string; expiresAt: (string | null); seenAt: (string | null) };
  ApiTokenApplication: { appName: string; environment: string; sdkVersion: (string | null); instances: number; lastSeen: string };
  ApiTokenCounts: { admin: number; client: number; frontend: number };
  ApiTokenList: { tokens: Array<schemas['ApiToken']> };
  ApiTokenUpdate: { expiresAt: (string | null) };
  ApiTokenUse: { id: number; applications: Array<schemas['ApiTokenApplication']> };
  ApiTokenUseList: { tokens: Array<schemas['ApiTokenUse']> };
  Application: { appName: string; createdAt: string; lastSeenAt?: string; description?: string; url?: string; icon?: string; color?: string; strategies: Array<string>; usage: Array<schemas['ApplicationUsage']>; instancesBehind: number };
  ApplicationCount: { range: "7d" | "30d" | "allTime"; count: number };
  ApplicationDetails: { appName: string; createdAt: string; lastSeenAt?: string; description?: string; url?: string; icon?: string; color?: string; strategies: Array<string>; usage: Array<schemas['ApplicationUsage']>; instances: Array<schemas['ApplicationInstance']>; seenToggles: Array<schemas['ApplicationFeature']> };
  ApplicationEnvironment: { name: string; instanceCount: number; sdks: Array<string>; frontendSdks: Array<string>; backendSdks: Array<string>; lastSeen: string; issues: schemas['ApplicationEnvironmentIssues'] };
  ApplicationEnvironmentIssues: { missingFeatures: Array<string>; outdatedSdks: Array<string>; instancesBehind: Array<schemas['InstanceBehind']> };
  ApplicationFeature: { name: string; project: string; type: string; stale: boolean; archived: boolean; environments: Array<string>; lastSeenAt: string };
  ApplicationFields: { description?: (string | null); url?: (string | null); icon?: (string | null); color?: (string | null) };
  ApplicationInstance: { instanceId: string; environment: string; sdkVersion: (string | null); createdAt: string; lastSeen: string };
  ApplicationInstanceList: { instances: Array<schemas['EnvironmentInstance']> };
  ApplicationIssues: { missingStrategies: Array<string> };
  ApplicationList: { applications: Array<schemas['Application']>; total: number };
  ApplicationOverview: { projects: Array<string>; featureCount: number; environments: Array<schemas['ApplicationEnvironment']>; issues: schemas['ApplicationIssues'] };
  ApplicationUsage: { project: string; environments: Array<string> };
  ArchiveCheck: { parentsWithChildFeatures: Array<string>; hasDeletedDependencies: boolean };
  ArchivedManifestFlag: { message: string; archivedAt: string };
  ArchivedSummary: { currentFlags: number; last30Days: number };
  AuthorizationDecision: { query?: string; userCode?: string; allow: boolean; token?: schemas['AllowedToken'] };
  AuthorizationPreview: { clientName: string; clientHost: (string | null); kind: "personal" | "agent"; readOnly: boolean; redirectHost: (string | null); ip: (string | null); problem: (schemas['AuthorizationProblem'] | null) };
  AuthorizationPreviewRequest: { query?: string; userCode?: string };
  AuthorizationProblem: { error: string; message: string };
  AuthorizationResult: { redirectTo: (string | null) };
  BackfillRequest: { from: string; to?: string };
  Caller: { id: number; name: string; username: (string | null); email: (string | null); isAPI: boolean };
  CallingToken: { id: number; description: string; kind: "personal" | "service" | "agent"; expiresAt: string; scope: (schemas['TokenScope'] | null); changesLeft: (number | null) };
  ChangeRequestConfig: { environment: string; type: string; changeRequestEnabled: boolean; requiredApprovals: (number | null) };
  ChangeRequestConfigInput: { changeRequestsEnabled: boolean; requiredApprovals?: (number | null) };
  ChangeRequestConfigList: Array<schemas['ChangeRequestConfig']>;
  ChangedManifestFlag: { flag: schemas['ManifestFlag']; updatedAt: string };
  CloneManyRequest: { features: Array<schemas['FeatureToClone']>; replaceGroupId?: boolean; include?: Array<schemas['ClonePart']>; environments?: Array<schemas['EnvironmentMapping']>; planId?: string };
  CloneManyResult: (schemas['ClonedFeatures'] | schemas['ClonePlan']);
  CloneObstacle: { name: string; message: string };
  ClonePart: "strategies" | "variants" | "tags" | "dependencies";
  ClonePermission: { permission: string; environment: (string | null); held: boolean };
  ClonePlan: { planId: (string | null); copies: Array<schemas['PlannedCopy']>; permissions: Array<schemas['ClonePermission']>; obstacles: Array<schemas['CloneObstacle']> };
  CloneRequest: { name: string; project?: string; replaceGroupId?: boolean; include?: Array<schemas['ClonePart']>; environments?: Array<schemas['EnvironmentMapping']>; planId?: string };
  CloneResult: (schemas['Feature'] | schemas['ClonePlan']);
  CloneSource: { project: string; feature: string };
  ClonedFeatures: { features: Array<schemas['Feature']> };
  ClonedFrom: ({ project: string; feature: string } | null);
  Collaborator: { id: number; name: string; imageUrl: string };
  Collaborators: { users: Array<schemas['Collaborator']> };
  Constraint: { contextName: string; operator: schemas['ConstraintOperator']; caseInsensitive?: boolean; inverted?: boolean; values?: Array<string>; value?: string };
  ConstraintOperator: "IN" | "NOT_IN" | "STR_CONTAINS" | "STR_STARTS_WITH" | "STR_ENDS_WITH" | "NUM_EQ" | "NUM_GT" | "NUM_GTE" | "NUM_LT" | "NUM_LTE" | "DATE_BEFORE" | "DATE_AFTER" | "SEMVER_EQ" | "SEMVER_GT" | "SEMVER_LT" | "SEMVER_GTE" | "SEMVER_LTE" | "REGEX" | "IN_CIDR";
  ContextField: { name: string; description: (string | null); stickiness: boolean; sortOrder: number; legalValues: Array<schemas['LegalValue']>; project: (string | null); createdAt: string; usedInFeatures: number; usedInProjects: number };
  ContextFieldList: Array<schemas['ContextField']>;
  ContextFieldNameCheck: { name: string };
  ContextFieldUpdate: { description?: (string | null); stickiness?: boolean; sortOrder?: number; legalValues?: Array<schemas['LegalValue']> };
  CopyList: { copies: Array<schemas['FeatureCopy']>; total: number };
  CorsSettings: { frontendApiOrigins: Array<string> };
  DayActivity: { date: string; count: number };
  DebtBudget: { limit: (number | null); used: number; exceeded: boolean };
  DefaultStrategy: { name: string; title?: string; disabled: boolean; sortOrder?: number; parameters: { [key: string]: string }; constraints: Array<schemas['Constraint']>; variants: Array<schemas['StrategyVariant']>; segments: Array<number> };
  DeliveryAttempt: { number: number; startedAt: string; outcome: (string | null); durationMs: (number | null); status: (number | null); address: (string | null); error: (string | null); response: (string | null); headers: ({ [key: string]: string } | null); bodySha256: (string | null); requestHeaders: (Array<schemas['RequestHeader']> | null) };
  DeliveryCounts: { delivered: number; deliveredFirst: number; failed: number; retried: number; successRate: (number | null); p50Ms: (number | null); p95Ms: (number | null) };
  DeliveryPeriod: { start: string; delivered: number; deliveredFirst: number; failed: number; retried: number; successRate: (number | null); p50Ms: (number | null); p95Ms: (number | null) };
  DeliverySchedule: { attempts: number; waitSeconds: Array<number>; disableAfterHours: (number | null) };
  DependenciesExist: boolean;
  Dependency: { feature: string; enabled: boolean; variants: Array<string> };
  Diagnostics: { createdAt: string; instanceId: string; version: string; publicUrl: string; login: schemas['DiagnosticsLogin']; secretKey: boolean; server: schemas['DiagnosticsServer']; database: schemas['DiagnosticsDatabase']; limits: Array<schemas['DiagnosticsLimit']>; events: schemas['DiagnosticsEvents']; integrations: schemas['DiagnosticsIntegrations'] };
  DiagnosticsConnections: { name: string; open: number; active: number };
  DiagnosticsDatabase: { version: string; bytes: number; migrations: number; newestMigration: string; availableConnections: number; limitedBy: string; servers: number; connections: Array<schemas['DiagnosticsConnections']> };
  DiagnosticsEvents: { newestId: number; newestAt: (string | null); indexLagSeconds: schemas['DiagnosticsIndexLag'] };
  DiagnosticsIndexLag: { filters: number; text: number };
  DiagnosticsIntegrations: { enabled: number; failing: number; openDeliveries: number; oldestDueSeconds: number };
  DiagnosticsLimit: { name: "projects" | "environments" | "features" | "segments" | "apiTokens"; used: number; limit: number };
  DiagnosticsLogin: { password: boolean; singleSignOn: boolean };
  DiagnosticsServer: { node: string; platform: string; cpus: number; uptimeSeconds: number; residentBytes: number; heapBytes: number };
  Drift: { feature: string; project: string; source: schemas['DriftSource']; inSync: boolean; differences: Array<schemas['DriftDifference']> };
  DriftDifference: { part: string; environment: (string | null); kind: "changed" | "only-in-source" | "only-in-copy" | "order"; source?: unknown; copy?: unknown };
  DriftSource: { project: string; feature: string; archived: boolean };
  Edge: { id: string; tokenId: number; tokenName: string; environment: string; projects: Array<string>; version: string; revision: number; behind: number; age: number; instances: number; state: "connected" | "silent" | "stopped"; createdAt: string; seenAt: string };
  EdgeClient: { token: number; id: string; application?: string; instance?: string; epoch: string; revision: number; isExact: boolean; isStreaming: boolean; interval: number; age: number };
  EdgeInstance: { token: number; application: string; instanceId: string; sdkVersion: (string | null); isFrontend: boolean; strategies?: Array<string>; seenAt: number };
  EdgeList: { edges: Array<schemas['Edge']> };
  EdgeMetricsBatch: { sequence: number; buckets: Array<schemas['EdgeMetricsBucket']>; instances: Array<schemas['EdgeInstance']> };
  EdgeMetricsBucket: { token: number; application: string; hour: number; features: Array<schemas['EdgeMetricsFeature']> };
  EdgeMetricsFeature: { name: string; yes: number; no: number; seenAt: number; variants?: { [key: string]: number } };
  EdgeQuestion: { environment: string; revision: number };
  EdgeReport: { edge: string; version: string; epoch: string; revision: number; age: number; clients: number; isIgnoring: boolean; isStopping: boolean; heard: Array<schemas['EdgeClient']>; requests: Array<schemas['EdgeRequests']>; uses: Array<number>; batch?: schemas['EdgeMetricsBatch'] };
  EdgeReportResult: { missing: Array<schemas['EdgeUnknownClient']>; questions: Array<schemas['EdgeQuestion']> };
  EdgeRequests: { environment: string; revision: number; requests: number };
  EdgeUnknownClient: { token: number; id: string };
  Environment: { name: string; type: string; enabled: boolean; protected: boolean; sortOrder: number; projectCount: number; apiTokenCount: number; enabledToggleCount: number };
  EnvironmentChoice: { environment: string };
  EnvironmentCopy: { from: string; include?: Array<"strategies" | "variants"> };
  EnvironmentInProject: { environment: string; defaultStrategy?: schemas['DefaultStrategy']; features: number; enabledFeatures: number; strategies: number; variants: number; startingFeatures: number; startingFeatureNames: Array<string> };
  EnvironmentInstance: { instanceId: string; sdkVersion: (string | null); lastSeen: string };
  EnvironmentList: { version: number; environments: Array<schemas['Environment']> };
  EnvironmentMapping: { from: string; to: string };
  EnvironmentNameCheck: { name: string };
  EnvironmentOfProject: { name: string; type: string; enabled: boolean; protected: boolean; sortOrder: number; defaultStrategy?: schemas['DefaultStrategy']; projectApiTokenCount: number; projectEnabledToggleCount: number };
  EnvironmentOfProjectList: { version: number; environments: Array<schemas['EnvironmentOfProject']> };
  EnvironmentPermissions: { name: string; permissions: Array<schemas['Permission']> };
  EnvironmentReach: { environment: string; state: schemas['ReachState']; revision: number; publishedAt: string; instances: number; live: number; unconfirmed: number; behind: number; firstAt: (string | null); halfAt: (string | null); lastAt: (string | null); requests: number };
  EnvironmentSortOrders: { [key: string]: number };
  EnvironmentUpdate: { type?: string; sortOrder?: number };
  ErrorDetail: { message: string; path?: string };
  Event: { id: number; createdAt: string; type: schemas['EventType']; createdBy: string; createdByUserId: (number | null); createdByKind?: schemas['ActorKind']; createdByToken?: schemas['EventToken']; createdByClient?: string; environment: (string | null); project: (string | null); featureName: (string | null); data: (Record<string, unknown> | null); preData: (Record<string, unknown> | null); tags: Array<schemas['Tag']>; label: string; summary: string; parts?: Array<schemas['EventPart']>; comment?: string; groupId: string; importedFrom?: schemas['EventOrigin']; ip?: (string | null) };
  EventCount: { value: (string | null); count: number; creator?: schemas['EventCreator'] };
  EventCounts: { by: "day" | "type" | "project" | "creator" | "environment"; groups: Array<schemas['EventCount']>; hasMore: boolean };
  EventCreator: { id: number; name: string };
  EventCreatorList: Array<schemas['EventCreator']>;
  EventDeliveries: { deliveries: Array<schemas['EventDelivery']> };
  EventDelivery: { id: string; integrationId: number; provider: string; description: (string | null); createdAt: string; state: schemas['IntegrationEventState']; attempts: number; lastStatus: (number | null); nextAttemptAt: (string | null) };
  EventOrigin: { product: "unleash"; id: number };
  EventPart: { text: string; strong?: boolean; place?: boolean; ref?: schemas['EventReference'] };
  EventReach: { eventId: number; state: schemas['ReachState']; liveSince: (string | null); environments: Array<schemas['EnvironmentReach']>; missing: Array<schemas['MissingInstance']>; total: number };
  EventReference: { kind: schemas['EventReferenceKind']; id: string; project?: string };
  EventReferenceKind: "feature" | "project" | "environment" | "segment" | "context-field" | "strategy" | "tag" | "tag-type" | "feature-type" | "user" | "group" | "role" | "service-account" | "integration";
  EventSearchResult: { events: Array<schemas['Event']>; total: number; totalIsLowerBound?: boolean; next?: number };
  EventToken: { id: number; name: string };
  EventType: "application-created" | "feature-created" | "feature-deleted" | "feature-updated" | "feature-metadata-updated" | "feature-variants-updated" | "feature-environment-variants-updated" | "feature-project-change" | "feature-archived" | "feature-revived" | "feature-import" | "feature-tagged" | "feature-tag-import" | "feature-strategy-update" | "feature-strategy-add" | "feature-strategy-remove" | "feature-type-updated" | "feature-completed" | "feature-uncompleted" | "strategy-order-changed" | "drop-feature-tags" | "feature-untagged" | "feature-stale-on" | "feature-stale-off" | "drop-features" | "feature-environment-enabled" | "feature-environment-disabled" | "strategy-created" | "strategy-deleted" | "strategy-deprecated" | "strategy-reactivated" | "strategy-updated" | "strategy-import" | "drop-strategies" | "context-field-created" | "context-field-updated" | "context-field-deleted" | "project-access-added" | "project-access-user-roles-updated" | "project-access-group-roles-updated" | "project-access-user-roles-deleted" | "project-access-group-roles-deleted" | "project-access-updated" | "project-created" | "project-updated" | "project-deleted" | "project-archived" | "project-revived" | "project-import" | "project-user-added" | "project-user-removed" | "project-user-role-changed" | "project-group-role-changed" | "project-group-added" | "project-group-removed" | "role-created" | "role-updated" | "role-deleted" | "drop-projects" | "tag-created" | "tag-deleted" | "tag-import" | "drop-tags" | "tag-type-created" | "tag-type-deleted" | "tag-type-updated" | "tag-type-import" | "drop-tag-types" | "addon-config-created" | "addon-config-updated" | "addon-config-deleted" | "db-pool-update" | "user-created" | "user-updated" | "user-deleted" | "drop-environments" | "environment-import" | "environment-created" | "environment-updated" | "environment-deleted" | "segment-created" | "segment-updated" | "segment-deleted" | "group-created" | "group-updated" | "group-deleted" | "group-user-added" | "group-user-removed" | "setting-created" | "setting-updated" | "setting-deleted" | "client-metrics" | "client-register" | "pat-created" | "pat-deleted" | "public-signup-token-created" | "public-signup-token-user-added" | "public-signup-token-updated" | "change-request-created" | "change-request-discarded" | "change-added" | "change-discarded" | "change-edited" | "change-request-rejected" | "change-request-approved" | "change-request-approval-added" | "change-request-cancelled" | "change-request-sent-to-review" | "change-request-schedule-suspended" | "change-request-applied" | "change-request-scheduled" | "change-request-scheduled-application-success" | "change-request-scheduled-application-failure" | "change-request-configuration-updated" | "api-token-created" | "api-token-updated" | "api-token-deleted" | "feature-favorited" | "feature-unfavorited" | "project-favorited" | "project-unfavorited" | "features-exported" | "features-imported" | "service-account-created" | "service-account-deleted" | "service-account-updated" | "feature-potentially-stale-on" | "feature-dependency-added" | "feature-dependency-removed" | "feature-dependencies-removed" | "banner-created" | "banner-updated" | "banner-deleted" | "project-environment-added" | "project-environment-removed" | "default-strategy-updated" | "segment-import" | "signal-endpoint-created" | "signal-endpoint-updated" | "signal-endpoint-deleted" | "signal-endpoint-token-created" | "signal-endpoint-token-updated" | "signal-endpoint-token-deleted" | "actions-created" | "actions-updated" | "actions-deleted" | "release-plan-template-created" | "release-plan-template-updated" | "release-plan-template-deleted" | "release-plan-template-archived" | "release-plan-added" | "release-plan-removed" | "release-plan-milestone-started" | "user-preference-updated" | "scim-users-deleted" | "scim-groups-deleted" | "feature-link-added" | "feature-link-updated" | "feature-link-removed" | "feature-owners-updated" | "project-view-created" | "project-view-updated" | "project-view-deleted" | "user-password-changed" | "user-password-link-created" | "user-sessions-ended" | "user-deactivated" | "user-reactivated" | "user-identity-linked" | "login-blocked" | "integration-disabled" | "integration-failing" | "integration-delivery-skipped" | "integration-tested" | "integration-secret-rotated" | "integration-redelivered" | "integration-backfilled" | "service-account-token-created" | "service-account-token-updated" | "service-account-token-deleted" | "health-finding-snoozed" | "health-finding-unsnoozed" | "feature-stage-entered" | "application-updated" | "application-deleted";
  EventTypeInfo: { type: "application-created" | "feature-created" | "feature-deleted" | "feature-updated" | "feature-metadata-updated" | "feature-variants-updated" | "feature-environment-variants-updated" | "feature-project-change" | "feature-archived" | "feature-revived" | "feature-import" | "feature-tagged" | "feature-tag-import" | "feature-strategy-update" | "feature-strategy-add" | "feature-strategy-remove" | "feature-type-updated" | "feature-completed" | "feature-uncompleted" | "strategy-order-changed" | "drop-feature-tags" | "feature-untagged" | "feature-stale-on" | "feature-stale-off" | "drop-features" | "feature-environment-enabled" | "feature-environment-disabled" | "strategy-created" | "strategy-deleted" | "strategy-deprecated" | "strategy-reactivated" | "strategy-updated" | "strategy-import" | "drop-strategies" | "context-field-created" | "context-field-updated" | "context-field-deleted" | "project-access-added" | "project-access-user-roles-updated" | "project-access-group-roles-updated" | "project-access-user-roles-deleted" | "project-access-group-roles-deleted" | "project-access-updated" | "project-created" | "project-updated" | "project-deleted" | "project-archived" | "project-revived" | "project-import" | "project-user-added" | "project-user-removed" | "project-user-role-changed" | "project-group-role-changed" | "project-group-added" | "project-group-removed" | "role-created" | "role-updated" | "role-deleted" | "drop-projects" | "tag-created" | "tag-deleted" | "tag-import" | "drop-tags" | "tag-type-created" | "tag-type-deleted" | "tag-type-updated" | "tag-type-import" | "drop-tag-types" | "addon-config-created" | "addon-config-updated" | "addon-config-deleted" | "db-pool-update" | "user-created" | "user-updated" | "user-deleted" | "drop-environments" | "environment-import" | "environment-created" | "environment-updated" | "environment-deleted" | "segment-created" | "segment-updated" | "segment-deleted" | "group-created" | "group-updated" | "group-deleted" | "group-user-added" | "group-user-removed" | "setting-created" | "setting-updated" | "setting-deleted" | "client-metrics" | "client-register" | "pat-created" | "pat-deleted" | "public-signup-token-created" | "public-signup-token-user-added" | "public-signup-token-updated" | "change-request-created" | "change-request-discarded" | "change-added" | "change-discarded" | "change-edited" | "change-request-rejected" | "change-request-approved" | "change-request-approval-added" | "change-request-cancelled" | "change-request-sent-to-review" | "change-request-schedule-suspended" | "change-request-applied" | "change-request-scheduled" | "change-request-scheduled-application-success" | "change-request-scheduled-application-failure" | "change-request-configuration-updated" | "api-token-created" | "api-token-updated" | "api-token-deleted" | "feature-favorited" | "feature-unfavorited" | "project-favorited" | "project-unfavorited" | "features-exported" | "features-imported" | "service-account-created" | "service-account-deleted" | "service-account-updated" | "feature-potentially-stale-on" | "feature-dependency-added" | "feature-dependency-removed" | "feature-dependencies-removed" | "banner-created" | "banner-updated" | "banner-deleted" | "project-environment-added" | "project-environment-removed" | "default-strategy-updated" | "segment-import" | "signal-endpoint-created" | "signal-endpoint-updated" | "signal-endpoint-deleted" | "signal-endpoint-token-created" | "signal-endpoint-token-updated" | "signal-endpoint-token-deleted" | "actions-created" | "actions-updated" | "actions-deleted" | "release-plan-template-created" | "release-plan-template-updated" | "release-plan-template-deleted" | "release-plan-template-archived" | "release-plan-added" | "release-plan-removed" | "release-plan-milestone-started" | "user-preference-updated" | "scim-users-deleted" | "scim-groups-deleted" | "feature-link-added" | "feature-link-updated" | "feature-link-removed" | "feature-owners-updated" | "project-view-created" | "project-view-updated" | "project-view-deleted" | "user-password-changed" | "user-password-link-created" | "user-sessions-ended" | "user-deactivated" | "user-reactivated" | "user-identity-linked" | "login-blocked" | "integration-disabled" | "integration-failing" | "integration-delivery-skipped" | "integration-tested" | "integration-secret-rotated" | "integration-redelivered" | "integration-backfilled" | "service-account-token-created" | "service-account-token-updated" | "service-account-token-deleted" | "health-finding-snoozed" | "health-finding-unsnoozed" | "feature-stage-entered" | "application-updated" | "application-deleted"; label: string; emitted: boolean };
  EventTypeList: { eventTypes: Array<schemas['EventTypeInfo']> };
  ExportRequest: { environment: string; features?: Array<string>; project?: string; tag?: string; downloadFile?: boolean };
  ExportedContextField: { name: string; description?: (string | null); stickiness?: boolean; sortOrder?: number; legalValues?: Array<schemas['LegalValue']> };
  ExportedDependencies: { feature: string; dependencies: Array<schemas['ExportedDependency']> };
  ExportedDependency: { feature: string; enabled?: boolean; variants?: Array<string> };
  ExportedFeature: { name: string; type?: string; description?: (string | null); impressionData?: (boolean | null); stale?: boolean };
  ExportedFeatureEnvironment: { featureName: string; enabled: boolean; variants?: Array<schemas['Variant']> };
  ExportedFeatureTag: { featureName: string; tagType: string; tagValue: string };
  ExportedLink: { url: string; title?: (string | null) };
  ExportedLinks: { feature: string; links: Array<schemas['ExportedLink']> };
  ExportedSegment: { id: number; name: string };
  ExportedStrategy: { featureName: string; name: string; title?: (string | null); disabled?: (boolean | null); sortOrder?: (number | null); parameters?: { [key: string]: string }; constraints?: Array<schemas['Constraint']>; variants?: Array<schemas['NewStrategyVariant']>; segments?: Array<number> };
  ExportedTagType: { name: string; description?: (string | null); icon?: (string | null); color?: (string | null) };
  Feature: { name: string; type: string; description?: string; project: string; stale: boolean; impressionData: boolean; archived: boolean; createdAt: string; enabled: boolean; archivedAt?: string; createdBy?: schemas['Collaborator']; lastSeenAt?: string; environments: Array<schemas['FeatureEnvironment']>; variants: Array<schemas['Variant']>; tags: Array<schemas['Tag']>; dependencies: Array<schemas['Dependency']>; children: Array<string>; links: Array<schemas['FeatureLink']>; lifecycle: schemas['Lifecycle']; collaborators: schemas['Collaborators']; clonedFrom: schemas['ClonedFrom']; favorite: boolean };
  FeatureCompletion: { status: "kept" | "discarded"; statusValue?: (string | null) };
  FeatureCopy: { feature: string; project: string; archived: boolean; createdAt: string; inSync: boolean; differences: number };
  FeatureCounts: { featureName: string; appName: string; environment: string; timestamp: string; yes: number; no: number; variants: { [key: string]: number } };
  FeatureEnvironment: { name: string; environment: string; featureName: string; type: string; enabled: boolean; sortOrder: number; variantCount: number; variants: Array<schemas['Variant']>; strategies: Array<schemas['FeatureStrategy']>; lastSeenAt?: string; hasStrategies: boolean; hasEnabledStrategies: boolean };
  FeatureEnvironmentUsage: { environment: string; timestamp: string; yes: number; no: number; variants: { [key: string]: number } };
  FeatureExport: { features: Array<schemas['ExportedFeature']>; featureStrategies: Array<schemas['ExportedStrategy']>; featureEnvironments?: Array<schemas['ExportedFeatureEnvironment']>; featureTags?: Array<schemas['ExportedFeatureTag']>; tagTypes?: Array<schemas['ExportedTagType']>; contextFields?: Array<schemas['ExportedContextField']>; segments?: Array<schemas['ExportedSegment']>; dependencies?: Array<schemas['ExportedDependencies']>; links?: Array<schemas['ExportedLinks']> };
  FeatureLeadTime: { name: string; timeToProduction: number };
  FeatureLink: { id: string; url: string; title: (string | null) };
  FeatureLinkInput: { url: string; title?: (string | null) };
  FeatureList: { version: number; features: Array<schemas['Feature']> };
  FeatureMove: { newProjectId: string };
  FeatureNameCheck: { name: string; projectId?: (string | null) };
  FeatureNames: { features: Array<string> };
  FeatureNaming: { pattern?: string; example?: string; description?: string };
  FeatureNamingInput: { pattern?: (string | null); example?: (string | null); description?: (string | null) };
  FeatureSearchResult: { features: Array<schemas['FoundFeature']>; total: number };
  FeatureStrategy: { id: string; featureName: string; name: string; title?: string; disabled: boolean; sortOrder: number; segments: Array<number>; constraints: Array<schemas['Constraint']>; variants: Array<schemas['StrategyVariant']>; parameters: { [key: string]: string } };
  FeatureStrategyList: Array<schemas['FeatureStrategy']>;
  FeatureToClone: { feature: string; name: string };
  FeatureType: { id: string; name: string; description: string; lifetimeDays: (number | null) };
  FeatureTypeCount: { type: string; count: number };
  FeatureTypeLifetime: { lifetimeDays: (number | null) };
  FeatureTypeList: { version: number; types: Array<schemas['FeatureType']> };
  FeatureUpdate: { type?: string; description?: (string | null); impressionData?: boolean; stale?: boolean };
  FeatureUsage: { version: number; maturity: string; featureName: string; lastHourUsage: Array<schemas['FeatureEnvironmentUsage']>; seenApplications: Array<string> };
  FlagCreator: { id: number; name: string };
  FlagCreatorList: Array<schemas['FlagCreator']>;
  FoundEnvironment: { name: string; type: string; sortOrder: number; enabled: boolean; blockedBy?: string; variantCount: number; hasStrategies: boolean; hasEnabledStrategies: boolean; lastSeenAt?: string; yes: number; no: number };
  FoundFeature: { name: string; type: string; description?: string; project: string; stale: boolean; impressionData: boolean; favorite: boolean; createdAt: string; createdBy?: schemas['Collaborator']; archivedAt?: string; lastSeenAt?: string; lifecycle: schemas['Lifecycle']; dependencyType: "parent" | "child" | null; tags: Array<schemas['Tag']>; segments: Array<string>; environments: Array<schemas['FoundEnvironment']>; collaborators: schemas['Collaborators'] };
  FrontendContext: { userId?: string; sessionId?: string; remoteAddress?: string; currentTime?: string; appName?: string; environment?: string; properties?: { [key: string]: string } };
  FrontendFeature: { name: string; enabled: boolean; variant: schemas['FrontendVariant']; impressionData: boolean };
  FrontendFeatures: { toggles: Array<schemas['FrontendToggle']> };
  FrontendPayload: { type: string; value: string };
  FrontendRequest: { context?: schemas['FrontendContext'] };
  FrontendToggle: { name: string; enabled: boolean; variant: schemas['FrontendVariant']; impressionData: boolean };
  FrontendVariant: { name: string; enabled: boolean; payload?: schemas['FrontendPayload']; feature_enabled: boolean; featureEnabled: boolean };
  Group: { id: number; name: string; description: (string | null); mappingsSSO: Array<string>; rootRole: (number | null); createdAt: string; createdBy: string; users: Array<schemas['GroupMember']>; userCount: number; projects: Array<string> };
  GroupAccess: { id: number; name: string; description: (string | null); mappingsSSO: Array<string>; rootRole: (number | null); createdAt: string; createdBy: string; users: Array<schemas['GroupMember']>; roleId: number; roles: Array<number>; addedAt: string };
  GroupInput: { name: string; description?: (string | null); mappingsSSO?: Array<string>; rootRole?: (number | null); users?: Array<schemas['GroupMemberInput']> };
  GroupList: { groups: Array<schemas['Group']> };
  GroupMember: { joinedAt: string; createdBy: string; user: schemas['Member'] };
  GroupMemberInput: { user: schemas['UserReference'] };
  GroupOfUser: { id: number; name: string; joinedAt: string; createdBy: string };
  GroupProjects: { projects: Array<schemas['ProjectOfGroup']> };
  Health: { health: "GOOD" | "BAD" };
  HealthCounts: { features: number; stale: number; potentiallyStale: number };
  HealthDay: { date: string; health: number; technicalDebt: number; features: number; stale: number; potentiallyStale: number };
  HealthEvidence: { since: (string | null); type?: string; createdAt: string; ageDays: number; lifetimeDays?: (number | null); lastSeenAt?: (string | null); environments: Array<schemas['HealthEvidenceEnvironment']>; lastChange: schemas['HealthEvidenceChange']; unreadable?: Array<schemas['HealthEvidenceString']>; violations?: Array<string>; archivedParents?: Array<string>; clonedFrom?: string; result?: "enabled" | "disabled"; variant?: (string | null); applications?: Array<schemas['HealthEvidenceApplication']>; references?: Array<string> };
  HealthEvidenceApplication: { name: string; environments: Array<string>; lastSeenAt: string };
  HealthEvidenceChange: ({ id: number; type: string; at: string; by: string } | null);
  HealthEvidenceEnvironment: { name: string; enabled: boolean; toggledAt: string; lastSeenAt: (string | null); hasEnabledStrategies: boolean };
  HealthEvidenceString: { environment: string; segment: (string | null); string: string };
  HealthFinding: { id: string; rule: schemas['HealthRuleName']; feature: (string | null); segment: schemas['HealthFindingSegment']; evidence: schemas['HealthEvidence']; remedy: string; points: number; snooze: (schemas['HealthSnooze'] | null) };
  HealthFindingSegment: ({ id: number; name: string } | null);
  HealthHistory: { project: string; formula: string; days: Array<schemas['HealthDay']> };
  HealthRating: { rating: number; activeCount: number; potentiallyStaleCount: number; staleCount: number };
  HealthReport: { version: number; name: string; description: string; mode: "open" | "protected" | "private"; defaultStickiness: string; featureLimit: (number | null); featureNaming: schemas['FeatureNaming']; members: number; favorite: boolean; environments: Array<schemas['ProjectEnvironment']>; createdAt: string; updatedAt: string; stats: schemas['ProjectStats']; health: number; technicalDebt: number; activeCount: number; potentiallyStaleCount: number; staleCount: number; features: Array<schemas['Feature']> };
  HealthRule: { rule: schemas['HealthRuleName']; description: string; remedy: string; findings: number; snoozed: number; points: number; conclusive: boolean };
  HealthRuleName: "stale" | "past-lifetime" | "enabled-everywhere" | "disabled-everywhere" | "never-seen" | "outside-production" | "constant-result" | "archived-in-use" | "no-strategies" | "unreadable-strategy" | "imported-as-is" | "archived-parent" | "duplicate-of-clone" | "no-owner" | "unused-segment";
  HealthSnooze: { reason: string; until: string; createdAt: string; createdBy: string };
  HeldPermission: { permission: string; project?: string; environment?: string };
  HeldRole: { id: number; name: string; type: "root" | "root-custom" | "project" | "custom"; description: string; project?: string };
  HeldRoleIds: { roles: Array<number> };
  HeldRoleList: { version: number; roles: Array<schemas['HeldRole']> };
  HeldRootRole: ({ id: number; name: string; type: "root" | "root-custom" | "project" | "custom"; description: string; project?: string } | null);
  HolderOfRole: { kind: "user" | "service-account" | "group" | "single-sign-on"; id: (number | null); name: string; project: schemas['ProjectOfGrant']; members?: number };
  HoldersOfRole: { holders: Array<schemas['HolderOfRole']>; total: number };
  ImportEffect: { created: Array<string>; overwritten: Array<string>; leftOut: Array<string>; contextFields: Array<string>; tagTypes: Array<string> };
  ImportFinding: { message: string; affectedItems: Array<string> };
  ImportReport: { errors: Array<schemas['ImportFinding']>; warnings: Array<schemas['ImportFinding']>; permissions: Array<schemas['ImportFinding']>; effect: schemas['ImportEffect'] };
  ImportRequest: { project: string; environment: string; data: schemas['FeatureExport'] };
  ImpressionEvent: { eventType?: string; featureName?: string; enabled?: boolean };
  ImpressionEvents: (schemas['ImpressionEvent'] | Array<schemas['ImpressionEvent']>);
  InactiveUser: { id: number; name: (string | null); username: (string | null); email: (string | null); createdAt: string; seenAt: (string | null); patSeenAt: (string | null) };
  InactiveUserList: { version: number; inactiveUsers: Array<schemas['InactiveUser']> };
  InsightsFeatureTypeCount: { type: string; count: number };
  Instance: { version: string; edition: string; license: string; publicUrl: string; limits: schemas['InstanceLimits']; deliveries: schemas['DeliverySchedule']; login: schemas['InstanceLogin']; mail: boolean; eventRetentionDays: (number | null); postgresVersion?: string };
  InstanceBehind: { instanceId: string; revision: number; since: string; lastSeen: string };
  InstanceLimits: { projects: number; environments: number; features: number; segments: number; apiTokens: number; writesPerMinute: (number | null); writeBurst: (number | null) };
  InstanceLogin: { password: boolean; singleSignOn: boolean };
  InstanceStatistics: { instanceId: string; timestamp: string; versionOSS: string; versionEnterprise: string; users: number; activeUsers: schemas['ActiveUsers']; serviceAccounts: number; groups: number; roles: number; customRootRoles: number; customRootRolesInUse: number; apiTokens: schemas['ApiTokenCounts']; projects: number; featureToggles: number; archivedFeatureToggles: number; environments: number; segments: number; contextFields: number; strategies: number; clientApps: Array<schemas['ApplicationCount']>; passwordAuthEnabled: boolean; OIDCenabled: boolean; SAMLenabled: boolean; SCIMenabled: boolean };
  Integration: { id: number; provider: string; description: (string | null); enabled: boolean; parameters: { [key: string]: string }; events: Array<string>; projects: Array<string>; environments: Array<string>; eventsWithoutProject: boolean; filter: schemas['IntegrationFilter']; ordered: boolean; whenExhausted: "skip" | "block"; createdAt: string; failingSince: (string | null); disabledAt: (string | null); disabledBecause: (string | null); oldSecretUntil: (string | null); problem: (string | null) };
  IntegrationEvent: { id: string; integrationId: number; createdAt: string; state: schemas['IntegrationEventState']; stateDetails: string; event: schemas['Event']; details: Record<string, unknown>; attempts: number; lastStatus: (number | null); lastOutcome: (string | null); nextAttemptAt: (string | null); blocks: boolean; replayOf: (string | null) };
  IntegrationEventState: "pending" | "retrying" | "success" | "successWithErrors" | "failed";
  IntegrationEventWithAttempts: { id: string; integrationId: number; createdAt: string; state: schemas['IntegrationEventState']; stateDetails: string; event: schemas['Event']; details: Record<string, unknown>; attempts: number; lastStatus: (number | null); lastOutcome: (string | null); nextAttemptAt: (string | null); blocks: boolean; replayOf: (string | null); attemptList: Array<schemas['DeliveryAttempt']> };
  IntegrationEvents: { integrationEvents: Array<schemas['IntegrationEvent']>; total: number; isTotalExact: boolean; next?: number };
  IntegrationFilter: ({ query?: string; feature?: string; project?: string; type?: string; createdBy?: string; environment?: string } | null);
  IntegrationInput: { provider: string; description?: (string | null); enabled: boolean; parameters: Record<string, unknown>; events: Array<string>; projects?: Array<string>; environments?: Array<string>; eventsWithoutProject?: boolean; filter?: schemas['IntegrationFilter']; ordered?: boolean; whenExhausted?: "skip" | "block" };
  IntegrationList: { addons: Array<schemas['Integration']>; providers: Array<schemas['IntegrationProvider']> };
  IntegrationParameter: { name: string; displayName: string; type: "text" | "textfield" | "url"; description: string; placeholder: string; required: boolean; sensitive: boolean };
  IntegrationPreview: { events: Array<schemas['Event']>; isComplete: boolean };
  IntegrationPreviewInput: { events: Array<string>; projects?: Array<string>; environments?: Array<string>; eventsWithoutProject?: boolean; filter?: schemas['IntegrationFilter'] };
  IntegrationProvider: { name: string; displayName: string; description: string; howTo: string; documentationUrl: string; parameters: Array<schemas['IntegrationParameter']>; events: Array<string>; tagTypes: Array<schemas['IntegrationTagType']>; filters: string; signed: boolean };
  IntegrationStats: { pending: number; retrying: number; last24Hours: schemas['DeliveryCounts']; hours: Array<schemas['DeliveryPeriod']>; last30Days: schemas['DeliveryCounts']; days: Array<schemas['DeliveryPeriod']> };
  IntegrationTagType: { name: string; description: string; icon: string };
  JoinedGroup: ({ id: number; name: string } | null);
  JsonPatch: Array<schemas['PatchOperation']>;
  LeadTime: { projectAverage: number; features: Array<schemas['FeatureLeadTime']> };
  LegalValue: { value: string; description?: string };
  Lifecycle: { stage: schemas['LifecycleStage']; enteredStageAt: string; status?: "kept" | "discarded"; statusValue?: string };
  LifecycleCount: { initial: number; preLive: number; live: number; completed: number; archived: number };
  LifecycleHistory: Array<schemas['Lifecycle']>;
  LifecycleStage: "initial" | "pre-live" | "live" | "completed" | "archived";
  LifecycleSummary: { initial: schemas['StageSummary']; preLive: schemas['StageSummary']; live: schemas['StageSummary']; completed: schemas['StageSummary']; archived: schemas['ArchivedSummary'] };
  ListedProject: { id: string; name: string; description: string; mode: "open" | "protected" | "private"; defaultStickiness: string; featureLimit: (number | null); debtBudget: (number | null); requireComment: boolean; featureNaming: schemas['FeatureNaming']; members: number; createdAt: string; updatedAt: string; archivedAt: (string | null); favorite: boolean; environments: Array<string>; memberCount: number; owners: Array<schemas['ProjectOwner']>; featureCount: number; staleFeatureCount: number; potentiallyStaleFeatureCount: number; health: number; technicalDebt: number; lastEventAt: (string | null) };
  ListedStrategy: { id?: string; name: string; title?: (string | null); disabled?: (boolean | null); parameters?: { [key: string]: string }; constraints?: Array<schemas['Constraint']>; variants?: Array<schemas['NewStrategyVariant']>; segments?: Array<number> };
  ListedUser: { id: number; name: (string | null); username: (string | null); email: (string | null); rootRole: (number | null); isAPI: boolean; imageUrl: string; accountType: string; createdAt: string; seenAt: (string | null); deactivatedAt: (string | null); inviteLink?: string; emailSent?: boolean; hasPassword: boolean; hasSingleSignOn: boolean; invitedUntil: (string | null); groups: Array<string> };
  LoginMethod: { type: "password" | "oidc"; label: string; path: string };
  LoginMethodList: { methods: Array<schemas['LoginMethod']> };
  LoginRequest: { username: string; password: string };
  MaintenanceMode: { enabled: boolean };
  Manifest: { flags: Array<schemas['ManifestFlag']> };
  ManifestFlag: { key: string; type: "boolean" | "string" | "integer" | "object"; defaultValue: unknown; description?: string };
  ManifestFlagUpdate: { key: string; type: "boolean" | "string" | "integer" | "object"; defaultValue?: unknown; name?: string; description?: string };
  Me: { user: schemas['Caller']; permissions: Array<schemas['HeldPermission']>; token?: schemas['CallingToken']; feedback: Array<schemas['SeenFeedback']>; splash: { [key: string]: boolean } };
  Member: { id: number; name: (string | null); username: (string | null); email: (string | null); isAPI: boolean };
  MemberChange: { currentMembers: number; change: number };
  MissingInstance: { application: (string | null); instance: (string | null); environment: string; revision: number; streaming: boolean; lastContactAt: string };
  NamedGroup: { id: number; name: string };
  NamedRole: { id: number; name: string };
  NamingCheck: { features: number; violations: number; names: Array<string> };
  NamingPreview: { featureNaming: schemas['FeatureNamingInput'] };
  NewApiToken: { tokenName?: string; username?: string; type: "client" | "backend" | "frontend" | "edge"; environment?: string; project?: string; projects?: Array<string>; expiresAt?: (string | null); alias?: (string | null) };
  NewContextField: { name: string; description?: (string | null); stickiness?: boolean; sortOrder?: number; legalValues?: Array<schemas['LegalValue']> };
  NewDependency: { feature: string; enabled?: boolean; variants?: Array<string> };
  NewEnvironment: { name: string; type: string; enabled?: boolean; sortOrder?: number };
  NewFeature: { name: string; type?: string; description?: (string | null); impressionData?: boolean; tags?: Array<schemas['NewTag']> };
  NewHealthSnooze: { reason: string; until: string };
  NewIntegration: { id: number; provider: string; description: (string | null); enabled: boolean; parameters: { [key: string]: string }; events: Array<string>; projects: Array<string>; environments: Array<string>; eventsWithoutProject: boolean; filter: schemas['IntegrationFilter']; ordered: boolean; whenExhausted: "skip" | "block"; createdAt: string; failingSince: (string | null); disabledAt: (string | null); disabledBecause: (string | null); oldSecretUntil: (string | null); problem: (string | null); signingSecret?: string };
  NewManifestFlag: { key: string; type: "boolean" | "string" | "integer" | "object"; defaultValue?: unknown; name?: string; description?: string };
  NewMember: { username?: (string | null); email: string; name?: (string | null); password: string };
  NewPassword: { password: string; confirmPassword?: string };
  NewPersonalToken: { description: string; expiresAt: string; scope?: schemas['TokenScope']; kind?: "personal" | "agent" };
  NewProject: { id?: string; name: string; description?: string; mode?: "open" | "protected" | "private"; defaultStickiness?: string; environments?: Array<string>; featureNaming?: schemas['FeatureNamingInput'] };
  NewServiceAccount: { name?: string; username?: string; rootRole: number; readsTokenSecrets?: boolean };
  NewServiceToken: { description: string; expiresAt: string; scope?: schemas['TokenScope'] };
  NewSignupToken: { name: string; expiresAt: string };
  NewStrategy: { name: string; title?: (string | null); disabled?: (boolean | null); sortOrder?: number; parameters?: { [key: string]: string }; constraints?: Array<schemas['Constraint']>; variants?: Array<schemas['NewStrategyVariant']>; segments?: Array<number> };
  NewStrategyParameter: { name: string; type: schemas['StrategyParameterType']; description?: string; required?: boolean };
  NewStrategyType: { name: string; description?: string; parameters?: Array<schemas['NewStrategyParameter']> };
  NewStrategyVariant: { name: string; weight: number; weightType: "fix" | "variable"; payload?: schemas['VariantPayload']; stickiness?: string };
  NewTag: { type: string; value: string };
  NewTagType: { name: string; description?: (string | null); icon?: (string | null); color?: (string | null) };
  NewUser: { username?: (string | null); email?: (string | null); name?: (string | null); password?: (string | null); rootRole: (number | string); sendEmail?: boolean };
  OfrepContext: { targetingKey?: string };
  OfrepEndpoint: { requestUri: string };
  OfrepEvaluation: { key: string; value: unknown; reason: string; variant?: string };
  OfrepEvaluations: { flags: Array<schemas['OfrepEvaluation']>; eventStreams: Array<schemas['OfrepEventStream']> };
  OfrepEventStream: { type: string; endpoint: schemas['OfrepEndpoint']; inactivityDelaySec: number };
  OfrepFailure: { key?: string; errorCode: string; errorDetails: string };
  OfrepRequest: { context?: schemas['OfrepContext'] };
  OidcCheck: { name: "discovery" | "issuer" | "keys" | "client" | "algorithm" | "claims" | "scope" | "logout"; result: "passed" | "warning" | "failed"; message: string };
  OidcSettings: { enabled: boolean; discoverUrl: (string | null); clientId: (string | null); autoCreate: boolean; emailDomains: string; enableSingleSignOut: boolean; enableGroupSyncing: boolean; groupJsonPath: (string | null); addGroupsScope: boolean; acrValues: (string | null); idTokenSigningAlgorithm: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA" | null; secret: (string | null); defaultRootRole?: string; defaultRootRoleId: number };
  OidcSettingsInput: { enabled?: boolean; discoverUrl?: (string | null); clientId?: (string | null); autoCreate?: boolean; emailDomains?: string; enableSingleSignOut?: boolean; enableGroupSyncing?: boolean; groupJsonPath?: (string | null); addGroupsScope?: boolean; acrValues?: (string | null); idTokenSigningAlgorithm?: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA" | null; secret?: (string | null); defaultRootRole?: string; defaultRootRoleId?: number };
  OidcTest: { passed: boolean; issuer: (string | null); checks: Array<schemas['OidcCheck']> };
  OmittedPart: { part: string; environment: (string | null); reason: string };
  OneTag: { version: number; tag: schemas['Tag'] };
  OneTagType: { version: number; tagType: schemas['TagType'] };
  OtherAccessRole: { role: schemas['AccessRole']; project: (string | null); group: schemas['AccessGroup']; grantedBy: (string | null); grantedAt: (string | null); why: "lacks-permission" | "other-environments" | "other-projects"; environments: Array<string> };
  OverviewPermission: { id: number; displayName: string; name: string; type: "root" | "project" | "environment"; environment?: string; hasPermission: boolean };
  OverviewPermissions: { root: Array<schemas['OverviewPermission']>; project: Array<schemas['OverviewPermission']>; environment: Array<schemas['OverviewPermission']> };
  OwnNewPassword: { password: string; confirmPassword?: string; oldPassword: string };
  OwnedFeature: { name: string; project: string; owners: number };
  OwnedProject: { id: string; name: string };
  OwnedResources: { features: Array<schemas['OwnedFeature']>; featureCount: number; projects: Array<schemas['OwnedProject']>; projectCount: number };
  Owner: { type: "user" | "group"; id: number; name: string; login: (string | null); deactivated: boolean };
  OwnerKey: { type: "user" | "group"; id: number };
  OwnerList: { owners: Array<schemas['Owner']> };
  OwnersInput: { owners: Array<schemas['OwnerKey']> };
  ParentVariants: Array<string>;
  PasswordByLink: { token: string; password: string };
  PasswordLink: { id: number; name: (string | null); username: (string | null); email: (string | null); createdBy: string; role: schemas['PasswordLinkRole'] };
  PasswordLinkRole: ({ id: number; name: string; type: string; description: string } | null);
  PasswordMailRequest: { email: string };
  PasswordToCheck: { password: string };
  PatchOperation: { op: "add" | "remove" | "replace" | "move" | "copy" | "test"; path: string; from?: string; value?: unknown };
  Permission: { id: number; name: string; displayName: string; type: "root" | "project" | "environment"; environment?: string; project?: string };
  PermissionInput: { name: string; environment?: (string | null) };
  PermissionOverview: { overview: schemas['OverviewPermissions']; user: schemas['User']; rootRole: schemas['HeldRootRole']; projectRoles: Array<schemas['HeldRole']> };
  Permissions: { version: number; permissions: schemas['PermissionsByScope'] };
  PermissionsByScope: { root: Array<schemas['Permission']>; project: Array<schemas['Permission']>; environments: Array<schemas['EnvironmentPermissions']> };
  Person: { id: number; name: (string | null); username: (string | null); email: (string | null) };
  PersonList: Array<schemas['Person']>;
  PersonalToken: { id: number; description: string; userId: number; createdAt: string; expiresAt: string; seenAt: (string | null); kind: "personal" | "service" | "agent"; scope: (schemas['TokenScope'] | null); changesLeft: (number | null); secret?: string };
  PersonalTokenList: { pats: Array<schemas['PersonalToken']> };
  PlannedCopy: { source: schemas['CloneSource']; name: string; project: string; type: string; description?: string; impressionData: boolean; environments: Array<schemas['PlannedEnvironment']>; tags: Array<schemas['Tag']>; dependencies: Array<schemas['Dependency']>; omitted: Array<schemas['OmittedPart']> };
  PlannedEnvironment: { name: string; from: string; strategies: Array<schemas['PlannedStrategy']>; variants: Array<schemas['Variant']> };
  PlannedStrategy: { copyOf: string; name: string; title?: string; disabled: boolean; sortOrder: number; segments: Array<number>; constraints: Array<schemas['Constraint']>; variants: Array<schemas['StrategyVariant']>; parameters: { [key: string]: string } };
  PlaygroundConstraint: { contextName: string; operator: schemas['ConstraintOperator']; caseInsensitive?: boolean; inverted?: boolean; values?: Array<string>; value?: string; result: boolean; actual: (string | null) };
  PlaygroundContext: { appName?: string; environment?: string; userId?: string; sessionId?: string; remoteAddress?: string; currentTime?: string; properties?: { [key: string]: (string | number | boolean) }; [key: string]: unknown };
  PlaygroundDependency: { feature: string; requires: "enabled" | "disabled"; variants: Array<string>; state: "enabled" | "disabled" | "missing" | "has-parent"; variant: (string | null); result: boolean };
  PlaygroundDraft: { feature: string; environment: string; enabled?: boolean; strategies: schemas['StrategyList'] };
  PlaygroundEvaluation: { name: string; projectId: string; environment: string; context: Record<string, unknown>; isEnabled: boolean; isEnabledInCurrentEnvironment: boolean; hasUnsatisfiedDependency: boolean; reason: "flag-disabled" | "parent" | "no-strategies" | "strategy-matches" | "no-strategy-matches"; explanation: Array<string>; variant: schemas['PlaygroundVariant']; variants: Array<schemas['Variant']>; variantSelection: (schemas['PlaygroundVariantSelection'] | null); strategies: schemas['PlaygroundStrategies']; dependencies: Array<schemas['PlaygroundDependency']> };
  PlaygroundInput: { environment: string; projects: (Array<string> | "*"); context: schemas['PlaygroundContext']; at?: string };
  PlaygroundLinks: { edit: string };
  PlaygroundNotEvaluated: { feature: string; environment: string; reason: "not-created" | "deleted" | "archived" | "moved" | "environment-changed" };
  PlaygroundRequest: { environment: string; context: schemas['PlaygroundContext']; projects?: (Array<string> | "*"); features?: Array<string>; drafts?: Array<schemas['PlaygroundDraft']>; at?: string };
  PlaygroundResult: { input: schemas['PlaygroundInput']; features: Array<schemas['PlaygroundEvaluation']>; notEvaluated?: Array<schemas['PlaygroundNotEvaluated']> };
  PlaygroundRule: { kind: "everyone" | "rollout" | "list" | "hosts" | "custom"; satisfied: (boolean | null); stickiness?: string; stickinessField?: (string | null); stickinessValue?: (string | null); random?: boolean; groupId?: (string | null); bucket?: (number | null); threshold?: (number | null); contextName?: string; actual?: (string | null); list?: Array<string> };
  PlaygroundSegment: { id: number; name: string; result: boolean; missing: boolean; constraints: Array<schemas['PlaygroundConstraint']> };
  PlaygroundStrategies: { result: true | false | "unknown"; data: Array<schemas['PlaygroundStrategy']> };
  PlaygroundStrategy: { id: string; name: string; title?: string; disabled: boolean; parameters: { [key: string]: string }; result: schemas['PlaygroundStrategyResult']; constraints: Array<schemas['PlaygroundConstraint']>; segments: Array<schemas['PlaygroundSegment']>; rule?: schemas['PlaygroundRule']; explanation: string; links: schemas['PlaygroundLinks'] };
  PlaygroundStrategyResult: { enabled: true | false | "unknown"; evaluationStatus: "complete" | "incomplete" | "unevaluated"; variant?: schemas['PlaygroundVariant'] };
  PlaygroundVariant: { name: string; enabled: boolean; feature_enabled: boolean; payload?: schemas['ServedPayload'] };
  PlaygroundVariantSelection: { source: "strategy" | "feature"; groupId: string; stickiness: string; stickinessField: (string | null); stickinessValue: (string | null); random: boolean; override: (schemas['SelectedOverride'] | null); totalWeight: number; bucket: (number | null); ranges: Array<schemas['VariantRange']>; name: (string | null) };
  PossibleParents: Array<string>;
  PreviewRequest: { days?: number; eventId?: number };
  PreviewedEvents: { total: number; events: Array<schemas['Event']>; rendered: (schemas['RenderedDelivery'] | null) };
  Profile: { rootRole: schemas['ProfileRootRole']; groups: Array<string>; projects: Array<string>; features: Array<schemas['ProfileFeature']>; subscriptions: Array<string>; canChangePassword: boolean };
  ProfileFeature: { name: string; project: string };
  ProfileRootRole: ({ id: number; name: string; type: "root" | "root-custom" | "project" | "custom"; description: string } | null);
  Project: { id: string; name: string; description: string; mode: "open" | "protected" | "private"; defaultStickiness: string; featureLimit: (number | null); debtBudget: (number | null); requireComment: boolean; featureNaming: schemas['FeatureNaming']; members: number; createdAt: string; updatedAt: string; archivedAt: (string | null); favorite: boolean; environments: Array<string> };
  ProjectAccess: { version: number; roles: Array<schemas['Role']>; users: Array<schemas['UserAccess']>; groups: Array<schemas['GroupAccess']> };
  ProjectApplication: { name: string; environments: Array<string>; instances: Array<string>; sdks: Array<schemas['ProjectApplicationSdk']> };
  ProjectApplicationList: { applications: Array<schemas['ProjectApplication']>; total: number };
  ProjectApplicationSdk: { name: string; versions: Array<string> };
  ProjectEnvironment: { environment: string; changeRequestsEnabled: boolean; defaultStrategy?: schemas['DefaultStrategy'] };
  ProjectEnvironmentUsage: { environment: string; yes: number; no: number; lastDay: string };
  ProjectFeatureUsage: { name: string; environments: Array<schemas['ProjectEnvironmentUsage']> };
  ProjectGrant: { role: schemas['NamedRole']; group?: schemas['NamedGroup']; grantedAt: string };
  ProjectHealth: { project: string; at: string; health: number; technicalDebt: number; formula: string; counts: schemas['HealthCounts']; debtBudget: schemas['DebtBudget']; rules: Array<schemas['HealthRule']>; findings: Array<schemas['HealthFinding']>; total: number };
  ProjectInsights: { stats: schemas['ProjectStats']; featureTypeCounts: Array<schemas['InsightsFeatureTypeCount']>; leadTime: schemas['LeadTime']; members: schemas['MemberChange']; health: schemas['HealthRating']; technicalDebt: schemas['TechnicalDebtRating'] };
  ProjectList: { version: number; projects: Array<schemas['ListedProject']> };
  ProjectOfGrant: ({ id: string; name: string } | null);
  ProjectOfGroup: { id: string; name: string; roles: Array<schemas['NamedRole']>; grantedAt: string };
  ProjectOfUser: { id: string; name: string; mode: "open" | "protected" | "private"; readable: boolean; roles: Array<schemas['NamedRole']>; grants: Array<schemas['ProjectGrant']>; rootRoles: Array<schemas['RootGrant']> };
  ProjectOverview: { version: number; name: string; description: string; mode: "open" | "protected" | "private"; defaultStickiness: string; featureLimit: (number | null); debtBudget: (number | null); requireComment: boolean; featureNaming: schemas['FeatureNaming']; members: number; createdAt: string; updatedAt: string; archivedAt: (string | null); favorite: boolean; environments: Array<schemas['ProjectOverviewEnvironment']>; featureTypeCounts: Array<schemas['FeatureTypeCount']> };
  ProjectOverviewEnvironment: { environment: string; defaultStrategy?: schemas['DefaultStrategy'] };
  ProjectOwner: { ownerType: "user" | "group" | "system"; name?: string };
  ProjectResources: { members: number; apiTokens: number; segments: number };
  ProjectSettings: { mode?: "open" | "protected" | "private"; defaultStickiness?: string; featureLimit?: (number | null); debtBudget?: (number | null); requireComment?: boolean; featureNaming?: schemas['FeatureNamingInput'] };
  ProjectStats: { avgTimeToProdCurrentWindow: number; createdCurrentWindow: number; createdPastWindow: number; archivedCurrentWindow: number; archivedPastWindow: number; projectActivityCurrentWindow: number; projectActivityPastWindow: number; projectMembersAddedCurrentWindow: number };
  ProjectStatus: { resources: schemas['ProjectResources']; health: schemas['ProjectStatusHealth']; technicalDebt: schemas['ProjectStatusDebt']; staleFlags: schemas['StaleFlagCount']; lifecycleSummary: schemas['LifecycleSummary']; activityCountByDate: Array<schemas['DayActivity']> };
  ProjectStatusDebt: { current: number };
  ProjectStatusHealth: { current: number };
  ProjectUpdate: { name: string; description?: string; mode?: "open" | "protected" | "private"; defaultStickiness?: string };
  ProjectUsage: { total: number; features: Array<schemas['ProjectFeatureUsage']> };
  ProjectView: { id: number; name: string; page: string; query: string; createdByUserId: number; createdBy: string; createdAt: string };
  ProjectViewInput: { name: string; page: string; query: string };
  ProjectViewList: { views: Array<schemas['ProjectView']> };
  QueuedDeliveries: { deliveries: number; complete: boolean };
  RawFeatureUsage: { version: number; maturity: string; featureName: string; data: Array<schemas['FeatureCounts']> };
  ReachState: "live" | "behind" | "unknown" | "unchanged";
  Readiness: { health: "GOOD" | "BAD"; database: "GOOD" | "BAD"; writes: "GOOD" | "BAD"; snapshot?: string };
  RedeliverRequest: { since: string; until?: string };
  RemovedTag: { type: string; value: string };
  RenderedDelivery: { eventId: number; requests: Array<schemas['RenderedRequest']>; problem: (string | null) };
  RenderedRequest: { url: string; headers: Array<schemas['RequestHeader']>; body: string; isBodyCut: boolean };
  ReplacedRole: ({ id: number; name: string; type: "root" | "project" | "root-custom" | "custom" } | null);
  ReplayPlan: { deliveries: number; complete: boolean; firstEvent: (schemas['Event'] | null); lastEvent: (schemas['Event'] | null) };
  RequestHeader: { name: string; value: string };
  ResetLink: { resetPasswordUrl: string };
  Role: { id: number; type: "root" | "project" | "root-custom" | "custom"; name: string; description: string };
  RoleAccess: { id: number; users?: (Array<number> | null); groups?: (Array<number> | null) };
  RoleHolder: { id: number };
  RoleHolders: { users?: Array<schemas['RoleHolder']>; groups?: Array<schemas['RoleHolder']> };
  RoleInput: { name: string; description?: string; type?: "root-custom" | "custom"; permissions?: Array<schemas['PermissionInput']> };
  RoleList: { version: number; roles: Array<schemas['Role']> };
  RoleWithPermissions: { id: number; type: "root" | "project" | "root-custom" | "custom"; name: string; description: string; permissions: Array<schemas['Permission']> };
  RootGrant: { role: schemas['NamedRole']; group?: schemas['NamedGroup'] };
  RotatedSecret: { signingSecret: string; oldSecretUntil: (string | null) };
  SamlSettings: { enabled: boolean };
  SavedView: { id: number; name: string; page: string; query: string; createdAt: string; updatedAt: string };
  SavedViewInput: { name: string; page: string; query: string };
  SavedViewList: { views: Array<schemas['SavedView']> };
  ScopePermission: "DELETE_ADDON" | "READ_CLIENT_API_TOKEN" | "DELETE_CLIENT_API_TOKEN" | "READ_FRONTEND_API_TOKEN" | "DELETE_FRONTEND_API_TOKEN" | "UPDATE_APPLICATION" | "CREATE_CONTEXT_FIELD" | "UPDATE_CONTEXT_FIELD" | "DELETE_CONTEXT_FIELD" | "CREATE_PROJECT" | "READ_ROLE" | "CREATE_SEGMENT" | "UPDATE_SEGMENT" | "DELETE_SEGMENT" | "CREATE_STRATEGY" | "UPDATE_STRATEGY" | "DELETE_STRATEGY" | "CREATE_TAG_TYPE" | "UPDATE_TAG_TYPE" | "DELETE_TAG_TYPE" | "READ_LOGS" | "UPDATE_MAINTENANCE_MODE" | "UPDATE_INSTANCE_BANNERS" | "UPDATE_CORS" | "RELEASE_PLAN_TEMPLATE_CREATE" | "RELEASE_PLAN_TEMPLATE_UPDATE" | "RELEASE_PLAN_TEMPLATE_DELETE" | "CREATE_FEATURE" | "UPDATE_FEATURE" | "DELETE_FEATURE" | "UPDATE_FEATURE_DEPENDENCY" | "UPDATE_FEATURE_VARIANTS" | "MOVE_FEATURE_TOGGLE" | "UPDATE_PROJECT" | "DELETE_PROJECT" | "READ_PROJECT_API_TOKEN" | "DELETE_PROJECT_API_TOKEN" | "UPDATE_PROJECT_SEGMENT" | "UPDATE_PROJECT_CONTEXT" | "UPDATE_PROJECT_RELEASE_TEMPLATE" | "PROJECT_USER_ACCESS_READ" | "PROJECT_DEFAULT_STRATEGY_READ" | "PROJECT_DEFAULT_STRATEGY_WRITE" | "PROJECT_CHANGE_REQUEST_READ" | "PROJECT_CHANGE_REQUEST_WRITE" | "PROJECT_SETTINGS_READ" | "PROJECT_SETTINGS_WRITE" | "CREATE_FEATURE_STRATEGY" | "UPDATE_FEATURE_STRATEGY" | "DELETE_FEATURE_STRATEGY" | "UPDATE_FEATURE_ENVIRONMENT" | "UPDATE_FEATURE_ENVIRONMENT_VARIANTS" | "APPROVE_CHANGE_REQUEST" | "APPLY_CHANGE_REQUEST" | "SKIP_CHANGE_REQUEST";
  SdkBucket: { start: string; stop: string; toggles: { [key: string]: schemas['SdkCounts'] } };
  SdkBulkApplication: { appName: string; instanceId?: (string | null); environment?: string; sdkVersion?: (string | null) };
  SdkBulkCounts: { featureName: string; appName: string; environment?: string; timestamp?: string; yes: number; no: number; variants?: { [key: string]: number } };
  SdkBulkMetrics: { applications: Array<schemas['SdkBulkApplication']>; metrics: Array<schemas['SdkBulkCounts']> };
  SdkConstraint: { contextName: string; operator: string; values?: Array<string>; value?: string; inverted?: boolean; caseInsensitive?: boolean };
  SdkCounts: { yes: number; no: number; variants?: { [key: string]: number } };
  SdkDelta: { events: Array<schemas['SdkEvent']> };
  SdkEdgeData: { identifier?: string };
  SdkEvent: { eventId: number; type: "hydration" | "segment-updated" | "feature-removed" | "segment-removed" | "feature-updated"; features?: Array<schemas['SdkFeature']>; segments?: Array<schemas['SdkSegment']>; feature?: schemas['SdkFeature']; featureName?: string; project?: string; segment?: schemas['SdkSegment']; segmentId?: number };
  SdkFeature: { name: string; type: string; project: string; enabled: boolean; stale: boolean; impressionData: boolean; strategies: Array<schemas['SdkStrategy']>; variants: Array<schemas['SdkVariant']>; dependencies?: Array<schemas['SdkParent']> };
  SdkFeatures: { version: number; features: Array<schemas['SdkFeature']>; segments?: Array<schemas['SdkSegment']>; query: schemas['SdkQuery']; meta: schemas['SdkMeta'] };
  SdkMeta: { revisionId: number; etag: string; queryHash: string };
  SdkMetrics: { appName?: string; instanceId?: (string | null); bucket?: schemas['SdkBucket'] };
  SdkParent: { feature: string; enabled: boolean; variants?: Array<string> };
  SdkPayload: { type: string; value: string };
  SdkQuery: { environment: string; project?: Array<string>; namePrefix?: string; tag?: Array<string>; inlineSegmentConstraints: boolean };
  SdkRegistration: { appName: string; instanceId?: (string | null); connectionId?: string; sdkVersion?: string; strategies?: Array<string>; started?: string; interval?: number };
  SdkSegment: { id: number; name: string; constraints: Array<schemas['SdkConstraint']> };
  SdkStrategy: { name: string; constraints: Array<schemas['SdkConstraint']>; parameters: { [key: string]: string }; variants: Array<schemas['SdkVariant']>; segments?: Array<number> };
  SdkTokens: { tokens: Array<string> };
  SdkValidToken: { token: string; type: "client" | "frontend"; projects: Array<string>; environment: string };
  SdkValidTokens: { tokens: Array<schemas['SdkValidToken']> };
  SdkVariant: { name: string; weight: number; weightType?: string; stickiness?: string; payload?: schemas['SdkPayload'] };
  SecretRotation: { overlapHours?: number; force?: boolean };
  SeenFeedback: { feedbackId: string };
  Segment: { id: number; name: string; description: (string | null); constraints: Array<schemas['Constraint']>; project: (string | null); createdAt: string; createdBy: string; usedInFeatures: number; usedInProjects: number };
  SegmentInput: { name: string; description?: (string | null); project?: (string | null); constraints: Array<schemas['Constraint']> };
  SegmentList: { segments: Array<schemas['Segment']> };
  SegmentNameCheck: { name: string };
  SelectedOverride: { variant: string; contextName: string; value: string };
  ServedPayload: { type: string; value: string };
  ServiceAccount: { id: number; isAPI: boolean; name: string; username: string; rootRole: number; readsTokenSecrets: boolean; createdAt: string; tokens: Array<schemas['ServiceAccountToken']> };
  ServiceAccountList: { serviceAccounts: Array<schemas['ServiceAccount']>; rootRoles: Array<schemas['Role']> };
  ServiceAccountToken: { id: number; description: string; userId: number; createdAt: string; expiresAt: string; seenAt: (string | null); kind: "personal" | "service" | "agent"; scope: (schemas['TokenScope'] | null); changesLeft: (number | null) };
  ServiceAccountTokenUpdate: { expiresAt: string };
  ServiceAccountUpdate: { name?: string; rootRole?: number; readsTokenSecrets?: boolean };
  Session: { id: number; method: string; ip: (string | null); userAgent: (string | null); createdAt: string; seenAt: string; expiresAt: string; current: boolean };
  SessionList: { sessions: Array<schemas['Session']> };
  SessionOfUser: { method: "password" | "oidc"; ip: (string | null); seenAt: string };
  SignupToken: { id: number; name: string; secret: string; url: (string | null); enabled: boolean; expiresAt: string; createdAt: string; createdBy: string; users: Array<schemas['Person']>; role: schemas['HeldRole'] };
  SignupTokenList: { tokens: Array<schemas['SignupToken']> };
  SignupTokenUpdate: { expiresAt?: string; enabled?: boolean };
  SimpleSettings: { disabled: boolean };
  StageSummary: { averageDays: (number | null); currentFlags: number };
  StaleFeatures: { features: Array<string>; stale: boolean };
  StaleFlagCount: { total: number };
  StrategyList: Array<schemas['ListedStrategy']>;
  StrategyOrder: Array<schemas['StrategyPosition']>;
  StrategyParameter: { name: string; type: schemas['StrategyParameterType']; description: string; required: boolean };
  StrategyParameterType: "string" | "percentage" | "list" | "number" | "boolean";
  StrategyPosition: { id: string; sortOrder: number };
  StrategySegments: { projectId: string; environmentId: string; strategyId: string; segmentIds: Array<number> };
  StrategyType: { name: string; displayName: (string | null); description: string; editable: boolean; deprecated: boolean; parameters: Array<schemas['StrategyParameter']> };
  StrategyTypeList: { version: number; strategies: Array<schemas['StrategyType']> };
  StrategyTypeUpdate: { description?: string; parameters?: Array<schemas['NewStrategyParameter']> };
  StrategyUpdate: { name?: string; title?: (string | null); disabled?: (boolean | null); sortOrder?: number; parameters?: { [key: string]: string }; constraints?: Array<schemas['Constraint']>; variants?: Array<schemas['NewStrategyVariant']>; segments?: Array<number> };
  StrategyUse: { id: string; featureName: string; projectId: string; environment: string; strategyName: string };
  StrategyUses: { strategies: Array<schemas['StrategyUse']> };
  StrategyVariant: { name: string; weight: number; weightType: "fix" | "variable"; payload?: schemas['VariantPayload']; stickiness: string };
  Tag: { value: string; type: string };
  TagChange: { addedTags?: Array<schemas['NewTag']>; removedTags?: Array<schemas['RemovedTag']> };
  TagList: { version: number; tags: Array<schemas['Tag']> };
  TagType: { name: string; description: (string | null); icon: (string | null); color: (string | null) };
  TagTypeList: { version: number; tagTypes: Array<schemas['TagType']> };
  TagTypeUpdate: { description?: (string | null); icon?: (string | null); color?: (string | null) };
  TagsOfFeatures: { features: Array<string>; tags: schemas['TagChange'] };
  TechnicalDebtRating: { rating: number; activeCount: number; potentiallyStaleCount: number; staleCount: number };
  TokenOfUser: { id: number; description: string; expiresAt: string; seenAt: (string | null) };
  TokenScope: { projects?: Array<string>; environments?: Array<string>; permissions?: Array<schemas['ScopePermission']>; readOnly?: boolean; maxChanges?: number; maxProductionRollout?: number };
  UiConfig: { name: string; version: string; unleashUrl: string; baseUriPath: string; frontendApiOrigins: Array<string> };
  UnknownFlag: { name: string; lastSeenAt: string; reports: Array<schemas['UnknownFlagReport']> };
  UnknownFlagEnvironment: { environment: string; seenAt: string };
  UnknownFlagList: { unknownFlags: Array<schemas['UnknownFlag']> };
  UnknownFlagReport: { appName: string; environments: Array<schemas['UnknownFlagEnvironment']> };
  User: { id: number; name: (string | null); username: (string | null); email: (string | null); rootRole: (number | null); isAPI: boolean; imageUrl: string; accountType: string; createdAt: string; seenAt: (string | null); deactivatedAt: (string | null); inviteLink?: string; emailSent?: boolean };
  UserAccess: { id: number; name: (string | null); username: (string | null); email: (string | null); isAPI: boolean; roleId: number; roles: Array<number>; addedAt: string };
  UserIds: { ids: Array<number> };
  UserKey: { id: (number | string) };
  UserList: { users: Array<schemas['ListedUser']>; rootRoles: Array<schemas['HeldRole']> };
  UserReference: { id: number };
  UserUpdate: { email?: (string | null); name?: (string | null); rootRole?: (number | string) };
  ValidTagType: { valid: boolean; tagType: schemas['TagType'] };
  Variant: { name: string; weight: number; weightType?: "fix" | "variable"; stickiness?: string; payload?: schemas['VariantPayload']; overrides?: Array<schemas['VariantOverride']> };
  VariantList: { version: number; variants: Array<schemas['Variant']> };
  VariantOverride: { contextName: string; values: Array<string> };
  VariantPayload: { type: "string" | "json" | "csv" | "number"; value: string };
  VariantRange: { name: string; from: number; to: number };
  Variants: Array<schemas['Variant']>;
  VariantsOfEnvironments: { variants: schemas['Variants']; environments: Array<string> };
  WrittenRole: { version: number; roles: schemas['RoleWithPermissions'] };
}

export interface paths {
  "/internal-backstage/prometheus": {
    /** Get the metrics for Prometheus */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "text/plain": string } } } };
  };
  "/health": {
    /** Check liveness */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['Health'] } } } };
  };
  "/ready": {
    /** Check readiness */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['Readiness'] } }; 503: { content: { "application/json": schemas['Readiness'] } } } };
  };
  "/api/admin/events/{id}": {
    /** Get an event */
    get: { parameters: { query?: never; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['Event'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/event-creators": {
    /** List event creators */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['EventCreatorList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/event-types": {
    /** List event types */
    get: { parameters: { query?: never; path?: never; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['EventTypeList'] } }; 304: { content: never }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/events/{id}/reach": {
    /** Get the reach of a change */
    get: { parameters: { query?: { wait?: number; offset?: number; limit?: number }; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['EventReach'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/search/events": {
    /** Search events */
    get: { parameters: { query?: { query?: string | number; feature?: string | number; project?: string | number; type?: string | number; createdBy?: string | number; createdByKind?: string | number; environment?: string | number; id?: string | number; groupId?: string | number; from?: string | number; to?: string | number; before?: string | number; after?: string | number; parts?: "true" | "false"; offset?: number; limit?: number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['EventSearchResult'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/events/stream": {
    /** Stream new events */
    get: { parameters: { query?: { query?: string | number; feature?: string | number; project?: string | number; type?: string | number; createdBy?: string | number; createdByKind?: string | number; environment?: string | number; id?: string | number; groupId?: string | number; parts?: "true" | "false"; after?: string | number }; path?: never; header?: { "last-event-id"?: string } }; responses: { 200: { content: { "text/event-stream": string } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/search/events/export": {
    /** Export events */
    get: { parameters: { query?: { format?: "ndjson" | "csv"; query?: string | number; feature?: string | number; project?: string | number; type?: string | number; createdBy?: string | number; createdByKind?: string | number; environment?: string | number; id?: string | number; groupId?: string | number; from?: string | number; to?: string | number; before?: string | number; after?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/x-ndjson": string; "text/csv": string } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/search/events/counts": {
    /** Count events */
    get: { parameters: { query: { by: "day" | "type" | "project" | "creator" | "environment"; query?: string | number; feature?: string | number; project?: string | number; type?: string | number; createdBy?: string | number; createdByKind?: string | number; environment?: string | number; id?: string | number; groupId?: string | number; from?: string | number; to?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['EventCounts'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects": {
    /** List projects */
    get: { parameters: { query?: { archived?: "true" | "false" }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a project */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewProject'] } }; responses: { 201: { content: { "application/json": schemas['Project'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}": {
    /** Get a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['Project'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a project */
    put: { parameters: { query?: never; path: { projectId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ProjectUpdate'] } }; responses: { 200: { content: { "application/json": schemas['Project'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a project */
    delete: { parameters: { query?: never; path: { projectId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/overview": {
    /** Get the overview of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectOverview'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/settings": {
    /** Update the settings of a project */
    put: { parameters: { query?: never; path: { projectId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ProjectSettings'] } }; responses: { 200: { content: { "application/json": schemas['Project'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/settings/naming/validate": {
    /** Preview a naming pattern */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NamingPreview'] } }; responses: { 200: { content: { "application/json": schemas['NamingCheck'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/archive/{projectId}": {
    /** Archive a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/revive/{projectId}": {
    /** Revive a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/views": {
    /** List the shared views of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectViewList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Share a view with a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ProjectViewInput'] } }; responses: { 201: { content: { "application/json": schemas['ProjectView'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/views/{id}": {
    /** Get a shared view of a project */
    get: { parameters: { query?: never; path: { projectId: string; id: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['ProjectView'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a shared view of a project */
    put: { parameters: { query?: never; path: { projectId: string; id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ProjectViewInput'] } }; responses: { 200: { content: { "application/json": schemas['ProjectView'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a shared view of a project */
    delete: { parameters: { query?: never; path: { projectId: string; id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/archive/{featureName}": {
    /** Delete an archived feature */
    delete: { parameters: { query?: never; path: { featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/archive/revive/{featureName}": {
    /** Revive an archived feature */
    post: { parameters: { query?: never; path: { featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/archive/validate": {
    /** Preview archiving */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureNames'] } }; responses: { 200: { content: { "application/json": schemas['ArchiveCheck'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features": {
    /** List the features of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['FeatureList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a feature */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewFeature'] } }; responses: { 201: { content: { "application/json": schemas['Feature'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}": {
    /** Get a feature */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['Feature'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a feature */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureUpdate'] } }; responses: { 200: { content: { "application/json": schemas['Feature'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Archive a feature */
    delete: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Patch a feature */
    patch: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['JsonPatch'] } }; responses: { 200: { content: { "application/json": schemas['Feature'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/archive": {
    /** Archive features */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureNames'] } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/revive": {
    /** Revive archived features */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureNames'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/delete": {
    /** Delete archived features */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureNames'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/stale": {
    /** Mark or unmark features as stale */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['StaleFeatures'] } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/changeProject": {
    /** Move a feature to a different project */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureMove'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/features/validate": {
    /** Validate a feature name */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureNameCheck'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/variants": {
    /** List the variants of a feature in an environment */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['VariantList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Replace the variants of a feature in an environment */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['Variants'] } }; responses: { 200: { content: { "application/json": schemas['VariantList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Patch the variants of a feature in an environment */
    patch: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['JsonPatch'] } }; responses: { 200: { content: { "application/json": schemas['VariantList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/variants-batch": {
    /** Replace the variants of a feature in several environments */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['VariantsOfEnvironments'] } }; responses: { 200: { content: { "application/json": schemas['VariantList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies": {
    /** List the strategies of a feature in an environment */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['FeatureStrategyList'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Replace all strategies of a feature in an environment */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['StrategyList'] } }; responses: { 200: { content: { "application/json": schemas['FeatureStrategyList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Add a strategy */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewStrategy'] } }; responses: { 200: { content: { "application/json": schemas['FeatureStrategy'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/set-sort-order": {
    /** Sort the strategies of a feature in an environment */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['StrategyOrder'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}": {
    /** Get a strategy */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string; strategyId: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['FeatureStrategy'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Replace a strategy */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string; strategyId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['StrategyUpdate'] } }; responses: { 200: { content: { "application/json": schemas['FeatureStrategy'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a strategy */
    delete: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string; strategyId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Patch a strategy */
    patch: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string; strategyId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['JsonPatch'] } }; responses: { 200: { content: { "application/json": schemas['FeatureStrategy'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/segments/strategies": {
    /** Set the segments of a strategy */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['StrategySegments'] } }; responses: { 201: { content: { "application/json": schemas['StrategySegments'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}": {
    /** Get a feature in an environment */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['FeatureEnvironment'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/on": {
    /** Enable a feature */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['FeatureEnvironment'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/bulk_features/environments/{environment}/on": {
    /** Enable features */
    post: { parameters: { query?: never; path: { projectId: string; environment: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureNames'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/off": {
    /** Disable a feature */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['FeatureEnvironment'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/bulk_features/environments/{environment}/off": {
    /** Disable features */
    post: { parameters: { query?: never; path: { projectId: string; environment: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureNames'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/health-report": {
    /** Get the health report of a project @deprecated */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['HealthReport'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/status": {
    /** Get the status of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectStatus'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/insights": {
    /** Get the insights of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectInsights'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/health": {
    /** Explain the health of a project */
    get: { parameters: { query?: { rule?: string | number; feature?: string | number; snoozed?: string | number; offset?: number; limit?: number }; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectHealth'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/health/history": {
    /** Get the health history of a project */
    get: { parameters: { query?: { from?: string | number; to?: string | number }; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['HealthHistory'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/health/findings/{rule}/{subject}/snooze": {
    /** Snooze a finding */
    put: { parameters: { query?: never; path: { projectId: string; rule: "stale" | "past-lifetime" | "enabled-everywhere" | "disabled-everywhere" | "never-seen" | "outside-production" | "constant-result" | "archived-in-use" | "no-strategies" | "unreadable-strategy" | "imported-as-is" | "archived-parent" | "duplicate-of-clone" | "no-owner" | "unused-segment"; subject: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewHealthSnooze'] } }; responses: { 200: { content: { "application/json": schemas['HealthSnooze'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Unsnooze a finding */
    delete: { parameters: { query?: never; path: { projectId: string; rule: "stale" | "past-lifetime" | "enabled-everywhere" | "disabled-everywhere" | "never-seen" | "outside-production" | "constant-result" | "archived-in-use" | "no-strategies" | "unreadable-strategy" | "imported-as-is" | "archived-parent" | "duplicate-of-clone" | "no-owner" | "unused-segment"; subject: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/clone": {
    /** Clone a feature */
    post: { parameters: { query?: { dryRun?: "true" | "false" }; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['CloneRequest'] } }; responses: { 200: { content: { "application/json": schemas['CloneResult'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/clone": {
    /** Clone features into a project */
    post: { parameters: { query?: { dryRun?: "true" | "false" }; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['CloneManyRequest'] } }; responses: { 200: { content: { "application/json": schemas['CloneManyResult'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/copy": {
    /** Copy a feature from one environment to another */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['EnvironmentCopy'] } }; responses: { 200: { content: { "application/json": schemas['FeatureEnvironment'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/drift": {
    /** Compare a copy with its source */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['Drift'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/copies": {
    /** List the copies of a feature */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['CopyList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/search/features": {
    /** Search features */
    get: { parameters: { query?: { query?: string | number; project?: string | number; type?: string | number; state?: string | number; createdBy?: string | number; owner?: string | number; createdAt?: string | number; lifecycle?: string | number; tag?: string | number; segment?: string | number; status?: Array<string>; archived?: "IS:true" | "IS:false"; favoritesFirst?: "true" | "false"; sortBy?: string | number; sortOrder?: "asc" | "desc"; offset?: number; limit?: number }; path?: never; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['FeatureSearchResult'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/flag-creators": {
    /** List the creators of features */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['AllFlagCreators'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/flag-creators": {
    /** List the feature creators of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['FlagCreatorList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/dependencies": {
    /** Add a parent */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewDependency'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Remove all parents */
    delete: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/dependencies/{parent}": {
    /** Remove a parent */
    delete: { parameters: { query?: never; path: { projectId: string; featureName: string; parent: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/parents": {
    /** List the possible parents of a feature */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['PossibleParents'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/parent-variants": {
    /** List the variants that a child can require */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ParentVariants'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/dependencies": {
    /** Check whether a project has dependencies */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['DependenciesExist'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/favorites": {
    /** Add a feature to favorites */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Remove a feature from favorites */
    delete: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/favorites": {
    /** Add a project to favorites */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Remove a project from favorites */
    delete: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/link": {
    /** Add a link to a feature */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureLinkInput'] } }; responses: { 201: { content: { "application/json": schemas['FeatureLink'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/link/{linkId}": {
    /** Update a feature link */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string; linkId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureLinkInput'] } }; responses: { 200: { content: { "application/json": schemas['FeatureLink'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Remove a link from a feature */
    delete: { parameters: { query?: never; path: { projectId: string; featureName: string; linkId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/owners": {
    /** List the owners of a feature */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['OwnerList'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Set the owners of a feature */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['OwnersInput'] } }; responses: { 200: { content: { "application/json": schemas['OwnerList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}/owned": {
    /** List what a user owns */
    get: { parameters: { query?: never; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['OwnedResources'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/openfeature/v0/manifest": {
    /** Get the OpenFeature manifest of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['Manifest'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/openfeature/v0/manifest/flags": {
    /** Create a flag from an OpenFeature manifest */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewManifestFlag'] } }; responses: { 201: { content: { "application/json": schemas['ChangedManifestFlag'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/openfeature/v0/manifest/flags/{featureName}": {
    /** Update a flag from an OpenFeature manifest */
    put: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ManifestFlagUpdate'] } }; responses: { 200: { content: { "application/json": schemas['ChangedManifestFlag'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Archive a flag from the OpenFeature CLI */
    delete: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['ArchivedManifestFlag'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/lifecycle": {
    /** List the stages of a feature */
    get: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['LifecycleHistory'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/lifecycle/complete": {
    /** Mark a feature as completed */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureCompletion'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/features/{featureName}/lifecycle/uncomplete": {
    /** Unmark a feature as completed */
    post: { parameters: { query?: never; path: { projectId: string; featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/lifecycle/count": {
    /** Count features by stage */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['LifecycleCount'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments": {
    /** List environments */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['EnvironmentList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create an environment */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewEnvironment'] } }; responses: { 201: { content: { "application/json": schemas['Environment'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments/{environment}": {
    /** Get an environment */
    get: { parameters: { query?: never; path: { environment: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['Environment'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete an environment */
    delete: { parameters: { query?: never; path: { environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments/validate": {
    /** Validate the name of an environment */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['EnvironmentNameCheck'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments/sort-order": {
    /** Sort environments */
    put: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['EnvironmentSortOrders'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments/update/{environment}": {
    /** Update an environment */
    put: { parameters: { query?: never; path: { environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['EnvironmentUpdate'] } }; responses: { 200: { content: { "application/json": schemas['Environment'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments/{environment}/on": {
    /** Enable an environment */
    post: { parameters: { query?: never; path: { environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments/{environment}/off": {
    /** Disable an environment */
    post: { parameters: { query?: never; path: { environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/environments/project/{projectId}": {
    /** List the environments of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['EnvironmentOfProjectList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/environments/{environment}": {
    /** Get an environment of a project */
    get: { parameters: { query?: never; path: { projectId: string; environment: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['EnvironmentInProject'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Remove an environment from a project */
    delete: { parameters: { query?: never; path: { projectId: string; environment: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/environments": {
    /** Add an environment to a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['EnvironmentChoice'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/environments/{environment}/default-strategy": {
    /** Set the default strategy of a project in an environment */
    post: { parameters: { query?: never; path: { projectId: string; environment: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewStrategy'] } }; responses: { 200: { content: { "application/json": schemas['DefaultStrategy'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/change-requests/config": {
    /** List the change request settings of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ChangeRequestConfigList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/environments/{environment}/change-requests/config": {
    /** Disable change requests in an environment */
    put: { parameters: { query?: never; path: { projectId: string; environment: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ChangeRequestConfigInput'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/strategies": {
    /** List strategy types */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['StrategyTypeList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a strategy type */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewStrategyType'] } }; responses: { 201: { content: { "application/json": schemas['StrategyType'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/strategies/{strategyName}": {
    /** Get a strategy type */
    get: { parameters: { query?: never; path: { strategyName: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['StrategyType'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a strategy type */
    put: { parameters: { query?: never; path: { strategyName: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['StrategyTypeUpdate'] } }; responses: { 200: { content: { "application/json": schemas['StrategyType'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a strategy type */
    delete: { parameters: { query?: never; path: { strategyName: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/strategies/{strategyName}/deprecate": {
    /** Deprecate a strategy type */
    post: { parameters: { query?: never; path: { strategyName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/strategies/{strategyName}/reactivate": {
    /** Reactivate a strategy type */
    post: { parameters: { query?: never; path: { strategyName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/feature-types": {
    /** List feature types */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['FeatureTypeList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/feature-types/{id}": {
    /** Get a feature type */
    get: { parameters: { query?: never; path: { id: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['FeatureType'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/feature-types/{id}/lifetime": {
    /** Set the lifetime of a feature type */
    put: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['FeatureTypeLifetime'] } }; responses: { 200: { content: { "application/json": schemas['FeatureType'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/context": {
    /** List context fields */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['ContextFieldList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a context field */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewContextField'] } }; responses: { 201: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/context/{contextField}": {
    /** Get a context field */
    get: { parameters: { query?: never; path: { contextField: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a context field */
    put: { parameters: { query?: never; path: { contextField: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ContextFieldUpdate'] } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a context field */
    delete: { parameters: { query?: never; path: { contextField: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/context/validate": {
    /** Validate the name of a context field */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ContextFieldNameCheck'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/context/{contextField}/legal-values": {
    /** Add or replace a legal value of a context field */
    post: { parameters: { query?: never; path: { contextField: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['LegalValue'] } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/context/{contextField}/legal-values/{legalValue}": {
    /** Delete a legal value of a context field */
    delete: { parameters: { query?: never; path: { contextField: string; legalValue: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/context": {
    /** List context fields of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ContextFieldList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a context field of a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewContextField'] } }; responses: { 201: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/context/{contextField}": {
    /** Get a context field of a project */
    get: { parameters: { query?: never; path: { projectId: string; contextField: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a context field of a project */
    put: { parameters: { query?: never; path: { projectId: string; contextField: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ContextFieldUpdate'] } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a context field of a project */
    delete: { parameters: { query?: never; path: { projectId: string; contextField: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/context/validate": {
    /** Validate the name of a context field of a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ContextFieldNameCheck'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/context/{contextField}/legal-values": {
    /** Add or replace a legal value of a context field of a project */
    post: { parameters: { query?: never; path: { projectId: string; contextField: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['LegalValue'] } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/context/{contextField}/legal-values/{legalValue}": {
    /** Delete a legal value of a context field of a project */
    delete: { parameters: { query?: never; path: { projectId: string; contextField: string; legalValue: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['ContextField'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/context/{contextField}/strategies": {
    /** List the strategies that use a context field */
    get: { parameters: { query?: never; path: { contextField: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['StrategyUses'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/constraints/validate": {
    /** Validate a constraint */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['Constraint'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/features-batch/export": {
    /** Export features */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['ExportRequest'] } }; responses: { 200: { content: { "application/json": schemas['FeatureExport'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/features-batch/validate": {
    /** Validate an import */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['ImportRequest'] } }; responses: { 200: { content: { "application/json": schemas['ImportReport'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/features-batch/import": {
    /** Import features */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ImportRequest'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/playground": {
    /** Evaluate features for a context */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['PlaygroundRequest'] } }; responses: { 200: { content: { "application/json": schemas['PlaygroundResult'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/playground/advanced": {
    /** Evaluate features for many contexts */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['AdvancedPlaygroundRequest'] } }; responses: { 200: { content: { "application/json": schemas['AdvancedPlaygroundResult'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/segments": {
    /** List segments */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['SegmentList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a segment */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SegmentInput'] } }; responses: { 201: { content: { "application/json": schemas['Segment'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/segments/{id}": {
    /** Get a segment */
    get: { parameters: { query?: never; path: { id: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['Segment'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a segment */
    put: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SegmentInput'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a segment */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/segments/validate": {
    /** Validate the name of a segment */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SegmentNameCheck'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/segments/strategies/{strategyId}": {
    /** List the segments of a strategy */
    get: { parameters: { query?: never; path: { strategyId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['SegmentList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/segments/{id}/strategies": {
    /** List the strategies that use a segment */
    get: { parameters: { query?: never; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['StrategyUses'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/tag-types": {
    /** List tag types */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['TagTypeList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a tag type */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewTagType'] } }; responses: { 201: { content: { "application/json": schemas['TagType'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/tag-types/{name}": {
    /** Get a tag type */
    get: { parameters: { query?: never; path: { name: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['OneTagType'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a tag type */
    put: { parameters: { query?: never; path: { name: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['TagTypeUpdate'] } }; responses: { 200: { content: { "application/json": schemas['TagType'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a tag type */
    delete: { parameters: { query?: never; path: { name: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/tag-types/validate": {
    /** Validate a tag type */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewTagType'] } }; responses: { 200: { content: { "application/json": schemas['ValidTagType'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/tags": {
    /** List tags */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['TagList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a tag */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewTag'] } }; responses: { 201: { content: { "application/json": schemas['OneTag'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/tags/{type}": {
    /** List tags of a type */
    get: { parameters: { query?: never; path: { type: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['TagList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/tags/{type}/{value}": {
    /** Get a tag */
    get: { parameters: { query?: never; path: { type: string; value: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['OneTag'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a tag */
    delete: { parameters: { query?: never; path: { type: string; value: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/features/{featureName}/tags": {
    /** List the tags of a feature */
    get: { parameters: { query?: never; path: { featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['TagList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Change the tags of a feature */
    put: { parameters: { query?: never; path: { featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['TagChange'] } }; responses: { 200: { content: { "application/json": schemas['TagList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Tag a feature */
    post: { parameters: { query?: never; path: { featureName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewTag'] } }; responses: { 201: { content: { "application/json": schemas['Tag'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/features/{featureName}/tags/{type}/{value}": {
    /** Untag a feature */
    delete: { parameters: { query?: never; path: { featureName: string; type: string; value: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/tags": {
    /** Change the tags of several features */
    put: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['TagsOfFeatures'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons": {
    /** List integrations */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['IntegrationList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create an integration */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['IntegrationInput'] } }; responses: { 201: { content: { "application/json": schemas['NewIntegration'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}": {
    /** Get an integration */
    get: { parameters: { query?: never; path: { id: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['Integration'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update an integration */
    put: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['IntegrationInput'] } }; responses: { 200: { content: { "application/json": schemas['Integration'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete an integration */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/validate": {
    /** Validate an integration */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['IntegrationInput'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/preview": {
    /** Preview the events of an integration */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['IntegrationPreviewInput'] } }; responses: { 200: { content: { "application/json": schemas['IntegrationPreview'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/on": {
    /** Enable an integration */
    post: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['Integration'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/off": {
    /** Disable an integration */
    post: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['Integration'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/rotate-secret": {
    /** Rotate the signing secret of an integration */
    post: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SecretRotation'] } }; responses: { 200: { content: { "application/json": schemas['RotatedSecret'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/events": {
    /** List the deliveries of an integration */
    get: { parameters: { query?: { offset?: number; limit?: number; before?: string | number; state?: string | number; status?: string | number; type?: string | number; query?: string | number; from?: string | number; to?: string | number }; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['IntegrationEvents'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/stats": {
    /** Get the statistics of an integration */
    get: { parameters: { query?: never; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['IntegrationStats'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/deliveries": {
    /** List the deliveries of all integrations */
    get: { parameters: { query?: { offset?: number; limit?: number; before?: string | number; state?: string | number; status?: string | number; type?: string | number; query?: string | number; from?: string | number; to?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['IntegrationEvents'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/events/{id}/deliveries": {
    /** List the deliveries of an event */
    get: { parameters: { query?: never; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['EventDeliveries'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/events/{eventId}": {
    /** Get a delivery with its attempts */
    get: { parameters: { query?: never; path: { id: string; eventId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['IntegrationEventWithAttempts'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/events/{eventId}/redeliver": {
    /** Redeliver an event */
    post: { parameters: { query?: { dryRun?: "true" | "false" }; path: { id: string; eventId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['ReplayPlan'] } }; 202: { content: { "application/json": schemas['QueuedDeliveries'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/events/{eventId}/skip": {
    /** Skip a blocking delivery */
    post: { parameters: { query?: never; path: { id: string; eventId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/redeliver": {
    /** Redeliver failed events */
    post: { parameters: { query?: { dryRun?: "true" | "false" }; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['RedeliverRequest'] } }; responses: { 200: { content: { "application/json": schemas['ReplayPlan'] } }; 202: { content: { "application/json": schemas['QueuedDeliveries'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/test": {
    /** Send a test event to an integration */
    post: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/preview": {
    /** Preview the events of an integration */
    post: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['PreviewRequest'] } }; responses: { 200: { content: { "application/json": schemas['PreviewedEvents'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/addons/{id}/backfill": {
    /** Backfill an integration */
    post: { parameters: { query?: { dryRun?: "true" | "false" }; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['BackfillRequest'] } }; responses: { 200: { content: { "application/json": schemas['ReplayPlan'] } }; 202: { content: { "application/json": schemas['QueuedDeliveries'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/api-tokens": {
    /** List API tokens */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['ApiTokenList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create an API token */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewApiToken'] } }; responses: { 201: { content: { "application/json": schemas['ApiToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/api-tokens/{token}": {
    /** Find API tokens */
    get: { parameters: { query?: never; path: { token: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['ApiTokenList'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update the expiry of an API token */
    put: { parameters: { query?: never; path: { token: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ApiTokenUpdate'] } }; responses: { 200: { content: { "application/json": schemas['ApiToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Revoke an API token */
    delete: { parameters: { query?: never; path: { token: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/api-tokens": {
    /** List the API tokens of a project */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ApiTokenList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create an API token for a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewApiToken'] } }; responses: { 201: { content: { "application/json": schemas['ApiToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/api-tokens/{token}": {
    /** Revoke an API token of a project */
    delete: { parameters: { query?: never; path: { projectId: string; token: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/edges": {
    /** List edges */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['EdgeList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user": {
    /** Get the caller */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['Me'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/profile": {
    /** Get my profile */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['Profile'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/roles": {
    /** List my roles */
    get: { parameters: { query?: { projectId?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['HeldRoleList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/tokens": {
    /** List my personal tokens */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['PersonalTokenList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a personal token */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewPersonalToken'] } }; responses: { 201: { content: { "application/json": schemas['PersonalToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/tokens/{id}": {
    /** Delete a personal token */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/change-password": {
    /** Change my password */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['OwnNewPassword'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/authorizations/preview": {
    /** Describe a client that requests a token */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['AuthorizationPreviewRequest'] } }; responses: { 200: { content: { "application/json": schemas['AuthorizationPreview'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/authorizations": {
    /** Approve or deny a client */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['AuthorizationDecision'] } }; responses: { 200: { content: { "application/json": schemas['AuthorizationResult'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/views": {
    /** List my saved views */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['SavedViewList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Save a view */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SavedViewInput'] } }; responses: { 201: { content: { "application/json": schemas['SavedView'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/views/{id}": {
    /** Get a saved view */
    get: { parameters: { query?: never; path: { id: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['SavedView'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a saved view */
    put: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SavedViewInput'] } }; responses: { 200: { content: { "application/json": schemas['SavedView'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a saved view */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin": {
    /** List users */
    get: { parameters: { query?: { deactivated?: "true" | "false" }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['UserList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a user */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewUser'] } }; responses: { 201: { content: { "application/json": schemas['User'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/search": {
    /** Search users */
    get: { parameters: { query?: { q?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['PersonList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/access": {
    /** List access candidates */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['AccessCandidates'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/admin-count": {
    /** Count the admins */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['AdminCount'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/validate-password": {
    /** Validate a password */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['PasswordToCheck'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/reset-password": {
    /** Create a password reset link */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['UserKey'] } }; responses: { 200: { content: { "application/json": schemas['ResetLink'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/inactive": {
    /** List inactive users */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['InactiveUserList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/inactive/delete": {
    /** Delete inactive users */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['UserIds'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}": {
    /** Get a user */
    get: { parameters: { query?: never; path: { id: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['User'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a user */
    put: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['UserUpdate'] } }; responses: { 200: { content: { "application/json": schemas['User'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a user */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}/deactivate": {
    /** Deactivate a user */
    post: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['User'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}/reactivate": {
    /** Reactivate a user */
    post: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: { "application/json": schemas['User'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}/sessions": {
    /** Log a user out everywhere */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}/permissions": {
    /** Get a user's permissions */
    get: { parameters: { query?: { project?: string | number; environment?: string | number }; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['PermissionOverview'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}/access": {
    /** Get a user's access */
    get: { parameters: { query?: never; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['AccessOfUser'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user-admin/{id}/change-password": {
    /** Set a user's password */
    post: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewPassword'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/simple/login": {
    /** Log in */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['LoginRequest'] } }; responses: { 200: { content: { "application/json": schemas['Caller'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/logout": {
    /** Log out */
    post: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: never }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/sessions": {
    /** List my sessions */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['SessionList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Log out everywhere */
    delete: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/user/sessions/{id}": {
    /** End one of my sessions */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/auth/oidc/settings": {
    /** Get the OIDC settings */
    get: { parameters: { query?: never; path?: never; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['OidcSettings'] } }; 304: { content: never }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update the OIDC settings */
    post: { parameters: { query?: never; path?: never; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['OidcSettingsInput'] } }; responses: { 200: { content: { "application/json": schemas['OidcSettings'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/auth/simple/settings": {
    /** Get the password login settings */
    get: { parameters: { query?: never; path?: never; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['SimpleSettings'] } }; 304: { content: never }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Enable or disable password login */
    post: { parameters: { query?: never; path?: never; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SimpleSettings'] } }; responses: { 200: { content: { "application/json": schemas['SimpleSettings'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/auth/saml/settings": {
    /** Get the SAML settings */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['SamlSettings'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Disable SAML */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SamlSettings'] } }; responses: { 200: { content: { "application/json": schemas['SamlSettings'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/methods": {
    /** List login methods */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['LoginMethodList'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/auth/oidc/test": {
    /** Test OIDC settings */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['OidcSettingsInput'] } }; responses: { 200: { content: { "application/json": schemas['OidcTest'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/auth/admins": {
    /** List how admins can log in */
    get: { parameters: { query?: { issuer?: string | number; clientId?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['AdminLogins'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/oidc/login": {
    /** Start a login with single sign-on */
    get: { parameters: { query?: { redirect?: string | number }; path?: never; header?: never }; responses: { 302: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/oidc/callback": {
    /** Finish a login with single sign-on */
    get: { parameters: { query?: { code?: string | number; state?: string | number; error?: string | number; iss?: string | number }; path?: never; header?: never }; responses: { 302: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/oidc/logout": {
    /** Log out at the identity provider */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 302: { content: never }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/reset/validate": {
    /** Validate a password link */
    get: { parameters: { query: { token: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['PasswordLink'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/reset/password": {
    /** Set a password with a link */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['PasswordByLink'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/reset/password-email": {
    /** Request a password link by mail */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['PasswordMailRequest'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/auth/reset/validate-password": {
    /** Validate a password */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['PasswordToCheck'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/invite-link/tokens": {
    /** List signup links */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['SignupTokenList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a signup link */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewSignupToken'] } }; responses: { 201: { content: { "application/json": schemas['SignupToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/invite-link/tokens/{token}": {
    /** Get a signup link */
    get: { parameters: { query?: never; path: { token: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['SignupToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a signup link */
    put: { parameters: { query?: never; path: { token: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['SignupTokenUpdate'] } }; responses: { 200: { content: { "application/json": schemas['SignupToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/invite/{token}/validate": {
    /** Validate a signup link */
    get: { parameters: { query?: never; path: { token: string }; header?: never }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/invite/{token}/signup": {
    /** Sign up with a link */
    post: { parameters: { query?: never; path: { token: string }; header?: never }; requestBody: { content: { "application/json": schemas['NewMember'] } }; responses: { 201: { content: { "application/json": schemas['User'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/service-account": {
    /** List service accounts */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['ServiceAccountList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a service account */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewServiceAccount'] } }; responses: { 201: { content: { "application/json": schemas['ServiceAccount'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/service-account/{id}": {
    /** Get a service account */
    get: { parameters: { query?: never; path: { id: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['ServiceAccount'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a service account */
    put: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ServiceAccountUpdate'] } }; responses: { 200: { content: { "application/json": schemas['ServiceAccount'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a service account */
    delete: { parameters: { query?: never; path: { id: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/service-account/{id}/token": {
    /** List the tokens of a service account */
    get: { parameters: { query?: never; path: { id: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['PersonalTokenList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a token for a service account */
    post: { parameters: { query?: never; path: { id: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['NewServiceToken'] } }; responses: { 201: { content: { "application/json": schemas['PersonalToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/service-account/{id}/token/{tokenId}": {
    /** Update the expiry of a service account token */
    put: { parameters: { query?: never; path: { id: string; tokenId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ServiceAccountTokenUpdate'] } }; responses: { 200: { content: { "application/json": schemas['ServiceAccountToken'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a token of a service account */
    delete: { parameters: { query?: never; path: { id: string; tokenId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/groups": {
    /** List groups */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['GroupList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a group */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['GroupInput'] } }; responses: { 201: { content: { "application/json": schemas['Group'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/groups/{groupId}": {
    /** Get a group */
    get: { parameters: { query?: never; path: { groupId: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['Group'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a group */
    put: { parameters: { query?: never; path: { groupId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['GroupInput'] } }; responses: { 200: { content: { "application/json": schemas['Group'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a group */
    delete: { parameters: { query?: never; path: { groupId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/groups/{groupId}/projects": {
    /** List a group's projects */
    get: { parameters: { query?: never; path: { groupId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['GroupProjects'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/permissions": {
    /** List permissions */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['Permissions'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/roles": {
    /** List roles */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['RoleList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Create a role */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['RoleInput'] } }; responses: { 200: { content: { "application/json": schemas['WrittenRole'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/roles/{roleId}": {
    /** Get a role */
    get: { parameters: { query?: never; path: { roleId: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['RoleWithPermissions'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update a role */
    put: { parameters: { query?: never; path: { roleId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['RoleInput'] } }; responses: { 200: { content: { "application/json": schemas['WrittenRole'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete a role */
    delete: { parameters: { query?: never; path: { roleId: string }; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/roles/{roleId}/holders": {
    /** List the holders of a role */
    get: { parameters: { query?: never; path: { roleId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['HoldersOfRole'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/roles/validate": {
    /** Validate a role */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['RoleInput'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/access": {
    /** Get project access */
    get: { parameters: { query?: never; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectAccess'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Set project access */
    put: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['AccessConfiguration'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Grant roles in a project */
    post: { parameters: { query?: never; path: { projectId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['AccessGrant'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/role/{roleId}/access": {
    /** Grant one role in a project */
    post: { parameters: { query?: never; path: { projectId: string; roleId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['RoleHolders'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/users/{holderId}/roles": {
    /** Set the roles of a user in a project */
    put: { parameters: { query?: never; path: { projectId: string; holderId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['HeldRoleIds'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Revoke all roles of a user in a project */
    delete: { parameters: { query?: never; path: { projectId: string; holderId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/users/{holderId}/roles/{roleId}": {
    /** Replace all roles of a user in a project with one */
    put: { parameters: { query?: never; path: { projectId: string; holderId: string; roleId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Grant a user a role in a project */
    post: { parameters: { query?: never; path: { projectId: string; holderId: string; roleId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Revoke a role of a user in a project */
    delete: { parameters: { query?: never; path: { projectId: string; holderId: string; roleId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/groups/{holderId}/roles": {
    /** Set the roles of a group in a project */
    put: { parameters: { query?: never; path: { projectId: string; holderId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['HeldRoleIds'] } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Revoke all roles of a group in a project */
    delete: { parameters: { query?: never; path: { projectId: string; holderId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/groups/{holderId}/roles/{roleId}": {
    /** Replace all roles of a group in a project with one */
    put: { parameters: { query?: never; path: { projectId: string; holderId: string; roleId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Grant a group a role in a project */
    post: { parameters: { query?: never; path: { projectId: string; holderId: string; roleId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Revoke a role of a group in a project */
    delete: { parameters: { query?: never; path: { projectId: string; holderId: string; roleId: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/access/explain": {
    /** Explain access */
    get: { parameters: { query?: { user?: string | number; permission?: "ADMIN" | "CREATE_ADDON" | "UPDATE_ADDON" | "DELETE_ADDON" | "READ_CLIENT_API_TOKEN" | "CREATE_CLIENT_API_TOKEN" | "UPDATE_CLIENT_API_TOKEN" | "DELETE_CLIENT_API_TOKEN" | "READ_FRONTEND_API_TOKEN" | "CREATE_FRONTEND_API_TOKEN" | "UPDATE_FRONTEND_API_TOKEN" | "DELETE_FRONTEND_API_TOKEN" | "UPDATE_APPLICATION" | "CREATE_CONTEXT_FIELD" | "UPDATE_CONTEXT_FIELD" | "DELETE_CONTEXT_FIELD" | "CREATE_PROJECT" | "READ_ROLE" | "CREATE_SEGMENT" | "UPDATE_SEGMENT" | "DELETE_SEGMENT" | "CREATE_STRATEGY" | "UPDATE_STRATEGY" | "DELETE_STRATEGY" | "CREATE_TAG_TYPE" | "UPDATE_TAG_TYPE" | "DELETE_TAG_TYPE" | "READ_LOGS" | "UPDATE_MAINTENANCE_MODE" | "UPDATE_INSTANCE_BANNERS" | "UPDATE_CORS" | "UPDATE_AUTH_CONFIGURATION" | "RELEASE_PLAN_TEMPLATE_CREATE" | "RELEASE_PLAN_TEMPLATE_UPDATE" | "RELEASE_PLAN_TEMPLATE_DELETE" | "CREATE_FEATURE" | "UPDATE_FEATURE" | "DELETE_FEATURE" | "UPDATE_FEATURE_DEPENDENCY" | "UPDATE_FEATURE_VARIANTS" | "MOVE_FEATURE_TOGGLE" | "UPDATE_PROJECT" | "DELETE_PROJECT" | "READ_PROJECT_API_TOKEN" | "CREATE_PROJECT_API_TOKEN" | "DELETE_PROJECT_API_TOKEN" | "UPDATE_PROJECT_SEGMENT" | "UPDATE_PROJECT_CONTEXT" | "UPDATE_PROJECT_RELEASE_TEMPLATE" | "PROJECT_USER_ACCESS_READ" | "PROJECT_USER_ACCESS_WRITE" | "PROJECT_DEFAULT_STRATEGY_READ" | "PROJECT_DEFAULT_STRATEGY_WRITE" | "PROJECT_CHANGE_REQUEST_READ" | "PROJECT_CHANGE_REQUEST_WRITE" | "PROJECT_SETTINGS_READ" | "PROJECT_SETTINGS_WRITE" | "CREATE_FEATURE_STRATEGY" | "UPDATE_FEATURE_STRATEGY" | "DELETE_FEATURE_STRATEGY" | "UPDATE_FEATURE_ENVIRONMENT" | "UPDATE_FEATURE_ENVIRONMENT_VARIANTS" | "APPROVE_CHANGE_REQUEST" | "APPLY_CHANGE_REQUEST" | "SKIP_CHANGE_REQUEST"; project?: string | number; environment?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['AccessExplanation'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/instance": {
    /** Get the instance */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['Instance'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/instance-admin/statistics": {
    /** Get instance statistics */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['InstanceStatistics'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/instance/diagnostics": {
    /** Get diagnostics */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['Diagnostics'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/maintenance": {
    /** Get maintenance mode */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['MaintenanceMode'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Set maintenance mode */
    put: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['MaintenanceMode'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Set maintenance mode, as Unleash does */
    post: { parameters: { query?: never; path?: never; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['MaintenanceMode'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/ui-config": {
    /** Get the configuration for clients */
    get: { parameters: { query?: never; path?: never; header?: { "If-None-Match"?: string } }; responses: { 200: { content: { "application/json": schemas['UiConfig'] } }; 304: { content: never }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/ui-config/cors": {
    /** Set the allowed origins of frontend SDKs */
    post: { parameters: { query?: never; path?: never; header?: { "If-Match"?: string; "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['CorsSettings'] } }; responses: { 204: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 412: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/client-metrics/features/{featureName}": {
    /** Get the usage of a feature */
    get: { parameters: { query?: never; path: { featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['FeatureUsage'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/client-metrics/features/{featureName}/raw": {
    /** List the evaluation counts of a feature */
    get: { parameters: { query?: { hoursBack?: number }; path: { featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['RawFeatureUsage'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/usage": {
    /** List the feature usage of a project */
    get: { parameters: { query?: { days?: number; offset?: number; limit?: number }; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectUsage'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/internal-backstage/impact/metrics": {
    /** Get impact metrics for Prometheus */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "text/plain": string } } } };
  };
  "/api/admin/metrics/applications": {
    /** List applications */
    get: { parameters: { query?: { query?: string | number; project?: string | number; sortBy?: string | number; sortOrder?: string | number; offset?: number; limit?: number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['ApplicationList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/projects/{projectId}/applications": {
    /** List the applications of a project */
    get: { parameters: { query?: { query?: string | number; sortBy?: string | number; sortOrder?: string | number; offset?: number; limit?: number }; path: { projectId: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ProjectApplicationList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/metrics/applications/{appName}": {
    /** Get an application */
    get: { parameters: { query?: never; path: { appName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ApplicationDetails'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Update an application */
    post: { parameters: { query?: never; path: { appName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": schemas['ApplicationFields'] } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Delete an application */
    delete: { parameters: { query?: never; path: { appName: string }; header?: { "Halyard-Comment"?: string; "Idempotency-Key"?: string } }; responses: { 200: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 409: { content: { "application/json": schemas['ApiError'] } }; 422: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/metrics/applications/{appName}/overview": {
    /** Get the overview of an application */
    get: { parameters: { query?: never; path: { appName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ApplicationOverview'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/metrics/instances/{appName}/environment/{environmentName}": {
    /** List instances of an application */
    get: { parameters: { query?: never; path: { appName: string; environmentName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['ApplicationInstanceList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/metrics/api-tokens": {
    /** List the applications that use API tokens */
    get: { parameters: { query?: { token?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['ApiTokenUseList'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/admin/metrics/unknown-flags": {
    /** List unknown flags */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['UnknownFlagList'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/features": {
    /** Read all features */
    get: { parameters: { query?: { project?: string | number; namePrefix?: string | number; tag?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['SdkFeatures'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/features/{featureName}": {
    /** Read one feature */
    get: { parameters: { query?: never; path: { featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['SdkFeature'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/delta": {
    /** Read feature changes */
    get: { parameters: { query?: { project?: string | number; namePrefix?: string | number; tag?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['SdkDelta'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/register": {
    /** Register an application */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['SdkRegistration'] } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/metrics": {
    /** Send metrics */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['SdkMetrics'] } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/metrics/bulk": {
    /** Send metrics from a proxy */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['SdkBulkMetrics'] } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/metrics/edge": {
    /** Send data about a proxy */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['SdkEdgeData'] } }; responses: { 202: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/edge/validate": {
    /** Validate tokens */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['SdkTokens'] } }; responses: { 200: { content: { "application/json": schemas['SdkValidTokens'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/client/streaming": {
    /** Stream feature changes */
    get: { parameters: { query?: never; path?: never; header?: { "last-event-id"?: string } }; responses: { 200: { content: { "text/event-stream": string } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/edge/v1/head": {
    /** Get the head of a feed */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "text/plain": string } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/edge/v1/snapshot": {
    /** Get the snapshot of a feed */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "text/plain": string } }; 304: { content: never }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/edge/v1/stream": {
    /** Stream the changes of a feed */
    get: { parameters: { query?: never; path?: never; header?: never }; responses: { 200: { content: { "text/event-stream": string } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/edge/v1/tokens/{hash}": {
    /** Look up a token for an edge */
    get: { parameters: { query?: never; path: { hash: string }; header?: never }; responses: { 200: { content: { "text/plain": string } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/edge/v1/report": {
    /** Report from an edge */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['EdgeReport'] } }; responses: { 200: { content: { "application/json": schemas['EdgeReportResult'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/frontend": {
    /** Evaluate all features */
    get: { parameters: { query?: { userId?: string | number; sessionId?: string | number; remoteAddress?: string | number; currentTime?: string | number; appName?: string | number; environment?: string | number }; path?: never; header?: never }; responses: { 200: { content: { "application/json": schemas['FrontendFeatures'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
    /** Evaluate all features for a context in the body */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['FrontendRequest'] } }; responses: { 200: { content: { "application/json": schemas['FrontendFeatures'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/frontend/features/{featureName}": {
    /** Evaluate one feature */
    get: { parameters: { query?: { userId?: string | number; sessionId?: string | number; remoteAddress?: string | number; currentTime?: string | number; appName?: string | number; environment?: string | number }; path: { featureName: string }; header?: never }; responses: { 200: { content: { "application/json": schemas['FrontendFeature'] } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 404: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/frontend/client/register": {
    /** Register a frontend application */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['SdkRegistration'] } }; responses: { 200: { content: { "text/plain": string } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/frontend/client/metrics": {
    /** Send metrics from a frontend application */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['SdkMetrics'] } }; responses: { 200: { content: { "text/plain": string } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/api/frontend/client/events": {
    /** Send impression events from a frontend application */
    post: { parameters: { query?: never; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['ImpressionEvents'] } }; responses: { 200: { content: { "text/plain": string } }; 400: { content: { "application/json": schemas['ApiError'] } }; 401: { content: { "application/json": schemas['ApiError'] } }; 403: { content: { "application/json": schemas['ApiError'] } }; 413: { content: { "application/json": schemas['ApiError'] } }; 415: { content: { "application/json": schemas['ApiError'] } }; 429: { content: { "application/json": schemas['ApiError'] } }; 503: { content: { "application/json": schemas['ApiError'] } } } };
  };
  "/ofrep/v1/evaluate/flags/{key}": {
    /** Evaluate one feature with OpenFeature */
    post: { parameters: { query?: never; path: { key: string }; header?: never }; requestBody: { content: { "application/json": schemas['OfrepRequest'] } }; responses: { 200: { content: { "application/json": schemas['OfrepEvaluation'] } }; 400: { content: { "application/json": schemas['OfrepFailure'] } }; 401: { content: { "application/json": schemas['OfrepFailure'] } }; 403: { content: { "application/json": schemas['OfrepFailure'] } }; 404: { content: { "application/json": schemas['OfrepFailure'] } }; 413: { content: { "application/json": schemas['OfrepFailure'] } }; 415: { content: { "application/json": schemas['OfrepFailure'] } }; 429: { content: { "application/json": schemas['OfrepFailure'] } }; 503: { content: { "application/json": schemas['OfrepFailure'] } } } };
  };
  "/ofrep/v1/evaluate/flags": {
    /** Evaluate all features with OpenFeature */
    post: { parameters: { query?: { flagConfigEtag?: string | number }; path?: never; header?: never }; requestBody: { content: { "application/json": schemas['OfrepRequest'] } }; responses: { 200: { content: { "application/json": schemas['OfrepEvaluations'] } }; 304: { content: never }; 400: { content: { "application/json": schemas['OfrepFailure'] } }; 401: { content: { "application/json": schemas['OfrepFailure'] } }; 403: { content: { "application/json": schemas['OfrepFailure'] } }; 413: { content: { "application/json": schemas['OfrepFailure'] } }; 415: { content: { "application/json": schemas['OfrepFailure'] } }; 429: { content: { "application/json": schemas['OfrepFailure'] } }; 503: { content: { "application/json": schemas['OfrepFailure'] } } } };
  };
  "/ofrep/v1/events/{address}": {
    /** Stream notifications for OpenFeature */
    get: { parameters: { query?: never; path: { address: string }; header?: never }; responses: { 200: { content: { "text/event-stream": string } }; 404: { content: { "application/json": schemas['OfrepFailure'] } }; 429: { content: { "application/json": schemas['OfrepFailure'] } }; 503: { content: { "application/json": schemas['OfrepFailure'] } } } };
  };
}

/** The permissions for each operation. The caller needs one of them. */
export const permissionsByOperation = {
  createProject: ["CREATE_PROJECT"],
  updateProject: ["UPDATE_PROJECT"],
  deleteProject: ["DELETE_PROJECT"],
  updateProjectSettings: ["UPDATE_PROJECT","PROJECT_SETTINGS_WRITE"],
  checkFeatureNaming: ["UPDATE_PROJECT","PROJECT_SETTINGS_WRITE"],
  archiveProject: ["DELETE_PROJECT"],
  reviveProject: ["DELETE_PROJECT"],
  createProjectView: ["CREATE_FEATURE","UPDATE_PROJECT"],
  deleteArchivedFeature: ["DELETE_FEATURE"],
  reviveFeature: ["UPDATE_FEATURE"],
  validateArchive: ["DELETE_FEATURE"],
  createFeature: ["CREATE_FEATURE"],
  updateFeature: ["UPDATE_FEATURE"],
  archiveFeature: ["DELETE_FEATURE"],
  patchFeature: ["UPDATE_FEATURE"],
  archiveFeatures: ["DELETE_FEATURE"],
  reviveFeatures: ["UPDATE_FEATURE"],
  deleteFeatures: ["DELETE_FEATURE"],
  markFeaturesStale: ["UPDATE_FEATURE"],
  changeProject: ["MOVE_FEATURE_TOGGLE"],
  updateVariants: ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS"],
  patchVariants: ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS"],
  setFeatureStrategies: ["CREATE_FEATURE_STRATEGY","UPDATE_FEATURE_STRATEGY","DELETE_FEATURE_STRATEGY"],
  addFeatureStrategy: ["CREATE_FEATURE_STRATEGY"],
  orderFeatureStrategies: ["UPDATE_FEATURE_STRATEGY"],
  updateFeatureStrategy: ["UPDATE_FEATURE_STRATEGY"],
  deleteFeatureStrategy: ["DELETE_FEATURE_STRATEGY"],
  patchFeatureStrategy: ["UPDATE_FEATURE_STRATEGY"],
  enableFeature: ["UPDATE_FEATURE_ENVIRONMENT"],
  enableFeatures: ["UPDATE_FEATURE_ENVIRONMENT"],
  disableFeature: ["UPDATE_FEATURE_ENVIRONMENT"],
  disableFeatures: ["UPDATE_FEATURE_ENVIRONMENT"],
  snoozeFinding: ["UPDATE_FEATURE","UPDATE_PROJECT"],
  unsnoozeFinding: ["UPDATE_FEATURE","UPDATE_PROJECT"],
  cloneFeature: ["CREATE_FEATURE"],
  cloneFeatures: ["CREATE_FEATURE"],
  copyFeatureEnvironment: ["CREATE_FEATURE_STRATEGY","UPDATE_FEATURE_ENVIRONMENT_VARIANTS"],
  addFeatureDependency: ["UPDATE_FEATURE_DEPENDENCY"],
  deleteFeatureDependencies: ["UPDATE_FEATURE_DEPENDENCY"],
  deleteFeatureDependency: ["UPDATE_FEATURE_DEPENDENCY"],
  addFeatureLink: ["UPDATE_FEATURE"],
  updateFeatureLink: ["UPDATE_FEATURE"],
  deleteFeatureLink: ["UPDATE_FEATURE"],
  setFeatureOwners: ["UPDATE_FEATURE"],
  getOwned: ["ADMIN"],
  createManifestFlag: ["CREATE_FEATURE"],
  updateManifestFlag: ["UPDATE_FEATURE"],
  archiveManifestFlag: ["DELETE_FEATURE"],
  completeFeature: ["UPDATE_FEATURE"],
  uncompleteFeature: ["UPDATE_FEATURE"],
  createEnvironment: ["ADMIN"],
  deleteEnvironment: ["ADMIN"],
  validateEnvironmentName: ["ADMIN"],
  updateEnvironmentSortOrder: ["ADMIN"],
  updateEnvironment: ["ADMIN"],
  enableEnvironment: ["ADMIN"],
  disableEnvironment: ["ADMIN"],
  removeEnvironmentFromProject: ["UPDATE_PROJECT"],
  addEnvironmentToProject: ["UPDATE_PROJECT"],
  updateDefaultStrategy: ["UPDATE_PROJECT","PROJECT_DEFAULT_STRATEGY_WRITE"],
  setChangeRequestConfig: ["UPDATE_PROJECT","PROJECT_CHANGE_REQUEST_WRITE"],
  createStrategyType: ["CREATE_STRATEGY"],
  updateStrategyType: ["UPDATE_STRATEGY"],
  deleteStrategyType: ["DELETE_STRATEGY"],
  deprecateStrategyType: ["UPDATE_STRATEGY"],
  reactivateStrategyType: ["UPDATE_STRATEGY"],
  updateFeatureTypeLifetime: ["ADMIN"],
  createContextField: ["CREATE_CONTEXT_FIELD"],
  updateContextField: ["UPDATE_CONTEXT_FIELD"],
  deleteContextField: ["DELETE_CONTEXT_FIELD"],
  validateContextFieldName: ["UPDATE_CONTEXT_FIELD"],
  setLegalValue: ["UPDATE_CONTEXT_FIELD"],
  deleteLegalValue: ["UPDATE_CONTEXT_FIELD"],
  createProjectContextField: ["CREATE_CONTEXT_FIELD","UPDATE_PROJECT_CONTEXT"],
  updateProjectContextField: ["UPDATE_CONTEXT_FIELD","UPDATE_PROJECT_CONTEXT"],
  deleteProjectContextField: ["DELETE_CONTEXT_FIELD","UPDATE_PROJECT_CONTEXT"],
  validateProjectContextFieldName: ["UPDATE_CONTEXT_FIELD","UPDATE_PROJECT_CONTEXT"],
  setProjectLegalValue: ["UPDATE_CONTEXT_FIELD","UPDATE_PROJECT_CONTEXT"],
  deleteProjectLegalValue: ["UPDATE_CONTEXT_FIELD","UPDATE_PROJECT_CONTEXT"],
  createTagType: ["CREATE_TAG_TYPE"],
  updateTagType: ["UPDATE_TAG_TYPE"],
  deleteTagType: ["DELETE_TAG_TYPE"],
  deleteTag: ["UPDATE_FEATURE"],
  changeFeatureTags: ["UPDATE_FEATURE"],
  tagFeature: ["UPDATE_FEATURE"],
  untagFeature: ["UPDATE_FEATURE"],
  changeTagsOfFeatures: ["UPDATE_FEATURE"],
  createAddon: ["CREATE_ADDON"],
  updateAddon: ["UPDATE_ADDON"],
  deleteAddon: ["DELETE_ADDON"],
  validateAddon: ["CREATE_ADDON","UPDATE_ADDON"],
  enableAddon: ["UPDATE_ADDON"],
  disableAddon: ["UPDATE_ADDON"],
  rotateAddonSecret: ["UPDATE_ADDON"],
  getIntegrationEvents: ["ADMIN"],
  getIntegrationStats: ["ADMIN"],
  getDeliveries: ["ADMIN"],
  getIntegrationEvent: ["ADMIN"],
  redeliverIntegrationEvent: ["ADMIN"],
  skipIntegrationEvent: ["ADMIN"],
  redeliverFailedIntegrationEvents: ["ADMIN"],
  testAddon: ["UPDATE_ADDON"],
  previewAddon: ["ADMIN"],
  backfillAddon: ["ADMIN"],
  getApiTokens: ["READ_CLIENT_API_TOKEN","READ_FRONTEND_API_TOKEN"],
  createApiToken: ["CREATE_CLIENT_API_TOKEN","CREATE_FRONTEND_API_TOKEN"],
  getApiTokensByName: ["READ_CLIENT_API_TOKEN","READ_FRONTEND_API_TOKEN"],
  updateApiToken: ["UPDATE_CLIENT_API_TOKEN","UPDATE_FRONTEND_API_TOKEN"],
  deleteApiToken: ["DELETE_CLIENT_API_TOKEN","DELETE_FRONTEND_API_TOKEN"],
  getProjectApiTokens: ["READ_PROJECT_API_TOKEN"],
  createProjectApiToken: ["CREATE_PROJECT_API_TOKEN"],
  deleteProjectApiToken: ["DELETE_PROJECT_API_TOKEN"],
  getEdges: ["READ_CLIENT_API_TOKEN"],
  getUsers: ["ADMIN"],
  createUser: ["ADMIN"],
  getAdminCount: ["ADMIN"],
  createResetLink: ["ADMIN"],
  getInactiveUsers: ["ADMIN"],
  deleteInactiveUsers: ["ADMIN"],
  getUser: ["ADMIN"],
  updateUser: ["ADMIN"],
  deleteUser: ["ADMIN"],
  deactivateUser: ["ADMIN"],
  reactivateUser: ["ADMIN"],
  endSessionsOfUser: ["ADMIN"],
  getUserPermissions: ["ADMIN"],
  getAccessOfUser: ["ADMIN"],
  changeUserPassword: ["ADMIN"],
  getOidcSettings: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  setOidcSettings: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  getSimpleSettings: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  setSimpleSettings: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  getSamlSettings: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  setSamlSettings: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  testOidcSettings: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  getAdminLogins: ["ADMIN","UPDATE_AUTH_CONFIGURATION"],
  getSignupTokens: ["ADMIN"],
  createSignupToken: ["ADMIN"],
  getSignupToken: ["ADMIN"],
  updateSignupToken: ["ADMIN"],
  getServiceAccounts: ["ADMIN"],
  createServiceAccount: ["ADMIN"],
  getServiceAccount: ["ADMIN"],
  updateServiceAccount: ["ADMIN"],
  deleteServiceAccount: ["ADMIN"],
  getServiceAccountTokens: ["ADMIN"],
  createServiceAccountToken: ["ADMIN"],
  updateServiceAccountToken: ["ADMIN"],
  deleteServiceAccountToken: ["ADMIN"],
  getGroups: ["ADMIN"],
  createGroup: ["ADMIN"],
  getGroup: ["ADMIN"],
  updateGroup: ["ADMIN"],
  deleteGroup: ["ADMIN"],
  getGroupProjects: ["ADMIN"],
  getRoles: ["READ_ROLE"],
  createRole: ["ADMIN"],
  getRole: ["READ_ROLE"],
  updateRole: ["ADMIN"],
  deleteRole: ["ADMIN"],
  getRoleHolders: ["ADMIN"],
  validateRole: ["ADMIN"],
  getProjectAccess: ["PROJECT_USER_ACCESS_READ","PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  setProjectAccess: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  addProjectAccess: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  addProjectRoleAccess: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  setProjectRolesOfUser: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  deleteProjectRolesOfUser: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  changeProjectRoleOfUser: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  addProjectRoleToUser: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  deleteProjectRoleOfUser: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  setProjectRolesOfGroup: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  deleteProjectRolesOfGroup: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  changeProjectRoleOfGroup: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  addProjectRoleToGroup: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  deleteProjectRoleOfGroup: ["PROJECT_USER_ACCESS_WRITE","UPDATE_PROJECT"],
  getInstanceStatistics: ["ADMIN"],
  getDiagnostics: ["ADMIN"],
  setMaintenance: ["ADMIN","UPDATE_MAINTENANCE_MODE"],
  postMaintenance: ["ADMIN","UPDATE_MAINTENANCE_MODE"],
  setCorsOrigins: ["ADMIN","UPDATE_CORS"],
  updateApplication: ["UPDATE_APPLICATION"],
  deleteApplication: ["UPDATE_APPLICATION"],
} as const;
