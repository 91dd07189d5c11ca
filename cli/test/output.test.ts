import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { COMMANDS } from '../src/commands/index.ts';
import { describe } from '../src/describe.ts';
import { api, createProject, json, onTerminal, run, unique } from './support/run.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Runs a command without a terminal, and compares what it prints with what --describe says. */
async function described(command: string, words: string[]): Promise<unknown> {
  const { output } = (await describe(command.split(' '))) as { output: { schema: object; format: string } };
  const { code, stdout, stderr } = await run([...command.split(' '), ...words]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const documents = output.format === 'ndjson' ? stdout.trim().split('\n') : [stdout];
  const validate = ajv.compile(output.schema);
  const values = documents.map(text => JSON.parse(text));
  for (const value of values) expect(validate(value), ajv.errorsText(validate.errors)).toBe(true);
  return output.format === 'ndjson' ? values : values[0];
}

const is = (fields: object) => expect.objectContaining(fields);

test('commands for flags and projects print JSON without a terminal, as --describe says', async () => {
  const project = `cli-${unique()}`;
  const flag = `flag-${unique()}`;

  expect(await described('projects create', [project, '--name', 'Payments'])).toEqual(
    is({ id: project, name: 'Payments' }),
  );
  expect(await described('projects show', [project])).toEqual(is({ id: project }));
  expect(await described('projects list', [])).toEqual(
    is({ projects: expect.arrayContaining([is({ id: project })]) }),
  );
  expect(await described('flags create', [flag, '-p', project, '-d', 'New', '--tag', 'simple:cli'])).toEqual(
    is({ name: flag, description: 'New' }),
  );
  expect(await described('flags list', [flag])).toEqual(is({ total: 1, features: [is({ name: flag })] }));
  expect(await described('flags on', [flag, '-e', 'development'])).toEqual(is({ enabled: true }));
  expect(await described('flags show', [flag])).toEqual(is({ name: flag, project }));
  expect(await described('flags diff', [flag, '--from', 'development', '--to', 'production'])).toEqual(
    is({ same: false }),
  );
  expect(
    await described('flags explain', [flag, '-e', 'development', '-c', 'userId=7', '-c', 'plan=pro']),
  ).toEqual(is({ features: [is({ isEnabled: true, context: is({ userId: '7' }) })] }));
  expect(await described('flags off', [flag, '-e', 'development'])).toEqual(is({ enabled: false }));
  expect(await described('flags clone', [flag, `${flag}-copy`])).toEqual(is({ name: `${flag}-copy` }));
  expect(await described('flags diff', [`${flag}-copy`])).toEqual(is({ from: flag, to: `${flag}-copy` }));
  expect(await described('flags stale', [flag])).toEqual({ name: flag, project, stale: true });
  expect(await described('flags list', ['--state', 'stale', '-p', project])).toEqual(
    is({ features: [is({ name: flag })] }),
  );
  expect(await described('projects health', [project])).toEqual(is({ project }));
  expect(await described('flags archive', [`${flag}-copy`, '--yes'])).toEqual({
    name: `${flag}-copy`,
    project,
    archived: true,
  });
  expect(await described('flags revive', [`${flag}-copy`])).toEqual({
    name: `${flag}-copy`,
    project,
    archived: false,
  });
});

test('the other commands print JSON without a terminal, as --describe says', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  for (const [verb, ...rest] of [
    ['create', '-p', project],
    ['on', '-e', 'development'],
    ['off', '-e', 'development'],
  ] as const)
    await json(['flags', verb, flag, ...rest]);

  expect(await described('environments list', [])).toEqual(
    is({ environments: expect.arrayContaining([is({ name: 'production' })]) }),
  );
  const segment = `segment-${unique()}`;
  await api.send('POST', '/api/admin/segments', { name: segment, constraints: [] });
  expect(await described('segments list', [])).toEqual(
    is({ segments: expect.arrayContaining([is({ name: segment })]) }),
  );
  expect(await described('segments show', [segment])).toEqual(is({ name: segment }));
  const token = (await described('tokens create', [
    `token-${unique()}`,
    '-e',
    'development',
    '-p',
    project,
  ])) as { id: number; tokenName: string };
  expect(await described('tokens list', [])).toEqual(
    is({ tokens: expect.arrayContaining([is({ id: token.id })]) }),
  );
  expect(await described('tokens revoke', [token.tokenName, '--yes'])).toEqual({
    id: token.id,
    name: token.tokenName,
  });
  expect(await described('users list', [])).toEqual(is({ users: expect.any(Array) }));
  expect(await described('whoami', [])).toEqual(is({ permissions: [{ permission: 'ADMIN' }] }));
  expect(await described('doctor', [])).toEqual(is({ ok: true }));
  const found = (await described('events search', ['--flag', flag, '-n', '2'])) as {
    events: { id: number }[];
    total: number;
  };
  expect(found.events).toHaveLength(2);
  const [newest] = found.events;
  expect(await described('events show', [String(newest?.id)])).toEqual(is({ id: newest?.id }));
  expect(await described('events export', ['--flag', flag])).toHaveLength(found.total);
  expect(await described('events tail', ['--flag', flag, '--after', '0', '--count', '3'])).toHaveLength(3);
  expect(await described('api', ['GET', '/api/admin/feature-types'])).toEqual(
    is({ types: expect.any(Array) }),
  );
});

