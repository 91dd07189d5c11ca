import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { VARIABLES } from './variables.ts';

const GOOD = { DATABASE_URL: 'postgres://halyard@db:5432/halyard' };
const SECRET = 's'.repeat(32);
const KEY = Buffer.alloc(32, 7).toString('base64');

test('only DATABASE_URL is required', () => {
  expect(readConfig(GOOD)).toEqual({
    databaseUrl: GOOD.DATABASE_URL,
    directUrl: GOOD.DATABASE_URL,
    poolSize: 10,
    preparedStatements: true,
    host: '0.0.0.0',
    port: 4242,
    publicUrl: 'http://localhost:4242',
    logLevel: 'info',
    initAdminTokens: [],
    initAdmin: undefined,
    secretKey: undefined,
    oldSecretKeys: [],
    trustedProxies: [],
    writeLimit: { perMinute: 600, burst: 1_000 },
    shutdownDelaySeconds: 15,
    maxStreams: 20_000,
    retention: { hourlyDays: 7, dailyDays: 400 },
    limits: { projects: 500, environments: 50, features: 100_000, segments: 300, apiTokens: 2_000 },
    allowedTargets: [],
    allowPrivateTargets: false,
    deliverySchedule: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    disableAfterHours: 120,
    disabledAuthorization: [],
  });
});

test.each([
  [{ PORT: '80' }, { port: 80, publicUrl: 'http://localhost' }],
  [{ PORT: '' }, { port: 4242 }],
  [{ HALYARD_PUBLIC_URL: 'https://flags.example.com/' }, { publicUrl: 'https://flags.example.com' }],
  [{ HALYARD_PUBLIC_URL: 'HTTPS://Flags.Example.com:443//' }, { publicUrl: 'https://flags.example.com' }],
  [{ HALYARD_PUBLIC_URL: 'http://Flags.example.com:8080' }, { publicUrl: 'http://flags.example.com:8080' }],
  [
    { HALYARD_INIT_ADMIN_TOKENS: `*:*.${SECRET}, *:*.b${SECRET}` },
    { initAdminTokens: [`*:*.${SECRET}`, `*:*.b${SECRET}`] },
  ],
  [
    { HALYARD_INIT_ADMIN_USERNAME: 'ada', HALYARD_INIT_ADMIN_PASSWORD: 'mauve otter lantern' },
    { initAdmin: { username: 'ada', password: 'mauve otter lantern' } },
  ],
  [{ HALYARD_SECRET_KEY: KEY, NODE_ENV: 'production' }, { secretKey: Buffer.alloc(32, 7) }],
  [{ HALYARD_SECRET_KEY: KEY, HALYARD_DATA_DIR: '/var/lib/halyard' }, { dataDir: '/var/lib/halyard' }],
  [
    { HALYARD_SECRET_KEY: KEY, HALYARD_NATS_URL: 'tls://a:4222, nats://b:4222', HALYARD_NATS_REPLICAS: '3' },
    { nats: { url: 'tls://a:4222,nats://b:4222', nkey: undefined, replicas: 3 } },
  ],
  [
    { HALYARD_OLD_SECRET_KEYS: `${KEY},${KEY}` },
    { oldSecretKeys: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)] },
  ],
  [{ HALYARD_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }, { trustedProxies: ['10.0.0.0/8', '::1'] }],
  [
    { HALYARD_OLD_SECRET_KEYS: `${KEY},${KEY}` },
    { oldSecretKeys: [Buffer.alloc(32, 7), Buffer.alloc(32, 7)] },
  ],
  [
    { HALYARD_ALLOWED_TARGETS: 'hooks.internal, 10.1.0.0/16', HALYARD_ALLOW_PRIVATE_TARGETS: 'true' },
    { allowedTargets: ['hooks.internal', '10.1.0.0/16'], allowPrivateTargets: true },
  ],
  [{ HALYARD_DELIVERY_SCHEDULE: '0, 0.1, 2' }, { deliverySchedule: [0, 0.1, 2] }],
  [
    { HALYARD_DISABLED_AUTHORIZATION: 'device, registration' },
    { disabledAuthorization: ['device', 'registration'] },
  ],
  [{ HALYARD_DISABLE_INTEGRATIONS_AFTER_HOURS: '0' }, { disableAfterHours: 0 }],
  [
    { HALYARD_POOL_SIZE: '50', LOG_LEVEL: 'debug', HOST: '127.0.0.1' },
    { poolSize: 50, logLevel: 'debug', host: '127.0.0.1' },
  ],
  [
    {
      HALYARD_MAX_PROJECTS: '1',
      HALYARD_MAX_ENVIRONMENTS: '2',
      HALYARD_MAX_FEATURES: '3',
      HALYARD_MAX_SEGMENTS: '4',
      HALYARD_MAX_API_TOKENS: '5',
    },
    { limits: { projects: 1, environments: 2, features: 3, segments: 4, apiTokens: 5 } },
  ],
  [{ HALYARD_MAX_STREAMS: '0' }, { maxStreams: 0 }],
  [{ HALYARD_WRITES_PER_MINUTE: '0', HALYARD_WRITE_BURST: '1' }, { writeLimit: { perMinute: 0, burst: 1 } }],
])('reads %j', (env, expected) => {
  expect(readConfig({ ...GOOD, ...env })).toMatchObject(expected);
});

