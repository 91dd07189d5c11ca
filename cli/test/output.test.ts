import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { COMMANDS } from '../src/commands/index.ts';
import { describe } from '../src/describe.ts';
import { api, createProject, json, onTerminal, run, unique } from './support/run.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Runs a command without a terminal, and validates its output against the schema from --describe. */
async function runValidated(command: string, args: string[]): Promise<unknown> {
  const { output } = (await describe(command.split(' '))) as { output: { schema: object; format: string } };
  const { code, stdout, stderr } = await run([...command.split(' '), ...args]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const documents = output.format === 'ndjson' ? stdout.trim().split('\n') : [stdout];
  const validate = ajv.compile(output.schema);
  const values = documents.map(text => JSON.parse(text));
  for (const value of values) expect(validate(value), ajv.errorsText(validate.errors)).toBe(true);
  return output.format === 'ndjson' ? values : values[0];
}

const containing = (fields: object) => expect.objectContaining(fields);

test('flag and project commands print the JSON that --describe specifies', async () => {
  const project = `cli-${unique()}`;
  const flag = `flag-${unique()}`;

  expect(await runValidated('projects create', [project, '--name', 'Payments'])).toEqual(
    containing({ id: project, name: 'Payments' }),
  );
  expect(await runValidated('projects show', [project])).toEqual(containing({ id: project }));
  expect(await runValidated('projects list', [])).toEqual(
    containing({ projects: expect.arrayContaining([containing({ id: project })]) }),
  );
  expect(
    await runValidated('flags create', [flag, '-p', project, '-d', 'New', '--tag', 'simple:cli']),
  ).toEqual(containing({ name: flag, description: 'New' }));
  expect(await runValidated('flags list', [flag])).toEqual(
    containing({ total: 1, features: [containing({ name: flag })] }),
  );
  expect(await runValidated('flags on', [flag, '-e', 'development'])).toEqual(containing({ enabled: true }));
  expect(await runValidated('flags show', [flag])).toEqual(containing({ name: flag, project }));
  expect(await runValidated('flags diff', [flag, '--from', 'development', '--to', 'production'])).toEqual(
    containing({ same: false }),
  );
  expect(
    await runValidated('flags explain', [flag, '-e', 'development', '-c', 'userId=7', '-c', 'plan=pro']),
  ).toEqual(
    containing({ features: [containing({ isEnabled: true, context: containing({ userId: '7' }) })] }),
  );
  expect(await runValidated('flags off', [flag, '-e', 'development'])).toEqual(
    containing({ enabled: false }),
  );
  expect(await runValidated('flags clone', [flag, `${flag}-copy`])).toEqual(
    containing({ name: `${flag}-copy` }),
  );
  expect(await runValidated('flags diff', [`${flag}-copy`])).toEqual(
    containing({ from: flag, to: `${flag}-copy` }),
  );
  expect(await runValidated('flags stale', [flag])).toEqual({ name: flag, project, stale: true });
  expect(await runValidated('flags list', ['--state', 'stale', '-p', project])).toEqual(
    containing({ features: [containing({ name: flag })] }),
  );
  expect(await runValidated('projects health', [project])).toEqual(containing({ project }));
  expect(await runValidated('flags archive', [`${flag}-copy`, '--yes'])).toEqual({
    name: `${flag}-copy`,
    project,
    archived: true,
  });
  expect(await runValidated('flags revive', [`${flag}-copy`])).toEqual({
    name: `${flag}-copy`,
    project,
    archived: false,
  });
});

test('token, event and other commands print the JSON that --describe specifies', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  for (const [verb, ...rest] of [
    ['create', '-p', project],
    ['on', '-e', 'development'],
    ['off', '-e', 'development'],
  ] as const)
    await json(['flags', verb, flag, ...rest]);

  expect(await runValidated('environments list', [])).toEqual(
    containing({ environments: expect.arrayContaining([containing({ name: 'production' })]) }),
  );
  const segment = `segment-${unique()}`;
  await api.send('POST', '/api/admin/segments', { name: segment, constraints: [] });
  expect(await runValidated('segments list', [])).toEqual(
    containing({ segments: expect.arrayContaining([containing({ name: segment })]) }),
  );
  expect(await runValidated('segments show', [segment])).toEqual(containing({ name: segment }));
  const token = (await runValidated('tokens create', [
    `token-${unique()}`,
    '-e',
    'development',
    '-p',
    project,
  ])) as { id: number; tokenName: string };
  expect(await runValidated('tokens list', [])).toEqual(
    containing({ tokens: expect.arrayContaining([containing({ id: token.id })]) }),
  );
  expect(await runValidated('tokens revoke', [token.tokenName, '--yes'])).toEqual({
    id: token.id,
    name: token.tokenName,
  });
  expect(await runValidated('users list', [])).toEqual(containing({ users: expect.any(Array) }));
  expect(await runValidated('whoami', [])).toEqual(containing({ permissions: [{ permission: 'ADMIN' }] }));
  expect(await runValidated('doctor', [])).toEqual(containing({ ok: true }));
  const searchResult = (await runValidated('events search', ['--flag', flag, '-n', '2'])) as {
    events: { id: number }[];
    total: number;
  };
  expect(searchResult.events).toHaveLength(2);
  const [newest] = searchResult.events;
  expect(await runValidated('events show', [String(newest?.id)])).toEqual(containing({ id: newest?.id }));
  expect(await runValidated('events export', ['--flag', flag])).toHaveLength(searchResult.total);
  expect(await runValidated('events tail', ['--flag', flag, '--after', '0', '--count', '3'])).toHaveLength(3);
  expect(await runValidated('api', ['GET', '/api/admin/feature-types'])).toEqual(
    containing({ types: expect.any(Array) }),
  );
});

