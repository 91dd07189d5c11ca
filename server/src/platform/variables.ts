// The module is imported by its path, because `npm run setup -- --help` reads the variables before any package is installed.
import { nearestName } from '../../../plane/src/platform/nearest.ts';

/** One environment variable as `--help`, the documentation and error messages describe it. */
export type Variable = {
  /** The value if the variable is not set. */
  default: string;
  /** A value that is accepted. */
  example: string;
  meaning: string;
  /** The value is a secret, so it can be in a file named by the variable with the suffix _FILE. */
  isSecret?: true;
};

/** Every environment variable of the server. `config.ts` reads no others. */
export const VARIABLES = {
  DATABASE_URL: {
    default: 'required',
    example: 'postgres://halyard@127.0.0.1:5432/halyard',
    meaning: 'URL of the PostgreSQL database',
    isSecret: true,
  },
  HALYARD_DATABASE_DIRECT_URL: {
    default: 'DATABASE_URL',
    example: 'postgres://halyard@10.0.0.5:5432/halyard',
    meaning: 'URL of the same database without PgBouncer, if DATABASE_URL points to PgBouncer',
    isSecret: true,
  },
  PORT: { default: '4242', example: '4242', meaning: 'Port to listen on, 0 to 65535; 0 chooses a free port' },
  HOST: {
    default: '0.0.0.0',
    example: '127.0.0.1',
    meaning:
      'IP address to listen on; a host name binds to one of its addresses; :: listens on all IPv4 and IPv6 addresses',
  },
  HALYARD_PUBLIC_URL: {
    default: 'http://localhost:$PORT',
    example: 'https://flags.example.com',
    meaning:
      'URL at which browsers reach the server, without a path; used in links, for the cookie and to check origins',
  },
  HALYARD_INIT_ADMIN_TOKENS: {
    default: 'none',
    example: `*:*.${'x'.repeat(32)}`,
    meaning: 'Admin tokens to create, separated by commas; each is *:*. and 32 to 200 characters',
    isSecret: true,
  },
  HALYARD_INIT_ADMIN_USERNAME: {
    default: 'none',
    example: 'ada',
    meaning: 'Username of the first admin, created if no user has ever existed; requires the password',
  },
  HALYARD_INIT_ADMIN_PASSWORD: {
    default: 'none',
    example: '"$(openssl rand -base64 18)"',
    meaning: 'Password of the first admin; the server does not start with a weak one',
    isSecret: true,
  },
  HALYARD_SECRET_KEY: {
    default: 'none; required with NODE_ENV=production',
    example: '"$(openssl rand -base64 32)"',
    meaning:
      '32 bytes in base64 that encrypt the secrets of integrations, single sign-on and readable API tokens',
    isSecret: true,
  },
  HALYARD_DATA_DIR: {
    default: 'none',
    example: '/var/lib/halyard',
    meaning:
      'Folder for signed snapshots of flags and SDK tokens, so that the server can start while the database is unreachable; requires HALYARD_SECRET_KEY',
  },
  HALYARD_OLD_SECRET_KEYS: {
    default: 'none',
    example: 'previous-key,older-key',
    meaning: 'Replaced keys, separated by commas, until `halyard rotate-secrets` has run',
    isSecret: true,
  },
  HALYARD_TRUSTED_PROXIES: {
    default: 'none',
    example: '10.0.0.0/8,192.0.2.7',
    meaning: 'IP addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted',
  },
  HALYARD_DISABLED_AUTHORIZATION: {
    default: 'none',
    example: 'registration,device',
    meaning:
      'Disabled ways for clients to request tokens: registration, device, or both, separated by commas',
  },
  HALYARD_ALLOWED_TARGETS: {
    default: 'none',
    example: 'hooks.internal,10.1.0.0/16',
    meaning: 'Private host names, IP addresses or CIDR ranges that integrations may reach',
  },
  HALYARD_ALLOW_PRIVATE_TARGETS: {
    default: 'false',
    example: 'false',
    meaning: 'true lets integrations send requests to private IP addresses; for development',
  },
  HALYARD_DELIVERY_SCHEDULE: {
    default: 'ten attempts over 75 h',
    example: '0,5,300,1800',
    meaning: 'Seconds to wait before each delivery attempt, separated by commas; the first is 0',
  },
  HALYARD_DISABLE_INTEGRATIONS_AFTER_HOURS: {
    default: '120',
    example: '120',
    meaning: 'Hours without a successful delivery after which a failing integration is disabled; 0 = never',
  },
  HALYARD_POOL_SIZE: {
    default: '10',
    example: '10',
    meaning: 'Database connections, 2 to 1000; long reads, jobs, deliveries, SDKs and metrics use 16 more',
  },
  HALYARD_PREPARED_STATEMENTS: {
    default: 'true; false with HALYARD_DATABASE_DIRECT_URL',
    example: 'true',
    meaning: 'Whether frequent statements are prepared, which PgBouncer supports from version 1.21',
  },
  HALYARD_MAX_PROJECTS: { default: '500', example: '500', meaning: 'Maximum number of projects' },
  HALYARD_MAX_ENVIRONMENTS: { default: '50', example: '50', meaning: 'Maximum number of environments' },
  HALYARD_MAX_FEATURES: {
    default: '100000',
    example: '100000',
    meaning: 'Maximum number of active features',
  },
  HALYARD_MAX_SEGMENTS: { default: '300', example: '300', meaning: 'Maximum number of segments' },
  HALYARD_MAX_API_TOKENS: { default: '2000', example: '2000', meaning: 'Maximum number of API tokens' },
  HALYARD_WRITES_PER_MINUTE: {
    default: '600',
    example: '600',
    meaning: 'Writes per minute that one caller may make; 0 means no limit',
  },
  HALYARD_WRITE_BURST: {
    default: '1000',
    example: '1000',
    meaning: 'Writes that one caller may make in a burst after a pause',
  },
  HALYARD_MAX_STREAMS: {
    default: '20000',
    example: '20000',
    meaning: 'Maximum number of open SDK streams on this server; beyond it, SDKs poll',
  },
  HALYARD_METRICS_TOKEN: {
    default: 'none; anyone may read the metrics',
    example: '"$(openssl rand -hex 32)"',
    meaning: 'Bearer token that Prometheus must send to `/internal-backstage/`, 16 to 200 characters',
    isSecret: true,
  },
  HALYARD_SHUTDOWN_DELAY_SECONDS: {
    default: '15',
    example: '15',
    meaning:
      'Seconds after SIGTERM during which the server still serves requests but reports that it is not ready, 0 to 600',
  },
  HALYARD_METRICS_HOURLY_DAYS: {
    default: '7',
    example: '7',
    meaning: 'Days to keep evaluations by hour, 3 to 366',
  },
  HALYARD_METRICS_DAILY_DAYS: {
    default: '400',
    example: '400',
    meaning: 'Days to keep evaluations by day, 90 to 3660',
  },
  HALYARD_NATS_URL: {
    default: 'none',
    example: 'tls://nats.example.com:4222',
    meaning:
      'URLs of the NATS servers, separated by commas, where feeds are published for edges; requires HALYARD_SECRET_KEY',
  },
  HALYARD_NATS_NKEY: {
    default: 'none',
    example: 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY',
    meaning: 'Seed of the nkey that the server uses to log in to NATS; `halyard nats-config` creates one',
    isSecret: true,
  },
  HALYARD_NATS_REPLICAS: {
    default: '1',
    example: '3',
    meaning: 'NATS servers that store each stream, 1 to 5; more than 1 requires a cluster',
  },
  LOG_LEVEL: {
    default: 'info',
    example: 'info',
    meaning: 'fatal, error, warn, info, debug, trace or silent',
  },
  NODE_ENV: {
    default: 'none',
    example: 'production',
    meaning: 'production makes HALYARD_SECRET_KEY required',
  },
} satisfies Record<string, Variable>;

