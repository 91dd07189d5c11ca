import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  CLIENT_LIMITS,
  type ClientLimits,
  type Clients,
  makeClients,
} from '@halyard/plane/counting/clients.ts';
import type { MergeLimits } from '@halyard/plane/counting/merged.ts';
import { makeUsage, type Usage } from '@halyard/plane/counting/usage.ts';
import { makeOwnFeeds } from '@halyard/plane/feed/own-feeds.ts';
import { feedRoutes } from '@halyard/plane/feed/routes.ts';
import { type Admission, registerAdmissionMetrics } from '@halyard/plane/platform/admission/metrics.ts';
import { makeNetworkQueues, type NetworkQueues } from '@halyard/plane/platform/admission/network-queues.ts';
import type { ShareLimits } from '@halyard/plane/platform/admission/shares.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { lazyCompilers } from '@halyard/plane/platform/http/input/compilers.ts';
import { installJsonBodies } from '@halyard/plane/platform/http/input/json.ts';
import { installRowIds, ROW_ID } from '@halyard/plane/platform/http/input/row-ids.ts';
import { installInputLimits, MAX_PARAM_LENGTH } from '@halyard/plane/platform/http/input/url-limits.ts';
import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import { installNetworkQueues } from '@halyard/plane/platform/http/protection/network-queues.ts';
import { installWriteLimit } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { buildSdkApp, isSdkPath, type SdkAppSettings } from '@halyard/plane/serving/app.ts';
import { SLICE_LIMITS, type SliceLimits } from '@halyard/plane/serving/evaluation/slices.ts';
import type { Source } from '@halyard/plane/serving/source.ts';
import { makeServingState, type ServingState } from '@halyard/plane/serving/state/serving.ts';
import { STREAM_LIMITS, type StreamLimits } from '@halyard/plane/serving/streaming/limits.ts';
import { deriveSigningKey } from '@halyard/plane/snapshot/keys.ts';
import Fastify, { type FastifyHttpOptions, type RawServerDefault } from 'fastify';
import { getSessionCookieName } from './access/cookie.ts';
import { getRequestLimits, installGate, UNGATED } from './access/gate.ts';
import { installAuthentication, installAuthorization } from './access/guard.ts';
import { type ConsoleFiles, NOT_BUILT } from './console/files.ts';
import { type Help, helpRoutes } from './console/help.ts';
import { consoleRoutes, sendConsole } from './console/routes.ts';
import { BACKFILL, DELIVERIES } from './delivery/deliveries/operations.ts';
import { deliveryPreviewRoute } from './delivery/deliveries/routes.ts';
import { integrationOperations } from './delivery/integrations/operations.ts';
import { playgroundRoutes } from './explaining/playground/routes.ts';
import { CHANGE_REQUESTS } from './flags/change-requests/operations.ts';
import { COPIES } from './flags/clone/operations.ts';
import { cloneRoutes } from './flags/clone/routes.ts';
import { DEPENDENCIES } from './flags/dependencies/operations.ts';
import { ENVIRONMENTS } from './flags/environments/operations.ts';
import { PROJECT_ENVIRONMENTS } from './flags/environments/project-operations.ts';
import { FAVORITES } from './flags/favorites/operations.ts';
import { featureEnvironmentOperations } from './flags/feature-environments/operations.ts';
import { STRATEGY_SEGMENTS } from './flags/feature-environments/segment-operations.ts';
import { strategyOperations } from './flags/feature-environments/strategy-operations.ts';
import { variantOperations } from './flags/feature-environments/variant-operations.ts';
import { FEATURE_SEARCH } from './flags/feature-search/operations.ts';
import { FEATURE_TYPES } from './flags/feature-types/operations.ts';
import { ARCHIVE } from './flags/features/archive-operations.ts';
import { lockFeatureEtag } from './flags/features/etag.ts';
import { FEATURES } from './flags/features/operations.ts';
import { featureRoutes } from './flags/features/routes.ts';
import { PROJECT_HEALTH } from './flags/health/operations.ts';
import { healthReportRoutes } from './flags/health/routes.ts';
import { LIFECYCLE } from './flags/lifecycle/operations.ts';
import { LINKS } from './flags/links/operations.ts';
import { OPENFEATURE } from './flags/openfeature/operations.ts';
import { installManifestFormat } from './flags/openfeature/wire.ts';
import { OWNERS } from './flags/owners/operations.ts';
import { PROJECT_VIEWS } from './flags/project-views/operations.ts';
import { PROJECTS } from './flags/projects/operations.ts';
import { FEATURE_TAGS } from './flags/tags/feature-operations.ts';
import { TAGS } from './flags/tags/operations.ts';
import { IMPORTS } from './flags/transfer/operations.ts';
import { exportRoutes } from './flags/transfer/routes.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { ACCESS_EXPLANATION } from './people/access-explanation/operations.ts';
import { API_TOKENS } from './people/api-tokens/operations.ts';
import { PROJECT_API_TOKENS } from './people/api-tokens/project-operations.ts';
import { AUTH_SETTINGS } from './people/auth-settings/operations.ts';
import { loginMethodRoutes } from './people/auth-settings/routes.ts';
import { authorizationEndpoints } from './people/authorization/endpoints.ts';
import { consentRoutes } from './people/authorization/routes.ts';
import { GROUPS } from './people/groups/operations.ts';
import { instanceOperations } from './people/instance/operations.ts';
import { INVITATIONS } from './people/invitations/operations.ts';
import { signupRoutes } from './people/invitations/routes.ts';
import { MAINTENANCE } from './people/maintenance/operations.ts';
import { installMaintenance } from './people/maintenance/reject-writes.ts';
import { passwordRoutes } from './people/passwords/routes.ts';
import { PROJECT_ACCESS } from './people/project-access/operations.ts';
import { ROLES } from './people/roles/operations.ts';
import { SERVICE_ACCOUNTS } from './people/service-accounts/operations.ts';
import { sessionRoutes } from './people/sessions/routes.ts';
import { SSO } from './people/sso/operations.ts';
import { ssoRoutes } from './people/sso/routes.ts';
import { USER_ACCESS } from './people/user-access/operations.ts';
import { USERS } from './people/users/admin-operations.ts';
import { newPasswordRoutes } from './people/users/admin-routes.ts';
import { ME } from './people/users/operations.ts';
import { ownPasswordRoutes } from './people/users/routes.ts';
import { VIEWS } from './people/views/operations.ts';
import type { Config } from './platform/config.ts';
import type { Db } from './platform/db/database.ts';
import { listPendingMigrations } from './platform/db/migrate.ts';
import { docsRoutes } from './platform/http/description/docs.ts';
import { installOpenApi } from './platform/http/description/openapi.ts';
import { installChecks } from './platform/http/input/checks.ts';
import { restrictDateTimes } from './platform/http/input/date-times.ts';
import { installIgnored } from './platform/http/input/ignored.ts';
import { installCompression } from './platform/http/output/compression.ts';
import { installErrors, sendError } from './platform/http/output/errors.ts';
import { installSecurityHeaders, securityHeaders } from './platform/http/output/headers.ts';
import { installBodyShares } from './platform/http/protection/body-shares.ts';
import { getDryRunLimits, makeDryRuns } from './platform/http/protection/dry-runs.ts';
import { makeLongReads } from './platform/http/protection/long-reads.ts';
import { installMetricsToken } from './platform/http/protection/metrics-token.ts';
import {
  clientErrorHandler,
  installExpectations,
  rejectMultipleHosts,
} from './platform/http/protection/socket-errors.ts';
import { installStalledClients } from './platform/http/protection/stalled-clients.ts';
import { installWithoutDatabase } from './platform/http/protection/without-database.ts';
import { installClosing } from './platform/http/server/closing.ts';
import { healthRoutes } from './platform/http/server/health.ts';
import { installRequestLog, logOptions, RequestLogController } from './platform/http/server/log.ts';
import { installMetrics } from './platform/http/server/metrics.ts';
import { makeOutageLog, type OutageLog } from './platform/http/server/outage-log.ts';
import { makeSharedServer } from './platform/http/server/shared-server.ts';
import { passwordHashes } from './platform/secrets/password-hash.ts';
import { makeKeyring } from './platform/secrets/seal.ts';
import { CORS } from './publishing/cors/operations.ts';
import { makeDatabaseSource } from './publishing/source/database-source.ts';
import { registerWriters } from './record/change-writers.ts';
import { COMMENT_PARAMETER, installComments } from './record/comment.ts';
import { reportEpochChanges } from './record/epoch/metrics.ts';
import { makeEpochWatch } from './record/epoch/watch.ts';
import { eventCountOperations } from './record/event-counts/operations.ts';
import { eventExportRoutes } from './record/event-export/routes.ts';
import { EVENTS } from './record/event-search/event-operations.ts';
import { makeSearchMemory } from './record/event-search/indexed.ts';
import { eventSearchOperations } from './record/event-search/operations.ts';
import { eventStreamRoutes } from './record/event-stream/routes.ts';
import { eventTypesRoute } from './record/events/routes.ts';
import { installIdempotency } from './record/idempotency/hook.ts';
import type { OperationModule } from './record/operations/definition.ts';
import { registerOperations } from './record/operations/register.ts';
import { installRevisionHeader } from './record/revision-header.ts';
import { APPLICATIONS } from './reporting/applications/operations.ts';
import { EDGES } from './reporting/edges/operations.ts';
import { makeReportReceiver } from './reporting/edges/receive-report.ts';
import { FEATURE_USAGE } from './reporting/feature-usage/operations.ts';
import { impactMetricsRoute } from './reporting/feature-usage/routes.ts';
import { reachOperations } from './reporting/reach/operations.ts';
import { makeWaits } from './reporting/reach/waits.ts';
import { CONSTRAINTS } from './targeting/constraints/operations.ts';
import { CONTEXT } from './targeting/context/operations.ts';
import { SEGMENTS } from './targeting/segments/operations.ts';
import { STRATEGY_TYPES } from './targeting/strategy-types/operations.ts';
import { WRITERS } from './writers.ts';