test('--describe prints what a command takes and returns', async () => {
  expect(await json(['flags', 'archive', '--describe'])).toEqual(await describe(['flags', 'archive']));
  expect(await json(['flags', 'archive', '--describe'])).toMatchObject({
    writes: 'destructive',
    operations: ['searchFeatures', 'archiveFeature'],
    arguments: [{ name: 'flag' }],
    options: expect.arrayContaining([
      containing({ name: '--dry-run' }),
      containing({ name: '--yes', short: '-y' }),
    ]),
    exitCodes: containing({ 5: expect.any(String) }),
  });
  expect(await json(['--describe'])).toMatchObject({
    commands: COMMANDS.map(({ name, brief }) => ({ name, brief })),
  });
});

test('deliveries are listed, shown, tailed and redelivered', async () => {
  const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const project = await createProject(api);
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    enabled: true,
    events: ['feature-created'],
    projects: [project],
    parameters: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` },
  });
  const flag = `flag-${unique()}`;
  await run(['flags', 'create', flag, '-p', project]);
  // A delivery can be redelivered only while no attempt is due or running.
  await expect
    .poll(() => run(['deliveries', 'list', flag, '--state', 'success']))
    .toMatchObject({ stdout: expect.stringContaining(flag) });

  const deliveryList = (await runValidated('deliveries list', [flag])) as {
    integrationEvents: { id: string; integrationId: number }[];
  };
  const [delivery] = deliveryList.integrationEvents;
  const args = [String(id), String(delivery?.id)];

  expect(delivery?.integrationId).toBe(id);
  expect(await runValidated('deliveries show', args)).toEqual(expect.objectContaining({ id: delivery?.id }));
  expect(await runValidated('deliveries redeliver', [...args, '--dry-run'])).toEqual(
    expect.objectContaining({ deliveries: 1 }),
  );
  const tail = run(['deliveries', 'tail', flag, '--count', '1']);
  await expect
    .poll(
      async () => {
        await run(['deliveries', 'redeliver', ...args]);
        return (await Promise.race([tail, Promise.resolve(undefined)]))?.stdout;
      },
      { interval: 1500 },
    )
    .toContain(flag);
  receiver.close();
});

test('on a terminal, commands print tables and sentences', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;

  const creation = await onTerminal(['flags', 'create', flag, '-p', project]);
  const flagList = await onTerminal(['flags', 'list', '-p', project], { env: { NO_COLOR: '1' } });
  const details = await onTerminal(['flags', 'show', flag], { env: { NO_COLOR: '1' } });

  expect(creation.stdout).toContain(`Created flag "${flag}" in project "${project}".`);
  expect(flagList.stdout.split('\n')[0]).toMatch(/^NAME +PROJECT +TYPE +STAGE +ENABLED IN +DESCRIPTION$/);
  expect(flagList.stdout).toContain(flag);
  expect(details.stdout).toMatch(/^Name +flag-/);
});

test('prints colors only on a terminal, unless the environment says otherwise', async () => {
  const color = '\u001b[';

  expect((await onTerminal(['projects', 'list'])).stdout).toContain(color);
  expect((await onTerminal(['projects', 'list'], { env: { NO_COLOR: '1' } })).stdout).not.toContain(color);
  expect((await run(['projects', 'list', '-o', 'text'])).stdout).not.toContain(color);
  expect((await run(['projects', 'list', '-o', 'text'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(
    color,
  );
});

test('--output overrides HALYARD_OUTPUT', async () => {
  const env = { HALYARD_OUTPUT: 'text' };

  expect((await run(['environments', 'list'], { env })).stdout).toMatch(/^NAME/);
  expect((await run(['environments', 'list', '-o', 'json'], { env })).stdout).toMatch(/^\{"version"/);
  expect((await onTerminal(['environments', 'list', '--output', 'json'])).stdout).toMatch(
    /^\{\n {2}"version"/,
  );
});

test('control sequences are removed from text and kept in JSON', async () => {
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

test('on a terminal, JSON and messages contain no control characters from the server', async () => {
  const maliciousText = 'red \u001b[31mred\u009b31m\u202e';
  const otherServer = createServer((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 400, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ id: 'x', name: 'BadDataError', message: maliciousText, tokenName: maliciousText }),
    );
  }).listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  const env = { HALYARD_SERVER: `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}` };
  const project = await createProject(api);
  await api.send('PUT', `/api/admin/projects/${project}`, { name: maliciousText });
  const { events } = await json<{ events: { id: number }[] }>(['events', 'search', '-p', project, '-n', '1']);
  const path = `/api/admin/projects/${project}`;

  const outputs = [
    await onTerminal(['projects', 'list'], { env }),
    await onTerminal(['tokens', 'create', 'token', '-e', 'development'], { env }),
    await onTerminal(['events', 'show', String(events[0]?.id)]),
    await onTerminal(['api', 'GET', path]),
    await onTerminal(['api', 'GET', path, '-o', 'json']),
  ].map(({ stdout }) => stdout);
  otherServer.close();

  for (const text of outputs) {
    expect(text).toContain('red');
    expect(text).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(text).not.toContain('\u001b[31m');
  }
  expect(JSON.parse(outputs.at(-1) ?? '')).toMatchObject({ name: maliciousText });
});

test('help names every command', async () => {
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

test('api --paginate reads every page', async () => {
  const project = await createProject(api);
  const names = Array.from({ length: 7 }, (_, index) => `flag-${unique()}-${index}`);
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

  const parseLines = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
  expect(
    parseLines(flags.stdout)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names.toSorted());
  expect(new Set(parseLines(events.stdout).map(({ featureName }) => featureName))).toEqual(new Set(names));
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
  const complete = async (...args: string[]) =>
    (await run(['__complete', ...args])).stdout.split('\n').map(line => line.split('\t')[0]);

  expect(await complete('')).toEqual(expect.arrayContaining(['flags', 'login', 'scan']));
  expect(await complete('flags', 'o')).toEqual(['on', 'off', '']);
  expect(await complete('flags', 'list', '--sta')).toContain('--state');
  // A shell waits only 1.5 s for names from the server, which can be too short on a busy machine.
  await expect.poll(() => complete('flags', 'show', flag.slice(0, -2))).toContain(flag);
  await expect.poll(() => complete('flags', 'list', '--project', project.slice(0, -2))).toContain(project);
  expect((await run(['completion', 'bash'])).stdout).toContain('complete -o default -F _halyard halyard');
});
