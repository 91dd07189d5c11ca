import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../src/commands/index.ts';
import { api, createProject, home, json, onTerminal, run, server, unique } from './support/run.ts';

const lastEventId = async (): Promise<number> =>
  (await api.send<{ events: { id: number }[] }>('GET', '/api/admin/search/events?limit=1')).events[0]?.id ??
  0;

test('no command changes anything with --dry-run', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await json(['flags', 'create', flag, '-p', project]);
  const { id } = await json<{ id: number }>(['tokens', 'create', `token-${unique()}`, '-e', 'development']);
  const file = join(home, 'flags.json');
  writeFileSync(file, JSON.stringify({ project, flags: { [flag]: { description: 'other' } } }));
  const argsByCommand: Record<string, string[]> = {
    api: ['POST', '/api/admin/projects', '-d', '{"name":"x"}'],
    'flags create': [`flag-${unique()}`, '-p', project],
    'flags on': [flag, '-e', 'development'],
    'flags off': [flag, '-e', 'development'],
    'flags clone': [flag, `${flag}-copy`],
    'flags stale': [flag],
    'flags archive': [flag],
    'flags revive': [flag],
    'flags apply': ['-f', file],
    'projects create': [`p-${unique()}`],
    'tokens create': ['t', '-e', 'development'],
    'tokens delegate': ['agent', '--agent', '-p', project, '--max-changes', '1'],
    'tokens revoke': [String(id)],
  };
  const writingCommands = COMMANDS.filter(({ writes }) => writes).map(({ name }) => name);
  // A different test covers redeliver, because it needs an integration.
  expect([...Object.keys(argsByCommand), 'deliveries redeliver'].toSorted()).toEqual(
    writingCommands.toSorted(),
  );
  const lastEventBefore = await lastEventId();

  for (const [name, args] of Object.entries(argsByCommand)) {
    const result = await json<object>([...name.split(' '), ...args, '--dry-run', '-m', 'cli-dry-run']);
    if (name === 'flags apply') expect(result).toMatchObject({ changes: [{ flag, does: 'update' }] });
    else if (name === 'flags clone') expect(result).toMatchObject({ planId: expect.any(String) });
    else
      expect(result).toMatchObject({
        dryRun: true,
        request: {
          method: expect.any(String),
          path: expect.stringContaining('/api/admin/'),
          comment: 'cli-dry-run',
        },
      });
  }

  // Searches for the comment, because tests in other files write at the same time.
  const { events } = await api.send<{ events: { comment?: string }[] }>(
    'GET',
    `/api/admin/search/events?after=${lastEventBefore}&query=cli-dry-run`,
  );
  expect(events).toEqual([]);
});

test('a comment with non-ASCII characters reaches the event', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;

  await json(['flags', 'create', flag, '-p', project, '-m', '100 % für Zoë']);

  expect(await json(['events', 'search', '--flag', flag])).toMatchObject({
    events: [{ comment: '100 % für Zoë' }],
  });
});

test('a profile keeps the token in a file that only its owner can read', async () => {
  const env = { HALYARD_SERVER: undefined, HALYARD_TOKEN: undefined };
  const project = await createProject(api);

  const loginResult = await json(['login', '--server', server.url, '-p', project], {
    env,
    input: `${server.adminToken}\n`,
  });

  expect(loginResult).toMatchObject({ profile: 'default', server: server.url });
  expect(statSync(`${home}/halyard/profiles.json`).mode & 0o777).toBe(0o600);
  expect(statSync(`${home}/halyard`).mode & 0o777).toBe(0o700);
  expect(await json(['flags', 'create', `flag-${unique()}`], { env })).toMatchObject({ project });
  expect(await json(['profile', 'list'], { env })).toEqual({
    profiles: [{ name: 'default', current: true, server: server.url, project }],
  });
  // The profile's token is not sent to a different server.
  const otherServerRun = await run(['projects', 'list', '--server', 'http://127.0.0.1:1'], { env });
  expect(otherServerRun.code).toBe(3);
  await json(['login', '--server', server.url, '--profile', 'second'], { env, input: server.adminToken });
  await json(['profile', 'use', 'default'], { env });
  await json(['profile', 'set', '-e', 'production', '-p', ''], { env });
  expect(await json(['profile', 'list'], { env })).toMatchObject({
    profiles: [{ name: 'default', current: true, environment: 'production' }, { name: 'second' }],
  });
  expect(await json(['logout'], { env })).toMatchObject({ profile: 'default' });
  expect(await json(['whoami'], { env })).toMatchObject({ profile: 'second' });
  await json(['logout'], { env });
  expect((await run(['whoami'], { env })).code).toBe(3);
});

test('login --with-token asks for the token on a terminal and does not show it', async () => {
  const env = { HALYARD_SERVER: undefined, HALYARD_TOKEN: undefined };

  const { stdout, code } = await onTerminal(
    ['login', '--with-token', '--server', server.url, '--profile', 'typed'],
    {
      env,
      answers: [['Token', `${server.adminToken}\r`]],
    },
  );

  expect(stdout).toContain(`Logged in to ${server.url}`);
  expect(stdout).not.toContain(server.adminToken);
  expect(code).toBe(0);
});
