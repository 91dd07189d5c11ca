import { closeSync, openSync, readSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { isAbsolute } from 'node:path';
import { findPasswordProblems } from './secrets/password-strength.ts';
import { findFileVariable, VARIABLES, type VariableName } from './variables.ts';

/** The settings of the process. Only this file reads the environment. */
export type Config = {
  databaseUrl: string;
  /** The URL of the database without a connection pooler in between. Equal to `databaseUrl` if there is no pooler. */
  directUrl: string;
  poolSize: number;
  /** Whether frequent statements are prepared, which not every connection pooler supports. */
  preparedStatements: boolean;
  host: string;
  port: number;
  publicUrl: string;
  logLevel: string;
  initAdminTokens: string[];
  /** The first admin, created if there has never been a user. */
  initAdmin: { username: string; password: string } | undefined;
  secretKey: Buffer | undefined;
  /** Old keys, which still decrypt what was encrypted with them. */
  oldSecretKeys: Buffer[];
  /** Where snapshots for SDKs are written. If undefined, none are written. */
  dataDir: string | undefined;
  trustedProxies: string[];
  /** The ways of requesting a token that are disabled on this server. */
  disabledAuthorization: AuthorizationMethod[];
  /** Hosts and ranges that integrations may reach even though they are not public. */
  allowedTargets: string[];
  allowPrivateTargets: boolean;
  /** Seconds to wait before each attempt of a delivery, beginning with 0. */
  deliverySchedule: number[];
  /** Hours of failures after which an integration is disabled, or 0 if it never is. */
  disableAfterHours: number;
  limits: Limits;
  /** Writes that one caller may make per minute on average (0 means no limit), and in a burst after a pause. */
  writeLimit: { perMinute: number; burst: number };
  /** The maximum number of SDK streams that this process has open. */
  maxStreams: number;
  /** The bearer token that Prometheus must send. If undefined, anyone may read the metrics. */
  metricsToken: string | undefined;
  /** How long the server serves requests after SIGTERM. */
  shutdownDelaySeconds: number;
  /** How many days evaluation counts are stored. */
  retention: { hourlyDays: number; dailyDays: number };
  /** Where feeds for edges are published. If undefined, none are published. */
  nats?: { url: string; nkey: string | undefined; replicas: number } | undefined;
};

/** With `registration`, clients register themselves. With `device`, they use codes for machines without a browser. */
export type AuthorizationMethod = 'registration' | 'device';

/** The maximum number of resources of each kind in an instance. */
export type Limits = {
  projects: number;
  environments: number;
  /** Active features. Archived features do not count. */
  features: number;
  segments: number;
  apiTokens: number;
};

export const DEFAULT_LIMITS: Limits = {
  projects: 500,
  environments: 50,
  features: 100_000,
  segments: 300,
  apiTokens: 2_000,
};

type Env = Record<string, string | undefined>;

/** Parses the value of one variable, or throws an error with the reason. */
type Parse<T> = (text: string | undefined) => T;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const ADMIN_TOKEN = /^\*:\*\.[\x21-\x7e]{32,200}$/;
const METRICS_TOKEN = /^[\x21-\x7e]{16,200}$/;
const NKEY_SEED = /^SU[A-Z2-7]{56}$/;
const SECRET_KEY_BYTES = 32;
const SECRET_FILE_BYTES = 65_536;
/** For these variables, an empty file is an error, because it usually means that a script failed to write it. */
const NEVER_EMPTY: VariableName[] = ['DATABASE_URL', 'HALYARD_DATABASE_DIRECT_URL', 'HALYARD_SECRET_KEY'];
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;
const MAX_ATTEMPTS = 50;
/** Ten attempts over three days, after 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. */
export const DEFAULT_SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Reads all variables and reports all problems together, each with the variable and an example. */
export function readConfig(env: Env): Config {
  const problems: string[] = [];
  const read = <T>(name: VariableName, parse: Parse<T>): T => {
    try {
      return parse(readText(env, name));
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}. Example: ${name}=${VARIABLES[name].example}`);
      // The value is never used, because problems is not empty and the function throws below.
      return undefined as T;
    }
  };

  const limit = (name: VariableName, fallback: number) => read(name, integer(fallback, 1, 10_000_000));

  const port = read('PORT', integer(4242, 0, 65_535));
  const databaseUrl = read('DATABASE_URL', postgresUrl);
  const directUrl =
    read('HALYARD_DATABASE_DIRECT_URL', text => (text === undefined ? undefined : postgresUrl(text))) ??
    databaseUrl;
  const isPooled = directUrl !== databaseUrl;
  const natsUrls = read('HALYARD_NATS_URL', natsUrl(env.HALYARD_SECRET_KEY ?? env.HALYARD_SECRET_KEY_FILE));
  const nats = {
    nkey: read('HALYARD_NATS_NKEY', nkeySeed),
    replicas: read('HALYARD_NATS_REPLICAS', integer(1, 1, 5)),
  };
  const config: Config = {
    databaseUrl,
    directUrl,
    poolSize: read('HALYARD_POOL_SIZE', integer(10, 2, 1_000)),
    preparedStatements:
      read('HALYARD_PREPARED_STATEMENTS', choice(['true', 'false'], isPooled ? 'false' : 'true')) === 'true',
    host: read('HOST', text => text ?? '0.0.0.0'),
    port,
    publicUrl: read('HALYARD_PUBLIC_URL', httpUrl(`http://localhost:${port ?? 4242}`)),
    logLevel: read('LOG_LEVEL', choice(LOG_LEVELS, 'info')),
    initAdminTokens: read('HALYARD_INIT_ADMIN_TOKENS', adminTokens),
    initAdmin: read('HALYARD_INIT_ADMIN_PASSWORD', initAdmin(env.HALYARD_INIT_ADMIN_USERNAME || undefined)),
    secretKey: read('HALYARD_SECRET_KEY', secretKey(env.NODE_ENV === 'production')),
    oldSecretKeys: read('HALYARD_OLD_SECRET_KEYS', oldSecretKeys),
    dataDir: read('HALYARD_DATA_DIR', dataDir(env.HALYARD_SECRET_KEY ?? env.HALYARD_SECRET_KEY_FILE)),
    trustedProxies: read('HALYARD_TRUSTED_PROXIES', ipRanges),
    disabledAuthorization: read('HALYARD_DISABLED_AUTHORIZATION', authorizationMethods),
    limits: {
      projects: limit('HALYARD_MAX_PROJECTS', DEFAULT_LIMITS.projects),
      environments: limit('HALYARD_MAX_ENVIRONMENTS', DEFAULT_LIMITS.environments),
      features: limit('HALYARD_MAX_FEATURES', DEFAULT_LIMITS.features),
      segments: limit('HALYARD_MAX_SEGMENTS', DEFAULT_LIMITS.segments),
      apiTokens: limit('HALYARD_MAX_API_TOKENS', DEFAULT_LIMITS.apiTokens),
    },
    writeLimit: {
      perMinute: read('HALYARD_WRITES_PER_MINUTE', integer(600, 0, 1_000_000)),
      burst: read('HALYARD_WRITE_BURST', integer(1_000, 1, 1_000_000)),
    },
    metricsToken: read('HALYARD_METRICS_TOKEN', metricsToken),
    shutdownDelaySeconds: read('HALYARD_SHUTDOWN_DELAY_SECONDS', integer(15, 0, 600)),
    maxStreams: read('HALYARD_MAX_STREAMS', integer(20_000, 0, 1_000_000)),
    retention: {
      hourlyDays: read('HALYARD_METRICS_HOURLY_DAYS', integer(7, 3, 366)),
      dailyDays: read('HALYARD_METRICS_DAILY_DAYS', integer(400, 90, 3_660)),
    },
    nats: natsUrls === undefined ? undefined : { url: natsUrls, ...nats },
    allowedTargets: read('HALYARD_ALLOWED_TARGETS', targets),
    allowPrivateTargets: read('HALYARD_ALLOW_PRIVATE_TARGETS', choice(['true', 'false'], 'false')) === 'true',
    deliverySchedule: read('HALYARD_DELIVERY_SCHEDULE', schedule),
    disableAfterHours: read('HALYARD_DISABLE_INTEGRATIONS_AFTER_HOURS', integer(120, 0, 8_760)),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Returns the value of a variable, or the content of the file that its _FILE variable names. */
function readText(env: Env, name: VariableName): string | undefined {
  const value = env[name] || undefined;
  const fileVariable = findFileVariable(name);
  const path = (fileVariable && env[fileVariable]) || undefined;
  if (path === undefined) return value;
  if (value !== undefined) throw new Error(`and ${fileVariable} are both set. Set only one of them`);
  // Most editors leave a newline at the end, and it is never part of a secret.
  const text = readSecretFile(path, fileVariable ?? '').replace(/\r?\n$/, '');
  if (text === '' && NEVER_EMPTY.includes(name))
    throw new Error(`is empty: ${fileVariable} names the empty file ${JSON.stringify(path)}`);
  return text || undefined;
}

function readSecretFile(path: string, variable: string): string {
  const buffer = Buffer.alloc(SECRET_FILE_BYTES + 1);
  try {
    const file = openSync(path, 'r');
    try {
      const length = readSync(file, buffer);
      if (length <= SECRET_FILE_BYTES) return buffer.toString('utf8', 0, length);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`cannot be read from ${JSON.stringify(path)} (${variable}): ${code}`);
  }
  throw new Error(`has more than ${SECRET_FILE_BYTES} bytes in ${JSON.stringify(path)} (${variable})`);
}

/** The message lists every problem, for the operator's terminal. */
export class ConfigError extends Error {
  constructor(problems: string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`The configuration has ${count}:\n  ${problems.join('\n  ')}`);
  }
}

/** Returns the items of a comma-separated list. */
export const splitList = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');

function integer(fallback: number, min: number, max: number): Parse<number> {
  return text => {
    const value = text === undefined ? fallback : Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}`);
  };
}

function choice(values: string[], fallback: string): Parse<string> {
  return (text = fallback) => {
    if (values.includes(text)) return text;
    throw new Error(`must be one of ${values.join(', ')}, not ${JSON.stringify(text)}`);
  };
}

// The URL contains a password, so a message quotes only the port and sslmode.
export function postgresUrl(text: string | undefined): string {
  if (text === undefined) throw new Error('is missing');
  if (!/^postgres(ql)?:\/\//i.test(text)) throw new Error('must start with postgres:// or postgresql://');
  if (text.includes('#')) throw new Error('contains #. Write # in a password as %23');
  const [, authority = '', path = '', query = ''] = /^\w+:\/\/([^/?]*)([^?]*)(.*)$/s.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  if (hosts.includes(',') || /[?&]target_session_attrs=/.test(query)) throw new Error(SEVERAL_HOSTS);
  const url = URL.parse(text);
  // A / or ? in a password ends the authority early, which leaves the @ after the password in the path or the query.
  const urlAfterAuthority = url === null || path === '' ? path + query : path;
  if (!authority.includes('@') && urlAfterAuthority.includes('@')) throw new Error(NOT_ENCODED);
  if (url === null) throw new Error(describeHostProblem(authority));
  try {
    decodeURIComponent(text);
  } catch {
    throw new Error('has a % that is not part of a percent-encoded character; write % itself as %25');
  }
  if (url.pathname.length < 2) throw new Error('names no database');
  // pg treats an unknown mode as verify-full, and an empty one as no encryption.
  const mode = url.searchParams.getAll('sslmode').find(candidate => !SSL_MODES.includes(candidate));
  if (mode !== undefined)
    throw new Error(`has sslmode ${JSON.stringify(mode)}; sslmode must be one of ${SSL_MODES.join(', ')}`);
  return text;
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

const SEVERAL_HOSTS =
  "names several hosts or target_session_attrs, which Halyard does not support. Use one host name that always points to the primary, such as your provider's writer endpoint, HAProxy or a virtual IP address; the server disconnects from a standby within a second";

const NOT_ENCODED =
  'has a username or password with a character that must be percent-encoded: / is %2F, ? is %3F, [ is %5B, ] is %5D';

/** Finds out why a URL is invalid, because Node does not say why it rejects the URL. */
function describeHostProblem(authority: string): string {
  const [, port] = /:(\d+)$/.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  return Number(port) > 65_535
    ? `has port ${port}; the highest port is 65535`
    : 'has an invalid host or port';
}

/** Returns the origin in lower case and without the default port, because it is compared with what browsers and other clients send. */
function httpUrl(fallback: string): Parse<string> {
  return (text = fallback) => {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol))
      throw new Error(`must be an http or https URL, not ${JSON.stringify(text)}`);
    if (/[^/]/.test(url.pathname + url.search + url.hash))
      throw new Error(
        `must have no path, query or fragment, not ${JSON.stringify(text)}: Halyard needs its own host name and cannot be served below a path`,
      );
    if (url.username !== '' || url.password !== '') throw new Error('must have no username or password');
    return url.origin;
  };
}

const AUTHORIZATION_METHODS: AuthorizationMethod[] = ['registration', 'device'];

function authorizationMethods(text: string | undefined): AuthorizationMethod[] {
  return splitList(text).map(item => {
    const method = AUTHORIZATION_METHODS.find(candidate => candidate === item);
    if (method !== undefined) return method;
    throw new Error(`must be a list of ${AUTHORIZATION_METHODS.join(', ')}, not ${JSON.stringify(text)}`);
  });
}

// The items are secrets, so a message says which one is wrong but never quotes it.
function adminTokens(text: string | undefined): string[] {
  const tokens = splitList(text);
  const invalidIndex = tokens.findIndex(token => !ADMIN_TOKEN.test(token));
  if (invalidIndex >= 0)
    throw new Error(
      `item ${invalidIndex + 1} is invalid: it must be *:*. followed by a secret of 32 to 200 characters`,
    );
  return tokens;
}

function metricsToken(text: string | undefined): string | undefined {
  if (text !== undefined && !METRICS_TOKEN.test(text))
    throw new Error('must have 16 to 200 printable ASCII characters without spaces');
  return text;
}

/** Parses the first admin. Neither variable has a default, so an operator who sets the username must also choose a password. */
function initAdmin(username: string | undefined): Parse<Config['initAdmin']> {
  return password => {
    if (username === undefined && password === undefined) return undefined;
    if (password === undefined) throw new Error('is required if HALYARD_INIT_ADMIN_USERNAME is set');
    if (username === undefined) throw new Error('is set, but HALYARD_INIT_ADMIN_USERNAME is missing');
    const problems = [...findPasswordProblems(password, { username, email: username })];
    if (problems.length > 0) throw new Error(problems.join(', and '));
    return { username, password };
  };
}

function secretKey(isRequired: boolean): Parse<Buffer | undefined> {
  return text => {
    if (text === undefined && isRequired) throw new Error('is required if NODE_ENV is production');
    return text === undefined ? undefined : parseKey(text);
  };
}

/**
 * Requires the secret key, which signs the snapshots, so that a server loads only snapshots from its own installation.
 */
function dataDir(secretKey: string | undefined): Parse<string | undefined> {
  return text => {
    if (text !== undefined && !secretKey) throw new Error('requires HALYARD_SECRET_KEY');
    if (text !== undefined && !isAbsolute(text)) throw new Error(`must be an absolute path, not "${text}"`);
    return text;
  };
}

/** Requires the secret key, because edges accept only signed feeds. */
function natsUrl(secretKey: string | undefined): Parse<string | undefined> {
  return text => {
    if (text === undefined) return undefined;
    if (!secretKey) throw new Error('requires HALYARD_SECRET_KEY');
    const urls = splitList(text);
    // A URL may contain a password, so the message does not quote it.
    const invalidIndex = urls.findIndex(
      url => !/^(nats|tls):\/\/[^/]+$/.test(url) || URL.parse(url) === null,
    );
    if (invalidIndex >= 0)
      throw new Error(
        `item ${invalidIndex + 1} is invalid: it must be nats:// or tls:// followed by a host and a port`,
      );
    return urls.join(',');
  };
}