const BODY_LIMIT_BYTES = 1_048_576;

/** The server refreshes the flags in memory every second. After this long without a response, the database counts as unreachable. */
const DATABASE_GONE_AFTER_S = 5;

type ServerOptions = FastifyHttpOptions<RawServerDefault>;

declare module 'fastify' {
  interface FastifyInstance {
    /** The flags and tokens served to SDKs, held in memory. */
    serving: ServingState;
    /** SDK reports, held in memory until they are written to the database. */
    usage: Usage;
    /** The revisions that SDK instances have presented, held in memory until they are written to the database. */
    reach: Clients;
    /** The Fastify application that serves SDKs on the same listener. */
    sdk: FastifyInstance;
  }
}

export type AppSettings = Pick<
  Config,
  | 'publicUrl'
  | 'poolSize'
  | 'logLevel'
  | 'trustedProxies'
  | 'limits'
  | 'writeLimit'
  | 'maxStreams'
  | 'metricsToken'
  | 'secretKey'
  | 'oldSecretKeys'
  | 'allowedTargets'
  | 'allowPrivateTargets'
  | 'deliverySchedule'
  | 'disableAfterHours'
  | 'disabledAuthorization'
>;

/** The connection pools for work other than short requests. */
type Pools = { longReadDb?: Db; searchDb?: Db; sdkDb?: Db; metricsDb?: Db };

