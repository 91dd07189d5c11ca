import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { version } from '../../platform/command-line.ts';
import type { Config } from '../../platform/config.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { listLoginMethods } from '../auth-settings/methods.ts';
import { diagnose } from './diagnostics.ts';
import { Diagnostics } from './diagnostics-schema.ts';
import { Instance } from './schema.ts';
import { InstanceStatistics } from './statistics-schema.ts';
import { readCounts, readPostgresVersion } from './store.ts';

type InstanceSettings = Pick<
  Config,
  'publicUrl' | 'limits' | 'writeLimit' | 'deliverySchedule' | 'disableAfterHours'
>;

export function instanceOperations(settings: InstanceSettings): OperationModule {
  const settingsFields = describeSettings(settings);
  return {
    tag: 'Operations',
    schemas: [Instance, InstanceStatistics, Diagnostics],
    operations: [
      query({
        id: 'getInstance',
        route: 'GET /api/admin/instance',
        summary: 'Get the instance',
        description:
          'Returns the server version, the limits, the delivery schedule and the enabled login methods. The response contains no secret. Root admins also see the PostgreSQL version. Every authenticated caller may call it.',
        permission: 'NONE',
        output: jsonResponse('The instance', Instance),
        read: async ({ db, actor }) => {
          const methods = await listLoginMethods(db);
          const isEnabled = (type: string) => methods.some(method => method.type === type);
          return {
            ...settingsFields,
            login: { password: isEnabled('password'), singleSignOn: isEnabled('oidc') },
            ...(actor.isAdmin ? { postgresVersion: await readPostgresVersion(db) } : {}),
          };
        },
      }),
      query({
        id: 'getInstanceStatistics',
        route: 'GET /api/admin/instance-admin/statistics',
        summary: 'Get instance statistics',
        description:
          'Returns the number of users, projects, features and other resources in the instance, with the same fields as Unleash.',
        permission: ['ADMIN'],
        output: jsonResponse('The counts', InstanceStatistics),
        read: async ({ db }) => {
          const loginTypes = (await listLoginMethods(db)).map(({ type }) => type);
          return {
            ...(await readCounts(db)),
            versionOSS: settingsFields.version,
            versionEnterprise: '',
            passwordAuthEnabled: loginTypes.includes('password'),
            OIDCenabled: loginTypes.includes('oidc'),
            SAMLenabled: false,
            SCIMenabled: false,
          };
        },
      }),
      query({
        id: 'getDiagnostics',
        route: 'GET /api/admin/instance/diagnostics',
        summary: 'Get diagnostics',
        description:
          'Returns versions, the size of the database, connections, limits with their usage, the lag of the event index and the state of deliveries, for example to attach to a bug report. The response contains no secrets and no names of people, projects or flags. The field `server` describes the server that handled the request.',
        permission: ['ADMIN'],
        output: jsonResponse('The diagnostics', Diagnostics),
        read: async ({ db, keyring }) =>
          await diagnose(db, { ...settings, hasSecretKey: keyring.length > 0 }),
      }),
    ],
  };
}

const describeSettings = (settings: InstanceSettings): Omit<Instance, 'login' | 'postgresVersion'> => {
  const { perMinute, burst } = settings.writeLimit;
  return {
    version: version(),
    edition: 'open-source',
    license: 'Apache-2.0',
    publicUrl: settings.publicUrl,
    limits: {
      ...settings.limits,
      // 0 disables both the limit and the burst.
      writesPerMinute: perMinute || null,
      writeBurst: perMinute === 0 ? null : burst,
    },
    deliveries: {
      attempts: settings.deliverySchedule.length,
      waitSeconds: settings.deliverySchedule,
      disableAfterHours: settings.disableAfterHours || null,
    },
    mail: false,
    eventRetentionDays: null,
  };
};