export type VariableName = keyof typeof VARIABLES;

/** Variables as `--help` describes them. Some belong to other commands. */
export type DescribedVariables = Readonly<Record<string, Pick<Variable, 'default' | 'meaning'>>>;

/** Returns the description of some variables. */
export const describeVariables = (...names: VariableName[]): DescribedVariables =>
  Object.fromEntries(names.map(name => [name, VARIABLES[name]]));

/** Returns the variable that names a file with the value, or undefined if the value is not a secret. */
export const findFileVariable = (name: VariableName): string | undefined =>
  'isSecret' in VARIABLES[name] ? `${name}_FILE` : undefined;

/** Every variable that the server reads, including those that name a file. */
export const VARIABLE_NAMES: readonly string[] = (Object.keys(VARIABLES) as VariableName[]).flatMap(name =>
  [name, findFileVariable(name) ?? []].flat(),
);

const PREFIX = 'HALYARD_';

/** The variables of the CLI. The server ignores them without a warning, because both may run in the same shell. */
export const CLI_VARIABLE_NAMES: readonly string[] = [
  'HALYARD_SERVER',
  'HALYARD_TOKEN',
  'HALYARD_PROFILE',
  'HALYARD_PROJECT',
  'HALYARD_ENVIRONMENT',
  'HALYARD_OUTPUT',
  'HALYARD_SDK_TOKEN',
  'HALYARD_WEBHOOK_SECRET',
];

/** Returns a warning for each variable that has our prefix but is unknown, usually because of a typo. */
export function unknownVariables(env: Record<string, string | undefined>): string[] {
  const knownNames = [...VARIABLE_NAMES];
  return Object.keys(env)
    .filter(
      name => name.startsWith(PREFIX) && !knownNames.includes(name) && !CLI_VARIABLE_NAMES.includes(name),
    )
    .toSorted()
    .map(name => {
      const nearest = nearestVariable(name, knownNames);
      return nearest === undefined
        ? `${name} is not a known variable. Run with --help to list all variables.`
        : `${name} is not a known variable. Did you mean ${nearest}?`;
    });
}

/** Compares the names without their common prefix and their underscores. */
function nearestVariable(name: string, knownNames: string[]): string | undefined {
  const normalize = (text: string) => text.replace(PREFIX, '').replaceAll('_', '');
  const nearest = nearestName(normalize(name), knownNames.map(normalize));
  return knownNames.find(candidate => normalize(candidate) === nearest);
}
