import { NamedObject, Nullable, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { count } from './schema.ts';

const stringField = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

export const LIMITED_RESOURCES = ['projects', 'environments', 'features', 'segments', 'apiTokens'] as const;

/** Information that helps to find the cause of a problem. It names no person, project or flag, and contains no secret. */
export const Diagnostics = SharedObject('Diagnostics', {
  createdAt: Timestamp('When the diagnostics were read'),
  instanceId: Type.String({
    format: 'uuid',
    description: 'Stays the same across restarts, upgrades and restored backups',
  }),
  version: stringField('Version of Halyard', '0.1.0'),
  publicUrl: stringField('URL at which people reach the server', 'https://flags.example.com'),
  login: NamedObject('DiagnosticsLogin', 'The login methods', {
    password: Type.Boolean({ description: 'Whether users can log in with a password' }),
    singleSignOn: Type.Boolean({ description: 'Whether single sign-on is enabled' }),
  }),
  secretKey: Type.Boolean({ description: 'Whether the server has a HALYARD_SECRET_KEY' }),
  server: NamedObject('DiagnosticsServer', 'The process that responded', {
    node: stringField('Version of Node.js', '24.11.0'),
    platform: stringField('Operating system and processor architecture', 'linux x64'),
    cpus: count('Processors available to the process', 4),
    uptimeSeconds: count('Seconds since the start of the process', 86_400),
    residentBytes: count('Memory of the process', 210_000_000),
    heapBytes: count('Memory that JavaScript objects use', 95_000_000),
  }),
  database: NamedObject('DiagnosticsDatabase', 'The database', {
    version: stringField('Version of PostgreSQL', '17.6'),
    bytes: count('Size of the database', 1_200_000_000),
    migrations: count('Applied migrations', 14),
    newestMigration: stringField('Name of the newest migration', '0014_user_views.sql'),
    availableConnections: count('Connections available to all servers on this database', 97),
    limitedBy: stringField('What limits the available connections', 'max_connections'),
    servers: count('Servers that are connected', 2),
    connections: Type.Array(
      NamedObject('DiagnosticsConnections', {
        name: stringField('Purpose of the connections', 'halyard requests'),
        open: count('Open connections', 10),
        active: count('Connections that are running a statement', 1),
      }),
      { maxItems: 50, description: "Halyard's connections to this database, by purpose" },
    ),
  }),
  limits: Type.Array(
    NamedObject('DiagnosticsLimit', {
      name: Type.Unsafe<(typeof LIMITED_RESOURCES)[number]>({
        description: 'Name of the limit',
        type: 'string',
        enum: [...LIMITED_RESOURCES],
      }),
      used: count('How many there are', 312),
      limit: count('Maximum number that the server accepts', 500),
    }),
    {
      maxItems: LIMITED_RESOURCES.length,
      description: "The instance's limits and how much of each is used",
    },
  ),
  events: NamedObject('DiagnosticsEvents', 'The event log and its index', {
    newestId: count('Id of the newest event', 48_120),
    newestAt: Nullable(Timestamp('When the newest event was recorded. Null: there is none')),
    indexLagSeconds: NamedObject(
      'DiagnosticsIndexLag',
      'How long complete chunks of events have been waiting to be indexed. 0: none are waiting',
      {
        filters: Type.Number({ minimum: 0, description: 'The index for filters', examples: [0] }),
        text: Type.Number({ minimum: 0, description: 'The index for text', examples: [0] }),
      },
    ),
  }),
  integrations: NamedObject('DiagnosticsIntegrations', 'The integrations and their deliveries', {
    enabled: count('Enabled integrations', 4),
    failing: count('Enabled integrations whose last attempts failed', 1),
    openDeliveries: count('Deliveries that are pending or retrying', 12),
    oldestDueSeconds: count('Seconds for which the oldest due delivery has been waiting', 0),
  }),
});
export type Diagnostics = Static<typeof Diagnostics>;