test.each([
  ['DATABASE_URL', undefined],
  ['DATABASE_URL', 'mysql://x/y'],
  ['DATABASE_URL', 'not an address'],
  ['DATABASE_URL', 'postgres://a:100%@db/halyard'],
  ['PORT', '65536'],
  ['PORT', 'http'],
  ['HALYARD_POOL_SIZE', '1'],
  ['HALYARD_MAX_FEATURES', '0'],
  ['HALYARD_MAX_PROJECTS', 'many'],
  ['HALYARD_WRITES_PER_MINUTE', '-1'],
  ['HALYARD_WRITE_BURST', '0'],
  ['HALYARD_PUBLIC_URL', 'flags.example.com'],
  ['HALYARD_PUBLIC_URL', 'ftp://flags.example.com'],
  ['HALYARD_PUBLIC_URL', 'https://example.com/flags'],
  ['HALYARD_PUBLIC_URL', 'https://ada:secret@example.com'],
  ['DATABASE_URL', 'postgres://halyard@a.example:5432,b.example:5432/halyard'],
  ['DATABASE_URL', 'postgres://halyard@a.example/halyard?target_session_attrs=read-write'],
  ['HALYARD_DATABASE_DIRECT_URL', 'mysql://x/y'],
  ['LOG_LEVEL', 'loud'],
  ['HALYARD_INIT_ADMIN_TOKENS', `*:*.${SECRET.slice(1)}`],
  ['HALYARD_INIT_ADMIN_TOKENS', `default:production.${SECRET}`],
  ['HALYARD_SECRET_KEY', 'c2hvcnQ='],
  ['HALYARD_OLD_SECRET_KEYS', `${KEY},c2hvcnQ=`],
  ['HALYARD_ALLOWED_TARGETS', 'http://hooks.internal'],
  ['HALYARD_ALLOWED_TARGETS', 'a b'],
  ['HALYARD_ALLOW_PRIVATE_TARGETS', 'yes'],
  ['HALYARD_DISABLED_AUTHORIZATION', 'true'],
  ['HALYARD_PREPARED_STATEMENTS', 'no'],
  ['HALYARD_DELIVERY_SCHEDULE', '0,x'],
  ['HALYARD_DELIVERY_SCHEDULE', '0,90000'],
  ['HALYARD_DELIVERY_SCHEDULE', '5'],
  ['HALYARD_DISABLE_INTEGRATIONS_AFTER_HOURS', '-1'],
  ['HALYARD_TRUSTED_PROXIES', 'proxy.example.com'],
  ['HALYARD_TRUSTED_PROXIES', '10.0.0.0/99'],
  ['HALYARD_TRUSTED_PROXIES', '::1,10.0.0.0/8/8'],
])('rejects %s=%s with the name and an example', (name, value) => {
  const env = { ...GOOD, [name]: value };
  expect(() => readConfig(env)).toThrow(new RegExp(`${name} .+\\. Example: ${name}=`));
});