/** Limits that are omitted keep their defaults. */
type BuildOptions = ServerOptions &
  Pools & {
    networkQueues?: NetworkQueues;
    requests?: Partial<ShareLimits>;
    longReads?: Partial<ShareLimits>;
    dryRuns?: Partial<ShareLimits>;
    bodies?: Partial<ShareLimits>;
    streams?: Partial<StreamLimits>;
    evaluation?: Partial<SliceLimits>;
    usageLimits?: Partial<MergeLimits>;
    reachLimits?: Partial<ClientLimits>;
    consoleFiles?: ConsoleFiles;
    help?: Help | undefined;
    /** Wraps the database as the source of flags, so that snapshots can stand in while it does not respond. */
    wrapSource?: (database: Source) => Source;
    /** Returns whether the database rejects writes. */
    isReadOnly?: () => boolean;
  };

/** Builds the application. Every HTTP route is registered here. */
export async function buildApp(
  db: Db,
  settings: AppSettings,
  {
    longReadDb = db,
    searchDb = longReadDb,
    sdkDb = db,
    metricsDb = db,
    networkQueues = makeNetworkQueues(),
    requests,
    longReads: longReadLimits,
    dryRuns: dryRunLimits,
    bodies,
    streams,
    evaluation,
    usageLimits,
    reachLimits,
    consoleFiles = NOT_BUILT,
    help,
    wrapSource = database => database,
    isReadOnly = () => false,
    ...options
  }: BuildOptions = {},
): Promise<App> {
  const { limits } = settings;
  const sso = {
    publicUrl: settings.publicUrl,
    keyring: makeKeyring(settings.secretKey, settings.oldSecretKeys),
  };
  const admission: Admission = new Map([['arrivals', networkQueues]]);
  const longReads = makeLongReads(longReadDb, searchDb, admission, longReadLimits);
  registerWriters(WRITERS);
  const epochs = makeEpochWatch();
  const serving = makeServingState(wrapSource(makeDatabaseSource(sdkDb, epochs)));
  const dryRuns = makeDryRuns({ ...getDryRunLimits(settings.poolSize), ...dryRunLimits });
  admission.set('dry-runs', dryRuns.shares);
  const instance = { limits, longReads, dryRuns, publicUrl: settings.publicUrl, keyring: sso.keyring };
  const headers = securityHeaders(settings.publicUrl);
  const outageLog = makeOutageLog();
  const app: App = Fastify({
    ...serverOptions(settings, outageLog),
    serverFactory: makeSharedServer(
      ({ url = '' }) => isSdkPath(url),
      () => app.sdk.routing,
      rejectMultipleHosts(headers),
    ),
    ...options,
  }).withTypeProvider<TypeBoxTypeProvider>();

  outageLog.writeTo(app.log);
  installErrors(app, (request, reply) => sendConsole(request, reply, consoleFiles));
  installSecurityHeaders(app, headers);
  installExpectations(app, headers);
  installRequestLog(app);
  installStalledClients(app);
  installClosing(app);
  installWithoutDatabase(app, () => serving.copyTakenAt);
  installNetworkQueues(app, networkQueues);
  admission.set(
    'requests',
    installGate(app, settings.publicUrl, { ...getRequestLimits(settings.poolSize), ...requests }),
  );
  installMetricsToken(app, settings.metricsToken);
  installAuthentication(app, db, settings.publicUrl);
  installInputLimits(app);
  installAuthorization(app, db);
  installMaintenance(app, db);
  installWriteLimit(app, settings.writeLimit);
  admission.set('bodies', installBodyShares(app, bodies));
  installJsonBodies(app);
  installChecks(app);
  installIgnored(app);
  installRowIds(app);
  installRevisionHeader(app);
  installManifestFormat(app);
  installComments(app);
  installIdempotency(app, db);
  installCompression(app, admission);
  await installOpenApi(
    app,
    settings.publicUrl,
    getSessionCookieName(settings.publicUrl),
    () => app.sdk,
    { 'Halyard-Comment': COMMENT_PARAMETER },
    UNGATED,
  );
  installMetrics(app);
  admission.set('logins', passwordHashes.logins).set('new-passwords', passwordHashes.newPasswords);
  registerAdmissionMetrics(app.metrics, admission);
  const usage = makeUsage(app.metrics, serving.hasFeature, usageLimits);
  app.decorate('usage', usage);
  const reach = makeClients({ ...CLIENT_LIMITS, ...reachLimits });
  app.decorate('reach', reach);
  await installSdk(app, serving, {
    networkQueues,
    admission,
    securityHeaders: headers,
    streams: { ...STREAM_LIMITS, streams: settings.maxStreams, ...streams },
    evaluation: { ...SLICE_LIMITS, ...evaluation },
    trustedProxies: settings.trustedProxies,
    reports: usage,
    positions: reach,
    addRoutes: (sdk, responder, count) =>
      feedRoutes(
        sdk,
        serving,
        responder,
        count,
        admission,
        settings.secretKey &&
          makeOwnFeeds(serving, {
            key: deriveSigningKey(settings.secretKey),
            previousKey: settings.oldSecretKeys[0] && deriveSigningKey(settings.oldSecretKeys[0]),
            metrics: app.metrics,
            takeReport: makeReportReceiver(metricsDb, serving),
          }),
      ),
  });
  healthRoutes(app, {
    load: () => checkReady(db),
    isDatabaseResponding: () => (serving.age === undefined ? undefined : serving.age < DATABASE_GONE_AFTER_S),
    snapshotTime: () => serving.copyTakenAt,
    isReadOnly,
    isDraining: () => app.drain.isDraining,
  });
  const register = (module: OperationModule) => registerOperations(app, db, instance, module);
  register(EVENTS);
  eventTypesRoute(app);
  reportEpochChanges(epochs, app.log, app.metrics);
  const searchMemory = makeSearchMemory();
  epochs.onChange(searchMemory.clear);
  const waits = makeWaits(admission);
  app.addHook('preClose', async () => waits.close());
  register(reachOperations(waits));
  register(eventSearchOperations(searchMemory));
  eventStreamRoutes(app, db, longReads, epochs);
  eventExportRoutes(app, longReads, searchMemory);
  register(eventCountOperations(searchMemory));
  register(PROJECTS);
  register(PROJECT_VIEWS);
  register(ARCHIVE);
  featureRoutes(app, longReads);
  register(FEATURES);
  register(variantOperations(lockFeatureEtag));
  register(strategyOperations(lockFeatureEtag));
  register(STRATEGY_SEGMENTS);
  register(featureEnvironmentOperations(lockFeatureEtag));
  healthReportRoutes(app, longReads);
  register(PROJECT_HEALTH);
  cloneRoutes(app, db, limits, dryRuns);
  register(COPIES);
  register(FEATURE_SEARCH);
  register(DEPENDENCIES);
  register(FAVORITES);
  register(LINKS);
  register(OWNERS);
  register(OPENFEATURE);
  register(LIFECYCLE);
  register(ENVIRONMENTS);
  register(PROJECT_ENVIRONMENTS);
  register(CHANGE_REQUESTS);
  register(STRATEGY_TYPES);
  register(FEATURE_TYPES);
  register(CONTEXT);
  register(CONSTRAINTS);
  exportRoutes(app, longReads);
  register(IMPORTS);
  playgroundRoutes(app, longReads);
  register(SEGMENTS);
  register(TAGS);
  register(FEATURE_TAGS);
  register(integrationOperations(integrationSettings(settings)));
  register(DELIVERIES);
  deliveryPreviewRoute(app, db, sso);
  register(BACKFILL);
  register(API_TOKENS);
  register(PROJECT_API_TOKENS);
  register(EDGES);
  register(ME);
  ownPasswordRoutes(app, db, settings.publicUrl);
  consentRoutes(app, db, settings, integrationSettings(settings).targets);
  await authorizationEndpoints(app, db, settings);
  register(VIEWS);
  register(USERS);
  register(USER_ACCESS);
  newPasswordRoutes(app, db, settings.publicUrl);
  sessionRoutes(app, db, settings.publicUrl);
  register(AUTH_SETTINGS);
  loginMethodRoutes(app, db);
  register(SSO);
  ssoRoutes(app, db, sso);
  passwordRoutes(app, db, settings.publicUrl);
  register(INVITATIONS);
  signupRoutes(app, db, settings.publicUrl);
  register(SERVICE_ACCOUNTS);
  register(GROUPS);
  register(ROLES);
  register(PROJECT_ACCESS);
  register(ACCESS_EXPLANATION);
  register(instanceOperations(settings));
  register(MAINTENANCE);
  register(CORS);
  register(FEATURE_USAGE);
  impactMetricsRoute(app, usage.impact);
  register(APPLICATIONS);
  mcpRoutes(app, db, instance);
  docsRoutes(app);
  helpRoutes(app, help);
  consoleRoutes(app, consoleFiles);
  return app;
}

