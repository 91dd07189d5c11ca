import { NamedObject, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { count } from './schema.ts';

/** The counts of an instance, under the names that Unleash clients read. */
export const InstanceStatistics = SharedObject('InstanceStatistics', {
  instanceId: Type.String({
    format: 'uuid',
    description: 'Stays the same across restarts, upgrades and restored backups',
  }),
  timestamp: Timestamp('When the counts were read'),
  versionOSS: Type.String({ description: 'Version of Halyard', examples: ['0.1.0'] }),
  versionEnterprise: Type.String({ description: 'Always empty: Halyard has one edition' }),
  users: count('Users', 42),
  activeUsers: NamedObject('ActiveUsers', 'Number of users by when they were last seen', {
    last7: count('Users seen in the last 7 days', 20),
    last30: count('Users seen in the last 30 days', 31),
    last60: count('Users seen in the last 60 days', 35),
    last90: count('Users seen in the last 90 days', 38),
  }),
  serviceAccounts: count('Service accounts', 3),
  groups: count('Groups', 4),
  roles: count('Roles, including built-in ones', 8),
  customRootRoles: count('Custom root roles', 1),
  customRootRolesInUse: count('Custom root roles that a user or group has', 1),
  apiTokens: NamedObject('ApiTokenCounts', 'Number of API tokens by type', {
    admin: count('Admin tokens', 1),
    client: count('Tokens for server-side SDKs and edges', 6),
    frontend: count('Tokens for frontend SDKs', 2),
  }),
  projects: count('Active projects', 12),
  featureToggles: count('Active features', 340),
  archivedFeatureToggles: count('Archived features', 57),
  environments: count('Environments', 3),
  segments: count('Segments', 9),
  contextFields: count('Context fields', 6),
  strategies: count('Strategy types', 4),
  clientApps: Type.Array(
    NamedObject('ApplicationCount', 'Number of applications seen in a time span', {
      range: Type.Unsafe<'7d' | '30d' | 'allTime'>({
        description: 'Time span of the count',
        type: 'string',
        enum: ['7d', '30d', 'allTime'],
      }),
      count: count('Applications seen in the range', 5),
    }),
  ),
  passwordAuthEnabled: Type.Boolean({ description: 'Whether users can log in with a password' }),
  OIDCenabled: Type.Boolean({ description: 'Whether single sign-on is enabled' }),
  SAMLenabled: Type.Boolean({ description: 'Always false' }),
  SCIMenabled: Type.Boolean({ description: 'Always false' }),
});
export type InstanceStatistics = Static<typeof InstanceStatistics>;

/** The counts that come from the database. */
export type InstanceCounts = Omit<
  InstanceStatistics,
  'versionOSS' | 'versionEnterprise' | 'passwordAuthEnabled' | 'OIDCenabled' | 'SAMLenabled' | 'SCIMenabled'
>;
