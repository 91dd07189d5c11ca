import { statSync } from 'node:fs';
import { command } from '../../command.ts';
import { findConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { CommandError } from '../../errors.ts';
import { plain, styled } from '../../output.ts';
import { profilesFile } from '../../profiles.ts';
import { bodyOf, data } from '../../requests.ts';
import { VERSION } from '../../version.ts';

type Check = { check: string; ok: boolean; says: string };

const MAX_CLOCK_SECONDS = 60;

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
    for (const [check, look] of CHECKS) {
      const result = await look(context).then(
        says => ({ check, ok: true, says }),
        (error: unknown) => {
          if (context.signal.aborted || !(error instanceof CommandError)) throw error;
          return { check, ok: false, says: [error.message, error.problem.hint].filter(Boolean).join(' ') };
        },
      );
      checks.push(result);
      // Without a server, all later checks would fail for the same reason.
      if (!result.ok && ['profile', 'server'].includes(check)) break;
    }
    const ok = checks.every(one => one.ok);
    if (!ok) context.failCheck();
    return { ok, checks };
  },
  text: ({ ok, checks }, context) =>
    [
      ...checks.map(
        one =>
          `${one.ok ? styled(context, 'green', 'ok  ') : styled(context, 'red', 'FAIL')}  ${one.check}: ${plain(one.says)}`,
      ),
      '',
      ok ? 'All checks passed.' : 'A check failed.',
    ].join('\n'),
});

const problem = (message: string, hint: string): CommandError =>
  new CommandError({ code: 'CheckFailed', message, hint, exit: 1, retryable: false });

const CHECKS: [string, (context: Context) => Promise<string>][] = [
  ['version', async () => `halyard ${VERSION} on Node.js ${process.versions.node}`],
  [
    'profile',
    async ({ env, given }) => {
      const { server, profile } = findConnection(env, given);
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
        throw problem(`Others can read ${file}.`, `Run chmod 600 ${file}, and replace the tokens in it.`);
      return `only you can read ${file}`;
    },
  ],
  [
    'server',
    async context => {
      const { server } = context.connection();
      const started = performance.now();
      const response = await context.send('GET', '/ready', { headers: { Authorization: '' }, once: true });
      const ms = Math.round(performance.now() - started);
      if (response.status !== 200)
        throw problem(`${server} responded with ${response.status}, so it is not ready.`, 'Look at its log.');
      await bodyOf(response);
      const skew = Math.abs(Date.parse(response.headers.get('Date') ?? '') - Date.now()) / 1000;
      if (skew > MAX_CLOCK_SECONDS)
        throw problem(
          `The clock of this machine differs from the server's by ${Math.round(skew)} s.`,
          'Set the clock.',
        );
      return `ready, responded in ${ms} ms`;
    },
  ],
  [
    'token',
    async context => {
      const { user } = await data(context.read.GET('/api/admin/user'));
      return `valid, you are ${user.username ?? user.name}`;
    },
  ],
  [
    'compatibility',
    async context => {
      const { version } = await data(context.read.GET('/api/admin/instance'));
      const [ours, theirs] = [VERSION, version].map(one => one.split('.').slice(0, 2).join('.'));
      if (ours !== theirs)
        throw problem(
          `This is halyard ${VERSION}, and the server has ${version}.`,
          'Install the version of the server.',
        );
      return `the server has version ${version} too`;
    },
  ],
];