test.each([
  ['DATABASE_URL', 'mysql://x/y', 'DATABASE_URL must start with postgres:// or postgresql://.'],
  ['DATABASE_URL', 'postgres://halyard@db:5432', 'DATABASE_URL names no database.'],
  ['DATABASE_URL', 'postgres://halyard@db:5432/', 'DATABASE_URL names no database.'],
  ['DATABASE_URL', 'postgres://db:99999/halyard', 'DATABASE_URL has port 99999; the highest port is 65535.'],
  [
    'DATABASE_URL',
    'postgres://u:s3cr#t@db/halyard',
    'DATABASE_URL contains #. Write # in a password as %23.',
  ],
  ['DATABASE_URL', 'postgres://u:123#t@db/halyard', 'DATABASE_URL contains #. Write # in a password as %23.'],
  [
    'DATABASE_URL',
    'postgres://u:99999/s3cr@db/halyard',
    'DATABASE_URL has a username or password with a character that must be percent-encoded: / is %2F, ? is %3F, [ is %5B, ] is %5D.',
  ],
  [
    'DATABASE_URL',
    'postgres://u:123?s3cr@db/halyard',
    'DATABASE_URL has a username or password with a character that must be percent-encoded: / is %2F, ? is %3F, [ is %5B, ] is %5D.',
  ],
  ['DATABASE_URL', 'postgres://u@db:port/halyard', 'DATABASE_URL has an invalid host or port.'],
  [
    'DATABASE_URL',
    'postgres://u:s3cr@db/halyard?sslmode=requird',
    'DATABASE_URL has sslmode "requird"; sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify.',
  ],
  ['DATABASE_URL', 'postgres://db/halyard?sslmode=', /^DATABASE_URL has sslmode ""; sslmode must be one of /],
  [
    'DATABASE_URL',
    'postgres://db/halyard?sslmode=require&sslmode=Disable',
    /^DATABASE_URL has sslmode "Disable"; /,
  ],
  ['PORT', 'abc', 'PORT must be a whole number from 0 to 65535, not "abc".'],
  ['LOG_LEVEL', 'loud', /^LOG_LEVEL must be one of fatal, .+, silent, not "loud"\./],
  ['HALYARD_PUBLIC_URL', 'a.example', /must be an http or https URL, not "a\.example"\./],
  ['HALYARD_DELIVERY_SCHEDULE', '5,10', 'HALYARD_DELIVERY_SCHEDULE must start with 0, not 5.'],
  ['HALYARD_DELIVERY_SCHEDULE', '0,x', /must be .+, not "0,x"\./],
])('%s=%s is rejected with the reason', (name, value, expected) => {
  const [title, problem = ''] = listProblems({ ...GOOD, [name]: value });

  expect(title).toBe('The configuration has 1 problem:');
  const reason = problem.trim().replace(/ Example: .*$/, '');
  if (typeof expected === 'string') expect(reason).toBe(expected);
  else expect(reason).toMatch(expected);
  expect(problem).not.toContain('s3cr');
});

test.each([
  'postgres:///halyard?host=/run/postgresql&user=ada@example.com',
  'postgresql://a:p%23s%2Fs@[::1]:5433/halyard?sslmode=require',
  'postgres://user@name:p@ss@db/halyard',
  'postgres://db/halyard?sslmode=no-verify',
])('DATABASE_URL=%s is accepted', url => {
  expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
});

test('the first admin requires both a username and a password', () => {
  const missingPassword = /HALYARD_INIT_ADMIN_PASSWORD is required if HALYARD_INIT_ADMIN_USERNAME is set/;
  expect(() => readConfig({ ...GOOD, HALYARD_INIT_ADMIN_USERNAME: 'ada' })).toThrow(missingPassword);
  expect(() => readConfig({ ...GOOD, HALYARD_INIT_ADMIN_PASSWORD: 'x' })).toThrow('USERNAME is missing');
});