test('--describe prints what a command takes and returns', async () => {
  expect(await json(['flags', 'archive', '--describe'])).toEqual(await describe(['flags', 'archive']));
  expect(await json(['flags', 'archive', '--describe'])).toMatchObject({
    writes: 'destructive',
    operations: ['searchFeatures', 'archiveFeature'],
    arguments: [{ name: 'flag' }],
    options: expect.arrayContaining([is({ name: '--dry-run' }), is({ name: '--yes', short: '-y' })]),
    exitCodes: is({ 5: expect.any(String) }),
  });
  expect(await json(['--describe'])).toMatchObject({
    commands: COMMANDS.map(({ name, brief }) => ({ name, brief })),
  });
});

test('deliveries are listed, shown, tailed and redelivered', async () => {
  const project = await createProject(api);
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    enabled: true,
    events: ['feature-created'],
    projects: [project],
    parameters: { url: 'http://127.0.0.1:1/nobody' },
  });
  const flag = `flag-${unique()}`;
  await run(['flags', 'create', flag, '-p', project]);

  const list = (await described('deliveries list', [flag])) as {
    integrationEvents: { id: string; integrationId: number }[];
  };
  const [delivery] = list.integrationEvents;
  const words = [String(id), String(delivery?.id)];

  expect(delivery?.integrationId).toBe(id);
  expect(await described('deliveries show', words)).toEqual(expect.objectContaining({ id: delivery?.id }));
  expect(await described('deliveries redeliver', [...words, '--dry-run'])).toEqual(
    expect.objectContaining({ deliveries: 1 }),
  );
  const tail = run(['deliveries', 'tail', flag, '--count', '1']);
  await expect
    .poll(
      async () => {
        await run(['deliveries', 'redeliver', ...words]);
        return (await Promise.race([tail, Promise.resolve(undefined)]))?.stdout;
      },
      { interval: 1500 },
    )
    .toContain(flag);
});

test('on a terminal, commands print tables and sentences', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;

  const created = await onTerminal(['flags', 'create', flag, '-p', project]);
  const listed = await onTerminal(['flags', 'list', '-p', project], { env: { NO_COLOR: '1' } });
  const shown = await onTerminal(['flags', 'show', flag], { env: { NO_COLOR: '1' } });

  expect(created.stdout).toContain(`Created flag "${flag}" in project "${project}".`);
  expect(listed.stdout.split('\n')[0]).toMatch(/^NAME +PROJECT +TYPE +STAGE +ENABLED IN +DESCRIPTION$/);
  expect(listed.stdout).toContain(flag);
  expect(shown.stdout).toMatch(/^Name +flag-/);
});