function nkeySeed(text: string | undefined): string | undefined {
  if (text !== undefined && !NKEY_SEED.test(text))
    throw new Error('must be the seed of a user nkey: SU followed by 56 characters');
  return text;
}

function parseKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== SECRET_KEY_BYTES) throw new Error(`is not ${SECRET_KEY_BYTES} bytes in base64`);
  return key;
}

const oldSecretKeys = (text: string | undefined): Buffer[] => splitList(text).map(parseKey);

function targets(text: string | undefined): string[] {
  const list = splitList(text);
  const invalidItem = list.find(item => !isIpRange(item) && !HOST_NAME.test(item));
  if (invalidItem !== undefined)
    throw new Error(`contains "${invalidItem}", which is not a host name, IP address or CIDR range`);
  return list;
}

function schedule(text: string | undefined): number[] {
  const delays = text === undefined ? DEFAULT_SCHEDULE : splitList(text).map(Number);
  const isValid = delays.every(delay => Number.isFinite(delay) && delay >= 0 && delay <= 86_400);
  if (!isValid || delays.length === 0 || delays.length > MAX_ATTEMPTS)
    throw new Error(
      `must be a list of 1 to ${MAX_ATTEMPTS} delays in seconds, each at most a day, not ${JSON.stringify(text)}`,
    );
  // The first attempt is made immediately, so a delay before it would never apply.
  if (delays[0] !== 0) throw new Error(`must start with 0, not ${delays[0]}`);
  return delays;
}

function ipRanges(text: string | undefined): string[] {
  const list = splitList(text);
  const invalidItem = list.find(item => !isIpRange(item));
  if (invalidItem !== undefined)
    throw new Error(`contains "${invalidItem}", which is neither an IP address nor a CIDR range`);
  return list;
}

/** Returns whether Node accepts the string as an IP address or a CIDR range. */
function isIpRange(text: string): boolean {
  const [network = '', prefix, ...rest] = text.split('/');
  const family = isIPv4(network) ? 'ipv4' : 'ipv6';
  try {
    new BlockList().addSubnet(network, Number(prefix ?? 0), family);
    return rest.length === 0;
  } catch {
    return false;
  }
}
