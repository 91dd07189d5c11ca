import { version } from '../../platform/command-line.ts';
import type { Config } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import { loginMethods } from '../auth-settings/methods.ts';
import { Instance } from './schema.ts';
import { InstanceStatistics } from './statistics-schema.ts';
import { readCounts, readPostgresVersion } from './store.ts';

type InstanceSettings = Pick<
  Config,
  'publicUrl' | 'limits' | 'writeLimit' | 'deliverySchedule' | 'disableAfterHours'
>;

export function instanceRoutes(app: App, db: Db, settings: InstanceSettings): void {
  for (const schema of [Instance, InstanceStatistics]) app.addSchema(schema);
  const constant = describeSettings(settings);

  app.get(
    '/api/admin/instance',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getInstance',
        tags: ['Operations'],
        summary: 'Get the instance',
        description:
          'Returns the version, the limits, the schedule of deliveries and the enabled login methods of the server. It contains no secret. Root admins also see the version of PostgreSQL. Every authenticated caller may call it.',
        response: { 200: jsonResponse('The instance', Instance), ...errorResponses(401, 403) },
      },
    },
    async ({ actor }): Promise<Instance> => {
      const methods = await loginMethods(db);
      const isEnabled = (type: string) => methods.some(method => method.type === type);
      return {
        ...constant,
        login: { password: isEnabled('password'), singleSignOn: isEnabled('oidc') },
        ...(actor.isAdmin ? { postgresVersion: await readPostgresVersion(db) } : {}),
      };
    },
  );

  app.get(
    '/api/admin/instance-admin/statistics',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'getInstanceStatistics',
        tags: ['Operations'],
        summary: 'Count what the instance contains',
        description:
          'Returns the number of users, projects, features and everything else in the instance, as Unleash does. Requires ADMIN.',
        response: { 200: jsonResponse('The counts', InstanceStatistics), ...errorResponses(401, 403) },
      },
    },
    async (): Promise<InstanceStatistics> => {
      const methods = (await loginMethods(db)).map(({ type }) => type);
      return {
        ...(await readCounts(db)),
        versionOSS: constant.version,
        versionEnterprise: '',
        passwordAuthEnabled: methods.includes('password'),
        OIDCenabled: methods.includes('oidc'),
        SAMLenabled: false,
        SCIMenabled: false,
      };
    },
  );
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
      // 0 disables the limit, and the burst with it.
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