test('colors are for terminals, unless the environment says otherwise', async () => {
  const color = '\u001b[';

  expect((await onTerminal(['projects', 'list'])).stdout).toContain(color);
  expect((await onTerminal(['projects', 'list'], { env: { NO_COLOR: '1' } })).stdout).not.toContain(color);
  expect((await run(['projects', 'list', '-o', 'text'])).stdout).not.toContain(color);
  expect((await run(['projects', 'list', '-o', 'text'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(
    color,
  );
});

test('--output and HALYARD_OUTPUT decide the format, and the option wins', async () => {
  const env = { HALYARD_OUTPUT: 'text' };

  expect((await run(['environments', 'list'], { env })).stdout).toMatch(/^NAME/);
  expect((await run(['environments', 'list', '-o', 'json'], { env })).stdout).toMatch(/^\{"version"/);
  expect((await onTerminal(['environments', 'list', '--output', 'json'])).stdout).toMatch(
    /^\{\n {2}"version"/,
  );
});

test('control sequences of a terminal are escaped', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await api.send('POST', `/api/admin/projects/${project}/features`, {
    name: flag,
    description: 'red \u001b[31mred\u001b[0m\u202e\nline',
  });

  const text = (await run(['flags', 'list', flag, '-o', 'text'])).stdout;
  const document = await json<{ features: { description: string }[] }>(['flags', 'list', flag]);

  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\u202e');
  expect(text.trimEnd().split('\n')).toHaveLength(2);
  expect(document.features[0]?.description).toContain('\u001b[31m');
});

test('on a terminal, JSON, messages and questions have no control characters either', async () => {
  const sent = 'red \u001b[31mred\u009b31m\u202e';
  const other = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'x', name: 'BadDataError', message: sent }));
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const env = { HALYARD_SERVER: `http://127.0.0.1:${(other.address() as AddressInfo).port}` };
  const project = await createProject(api);
  await api.send('PUT', `/api/admin/projects/${project}`, { name: sent });
  const path = `/api/admin/projects/${project}`;

  const shown = [
    await onTerminal(['projects', 'list'], { env }),
    await onTerminal(['api', 'GET', path]),
    await onTerminal(['api', 'GET', path, '-o', 'json']),
  ].map(({ stdout }) => stdout);
  other.close();

  for (const text of shown) {
    expect(text).toContain('red');
    expect(text).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(text).not.toContain('\u001b[31m');
  }
  expect(JSON.parse(shown[2] ?? '')).toMatchObject({ name: sent });
});

test('help names every command, and each command has help with an example', async () => {
  const { stdout, code } = await run(['--help']);

  expect(code).toBe(0);
  const missing = COMMANDS.map(({ name }) => name.split(' ')).filter(
    ([first = '', second = '']) =>
      !new RegExp(`^  ${first} .*${second && `\\b${second}\\b`}`, 'm').test(stdout),
  );
  expect(missing).toEqual([]);
  for (const name of ['flags list', 'tokens revoke', 'login']) {
    const help = await run([...name.split(' '), '--help']);
    expect(help.stdout).toContain('Examples:');
    expect(help.code).toBe(0);
  }
});

test('reads all pages of a list', async () => {
  const project = await createProject(api);
  const names = Array.from({ length: 7 }, (_, n) => `flag-${unique()}-${n}`);
  for (const name of names) await api.send('POST', `/api/admin/projects/${project}/features`, { name });

  const flags = await run([
    'api',
    'GET',
    `/api/admin/search/features?project=IS:${project}&limit=3`,
    '--paginate',
  ]);
  const events = await run([
    'api',
    'GET',
    `/api/admin/search/events?project=IS:${project}&type=IS:feature-created&limit=2`,
    '--paginate',
  ]);

  const read = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
  expect(
    read(flags.stdout)
      .map(one => one.name)
      .toSorted(),
  ).toEqual(names.toSorted());
  expect(new Set(read(events.stdout).map(one => one.featureName))).toEqual(new Set(names));
});

test('--web without a terminal prints the URL of the page', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await run(['flags', 'create', flag, '-p', project]);

  const { url } = await json<{ url: string }>(['flags', 'show', flag, '--web']);

  expect(url).toMatch(new RegExp(`/projects/${project}/features/${flag}$`));
});

test('shells complete commands, options and names', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await run(['flags', 'create', flag, '-p', project]);
  const complete = async (...words: string[]) =>
    (await run(['__complete', ...words])).stdout.split('\n').map(line => line.split('\t')[0]);

  expect(await complete('')).toEqual(expect.arrayContaining(['flags', 'login', 'scan']));
  expect(await complete('flags', 'o')).toEqual(['on', 'off', '']);
  expect(await complete('flags', 'list', '--sta')).toContain('--state');
  // A shell waits only 1.5 s for names from the server, which can be too short on a busy machine.
  await expect.poll(() => complete('flags', 'show', flag.slice(0, -2))).toContain(flag);
  await expect.poll(() => complete('flags', 'list', '--project', project.slice(0, -2))).toContain(project);
  expect((await run(['completion', 'bash'])).stdout).toContain('complete -o default -F _halyard halyard');
});
