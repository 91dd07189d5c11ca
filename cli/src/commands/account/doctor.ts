import { statSync } from 'node:fs';
import { command } from '../../command.ts';
import { findConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { CommandError } from '../../errors.ts';
import { applyStyle, sanitize } from '../../output.ts';
import { profilesFile } from '../../profiles.ts';
import { getData, readResponseBody } from '../../requests.ts';
import { VERSION } from '../../version.ts';

type Check = { check: string; ok: boolean; says: string };

const MAX_CLOCK_SKEW_SECONDS = 60;

export const doctor = command({
  name: 'doctor',
  brief: 'Check the connection, the token and this machine',
  checks: true,
  calls: ['getReady', 'getMe', 'getInstance'],
  output: {
    type: 'object',
    required: ['ok', 'checks'],
    properties: {
      ok: { type: 'boolean' },
      checks: {
        type: 'array',
        items: {
          type: 'object',
          required: ['check', 'ok', 'says'],
          properties: { check: { type: 'string' }, ok: { type: 'boolean' }, says: { type: 'string' } },
        },
      },
    },
  },
  examples: [{ does: 'Check everything', run: 'doctor' }],
  run: async context => {
    const checks: Check[] = [];
    for (const [check, run] of CHECKS) {
      const result = await run(context).then(
        says => ({ check, ok: true, says }),
        (error: unknown) => {
          if (context.signal.aborted || !(error instanceof CommandError)) throw error;
          return { check, ok: false, says: [error.message, error.problem.hint].filter(Boolean).join(' ') };
        },
      );
      checks.push(result);
      // Stops here, because all later checks would fail for the same reason.
      if (!result.ok && ['profile', 'server'].includes(check)) break;
    }
    const ok = checks.every(check => check.ok);
    if (!ok) context.failCheck();
    return { ok, checks };
  },
  text: ({ ok, checks }, context) =>
    [
      ...checks.map(
        check =>
          `${check.ok ? applyStyle(context, 'green', 'ok  ') : applyStyle(context, 'red', 'FAIL')}  ${check.check}: ${sanitize(check.says)}`,
      ),
      '',
      ok ? 'All checks passed.' : 'A check failed.',
    ].join('\n'),
});

const checkFailure = (message: string, hint: string): CommandError =>
  new CommandError({ code: 'CheckFailed', message, hint, exit: 1, retryable: false });

const CHECKS: [string, (context: Context) => Promise<string>][] = [
  ['version', async () => `halyard ${VERSION} on Node.js ${process.versions.node}`],
  [
    'profile',
    async ({ env, sharedOptions }) => {
      const { server, profile } = findConnection(env, sharedOptions);
      return profile === undefined ? `${server}, from the environment` : `"${profile}" for ${server}`;
    },
  ],
  [
    'file',
    async ({ env }) => {
      const file = profilesFile(env);
      const mode = statSync(file, { throwIfNoEntry: false })?.mode;
      if (mode === undefined) return 'no profiles are stored';
      if (process.platform !== 'win32' && (mode & 0o077) !== 0)
        throw checkFailure(
          `Other users on this machine can read ${file}.`,
          `Run chmod 600 ${file}, and replace the tokens in it.`,
        );
      return `only you can read ${file}`;
    },
  ],
  [
    'server',
    async context => {
      const { server } = context.connection();
      const startedAt = performance.now();
      const response = await context.send('GET', '/ready', { headers: { Authorization: '' }, once: true });
      const ms = Math.round(performance.now() - startedAt);
      if (response.status !== 200)
        throw checkFailure(
          `${server} responded with ${response.status}, so it is not ready.`,
          'Check its log.',
        );
      await readResponseBody(response);
      const skewSeconds = Math.abs(Date.parse(response.headers.get('Date') ?? '') - Date.now()) / 1000;
      if (skewSeconds > MAX_CLOCK_SKEW_SECONDS)
        throw checkFailure(
          `This machine's clock differs from the server's by ${Math.round(skewSeconds)} s.`,
          'Set the clock.',
        );
      return `ready, responded in ${ms} ms`;
    },
  ],
  [
    'token',
    async context => {
      const { user } = await getData(context.read.GET('/api/admin/user'));
      return `valid, you are ${user.username ?? user.name}`;
    },
  ],
  [
    'compatibility',
    async context => {
      const { version } = await getData(context.read.GET('/api/admin/instance'));
      const [cliRelease, serverRelease] = [VERSION, version].map(fullVersion =>
        fullVersion.split('.').slice(0, 2).join('.'),
      );
      if (cliRelease !== serverRelease)
        throw checkFailure(
          `This is halyard ${VERSION}, and the server has ${version}.`,
          `Install halyard ${version}.`,
        );
      return `the server has version ${version} too`;
    },
  ],
];