test.each([
  ['s3cr', 'must have at least 12 characters'],
  ['s3cr'.repeat(33), 'must have at most 128 characters'],
  ['Summer-2026!', 'is easy to guess: it consists of common words and sequences'],
  [
    'grace12345678',
    'must not contain the name, username or email address of the user, and is easy to guess: it consists of common words and sequences',
  ],
])('rejects the password %s for the first admin', (password, reason) => {
  const admin = { HALYARD_INIT_ADMIN_USERNAME: 'grace@example.com', HALYARD_INIT_ADMIN_PASSWORD: password };

  expect(listProblems({ ...GOOD, ...admin })).toEqual([
    'The configuration has 1 problem:',
    `  HALYARD_INIT_ADMIN_PASSWORD ${reason}. Example: HALYARD_INIT_ADMIN_PASSWORD="$(openssl rand -base64 18)"`,
  ]);
});

test('a data folder requires a secret key and an absolute path', () => {
  const findProblem = (env: object) => listProblems({ ...GOOD, ...env })[1];

  expect(findProblem({ HALYARD_DATA_DIR: '/var/lib/halyard' })).toBe(
    '  HALYARD_DATA_DIR requires HALYARD_SECRET_KEY. Example: HALYARD_DATA_DIR=/var/lib/halyard',
  );
  expect(findProblem({ HALYARD_DATA_DIR: 'data', HALYARD_SECRET_KEY: KEY })).toContain(
    'must be an absolute path, not "data"',
  );
});

test('NATS requires a secret key and valid URLs, and HALYARD_NATS_NKEY must be the seed of a user nkey', () => {
  const findProblem = (env: object) => listProblems({ ...GOOD, ...env })[1];

  expect(findProblem({ HALYARD_NATS_URL: 'tls://a:4222' })).toContain(
    'HALYARD_NATS_URL requires HALYARD_SECRET_KEY',
  );
  for (const url of ['a:4222', 'https://a', 'nats://a:4222/b', 'nats://a:4222,nats://'])
    expect(findProblem({ HALYARD_NATS_URL: url, HALYARD_SECRET_KEY: KEY })).toMatch(
      /HALYARD_NATS_URL item \d is invalid/,
    );
  const password = findProblem({ HALYARD_NATS_URL: 'http://user:password@a', HALYARD_SECRET_KEY: KEY });
  expect(password).not.toContain('user:password');
  expect(findProblem({ HALYARD_NATS_NKEY: 'SAABC' })).toContain(
    'HALYARD_NATS_NKEY must be the seed of a user nkey',
  );
});

test('production requires a secret key', () => {
  expect(() => readConfig({ ...GOOD, NODE_ENV: 'production' })).toThrow('HALYARD_SECRET_KEY is required');
});

/** Returns the lines of the error that the environment causes. */
function listProblems(env: Record<string, string | undefined>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

test('reports all problems together, each only once', () => {
  expect(listProblems({ PORT: 'x', LOG_LEVEL: 'x' })).toEqual([
    'The configuration has 3 problems:',
    expect.stringContaining('PORT must be a whole number'),
    expect.stringContaining('DATABASE_URL is missing'),
    expect.stringContaining('LOG_LEVEL must be one of'),
  ]);
});

const page = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the configuration page lists every variable with its default and meaning', () => {
  const rows = [
    ...page('docs/reference/configuration.md').matchAll(/^\| `([A-Z_]+)` *\| (.*?) *\| (.*?) *\|$/gm),
  ].map(([, name, fallback, meaning]) => [name, fallback?.replaceAll('`', ''), meaning?.replaceAll('`', '')]);

  expect(rows).toEqual(
    Object.entries(VARIABLES).map(([name, { default: fallback, meaning }]) => [
      name,
      fallback,
      meaning.replaceAll('`', ''),
    ]),
  );
});

test('.env.example names every variable that a file can set', () => {
  const documentedNames = [...page('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);

  // NODE_ENV takes effect before the file is read.
  expect(documentedNames.toSorted()).toEqual(
    Object.keys(VARIABLES)
      .filter(name => name !== 'NODE_ENV')
      .toSorted(),
  );
});