/** Installs the SDK application, which starts and stops together with the main one. */
async function installSdk(
  app: App,
  serving: ServingState,
  settings: Omit<SdkAppSettings, 'log' | 'metrics'>,
): Promise<void> {
  const shared = { hasApiDocument: true, log: app.log, metrics: app.metrics };
  const sdk = await buildSdkApp(serving, { ...settings, ...shared });
  app.decorate('serving', serving);
  app.decorate('sdk', sdk);
  app.addHook('onReady', async () => void (await sdk.ready()));
  app.addHook('preClose', async () => await sdk.close());
}

/** Returns the keys and the allowed targets for integrations. */
export const integrationSettings = (config: AppSettings) => ({
  keyring: makeKeyring(config.secretKey, config.oldSecretKeys),
  targets: { allowed: config.allowedTargets, allowPrivate: config.allowPrivateTargets },
});

function serverOptions(
  { logLevel, trustedProxies, publicUrl }: AppSettings,
  outageLog: OutageLog,
): ServerOptions {
  const headers = securityHeaders(publicUrl);
  return {
    logger: logOptions(logLevel, outageLog),
    logController: new RequestLogController(),
    genReqId: () => randomUUID(),
    // Only these proxies may report the client's IP address, because events record the address.
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: BODY_LIMIT_BYTES,
    // With Node's defaults of 60 s and 300 s, all of 1,000 slow clients were still connected after 15 s. With these timeouts,
    // none were.
    requestTimeout: 10_000,
    // We reject a request without a Host ourselves (platform/http/input/url-limits.ts), because Node's own response has no body.
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    ajv: {
      customOptions: {
        allErrors: true,
        coerceTypes: false,
        removeAdditional: false,
        // A root role can be an id or a name.
        allowUnionTypes: true,
        // Our own schemas are linted as part of openapi.json. Validating them again would add 0.8 s to the first request.
        validateSchema: false,
        verbose: true,
        keywords: [RULE, ROW_ID],
      },
      onCreate: restrictDateTimes,
    },
    schemaController: lazyCompilers,
    // We build the message from `validation` (platform/http/input/violations.ts). Fastify would join all violations, of which there
    // can be 100,000, into one message.
    schemaErrorFormatter: () => new Error('The request does not match its schema'),
    // No hook runs for these errors, so the headers are set here.
    frameworkErrors: async (error, request, reply) =>
      await sendError((await request.server.callerError(request)) ?? error, request, reply.headers(headers)),
    clientErrorHandler: clientErrorHandler(headers),
    // Requests that arrive before the last connection closes still get a response (platform/http/server/closing.ts).
    return503OnClosing: false,
  };
}

async function checkReady(db: Db): Promise<void> {
  const pendingMigrations = await listPendingMigrations(db);
  if (pendingMigrations.length > 0)
    throw new Error(`Migrations are pending: ${pendingMigrations.join(', ')}`);
}
