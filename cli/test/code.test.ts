import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { api, createProject, json, run, unique } from './support/run.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'halyard-code-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

/** Checks the types of the files and returns the errors. */
function compile(files: string[]): string {
  try {
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--ignoreConfig',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      '--allowImportingTsExtensions',
    ];
    execFileSync(tsc, [...options, ...files], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

test('the generated types reject a renamed flag and an unknown variant', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  const features = `/api/admin/projects/${project}/features`;
  await api.send('POST', features, { name: flag, description: 'Ends here */ export const x = 1;' });
  await api.send('PUT', `${features}/${flag}/environments/production/variants`, [
    { name: 'red', weight: 500, weightType: 'variable', stickiness: 'default' },
    { name: 'blue', weight: 500, weightType: 'variable', stickiness: 'default' },
  ]);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const out = join(folder, 'flags.ts');
  const command = ['types', '--project', project, '--out', out];

  expect((await run([...command, '--check'])).code).toBe(10);
  expect((await run(command)).stdout).toContain('with 1 flag.');
  expect((await run([...command, '--check'])).code).toBe(0);
  const program = (name: string, variant: string) => `
    import { initialize } from 'unleash-client';
    import type { Typed } from './flags.ts';
    const client = initialize({ url: '', appName: '' });
    const flags = client as Typed<typeof client>;
    if (flags.isEnabled('${name}', { userId: '7' }) && flags.getVariant('${name}').name === '${variant}') flags.destroy();
  `;
  write('right.ts', program(flag, 'red'));
  write('renamed.ts', program(`${flag}-2`, 'red'));
  write('variant.ts', program(flag, 'green'));

  expect(compile(['right.ts'])).toBe('');
  expect(compile(['renamed.ts', 'variant.ts'])).toMatch(/renamed\.ts[\s\S]*variant\.ts/);
});

test('the manifest has the shape that the OpenFeature CLI reads', async () => {
  const project = await createProject(api);
  const [plainFlag, text, object] = [`on-${unique()}`, `text-${unique()}`, `object-${unique()}`];
  const features = `/api/admin/projects/${project}/features`;
  for (const name of [plainFlag, text, object])
    await api.send('POST', features, { name, description: 'why' });
  const variant = (payload: object) => [
    { name: 'v', weight: 1000, weightType: 'variable', stickiness: 'default', ...payload },
  ];
  await api.send(
    'PUT',
    `${features}/${text}/environments/production/variants`,
    variant({ payload: { type: 'string', value: 'x' } }),
  );
  await api.send(
    'PUT',
    `${features}/${object}/environments/production/variants`,
    variant({ payload: { type: 'json', value: '{}' } }),
  );

  const { stdout } = await run(['types', '--project', project, '--format', 'openfeature']);

  expect(JSON.parse(stdout).flags).toEqual({
    [plainFlag]: { flagType: 'boolean', defaultValue: false, description: 'why' },
    [text]: { flagType: 'string', defaultValue: '', description: 'why' },
    [object]: { flagType: 'object', defaultValue: {}, description: 'why' },
  });
});

test('scan finds unknown, stale and archived flags with file and line', async () => {
  const project = await createProject(api);
  const [live, stale, archived, unreferenced] = ['live', 'stale', 'archived', 'unreferenced'].map(
    name => `${name}-${unique()}`,
  ) as [string, string, string, string];
  for (const name of [live, stale, archived, unreferenced])
    await json(['flags', 'create', name, '-p', project]);
  await json(['flags', 'stale', stale]);
  await json(['flags', 'archive', archived, '--yes']);
  write(
    'app/src/shop.ts',
    `import x from 'x';\n\nif (flags.isEnabled('${live}')) pay();\nconst name = "${stale}";\n`,
  );
  write(
    'app/src/old.py',
    `if client.is_enabled("${archived}"):\n    pass\nif client.is_enabled("no-such-flag"):\n    pass\nprint("no-such-flag")\n`,
  );
  write('app/node_modules/x.js', `isEnabled('${archived}')`);
  write('app/picture.bin', `\0isEnabled('${archived}')`);
  const [shop, old] = [join(folder, 'app/src/shop.ts'), join(folder, 'app/src/old.py')];
  const command = ['scan', join(folder, 'app'), '--project', project];

  const result = await json<{ files: number; references: object[]; unreferenced: string[] }>(command);
  const ci = await run([...command, '--ci', '-o', 'text']);
  const github = await run([...command, '--ci'], { env: { GITHUB_ACTIONS: 'true' } });
  const sarif = JSON.parse((await run([...command, '--format', 'sarif'])).stdout);

  expect(result.files).toBe(2);
  expect(result.references).toHaveLength(4);
  expect(result.references).toEqual(
    expect.arrayContaining([
      {
        flag: live,
        state: 'active',
        file: shop,
        line: 3,
        column: 21,
        text: `if (flags.isEnabled('${live}')) pay();`,
      },
      {
        flag: stale,
        state: 'stale',
        file: shop,
        line: 4,
        column: 14,
        text: `const name = "${stale}";`,
      },
      {
        flag: archived,
        state: 'archived',
        file: old,
        line: 1,
        column: 22,
        text: `if client.is_enabled("${archived}"):`,
      },
      {
        flag: 'no-such-flag',
        state: 'unknown',
        file: old,
        line: 3,
        column: 22,
        text: 'if client.is_enabled("no-such-flag"):',
      },
    ]),
  );
  expect(result.unreferenced).toEqual([unreferenced]);
  expect(ci.code).toBe(10);
  expect(ci.stdout).toContain(`${old}:3:22  error  The flag "no-such-flag" does not exist`);
  expect(github.stdout).toContain(`::warning file=${shop},line=4,col=14,title=stale-flag::`);
  expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId).toSorted()).toEqual([
    'archived-flag',
    'stale-flag',
    'unknown-flag',
  ]);
});

test('scan skips links and pipes, reads long lines, and ignores fsmonitor', async () => {
  const flag = `flag-${unique()}`;
  await api.send('POST', '/api/admin/projects/default/features', { name: flag });
  const line = `'${flag}',`;
  const repetitions = Math.floor(1_000_000 / line.length);
  write('hostile/long.js', line.repeat(repetitions));
  write('outside.js', `isEnabled('not-there')`);
  symlinkSync('/dev/zero', join(folder, 'hostile/endless.js'));
  symlinkSync(join(folder, 'outside.js'), join(folder, 'hostile/link.js'));
  execFileSync('mkfifo', [join(folder, 'hostile/pipe.js')]);
  execFileSync('git', ['init', '-q'], { cwd: join(folder, 'hostile') });
  execFileSync('git', ['config', 'core.fsmonitor', `touch ${folder}/ran`], { cwd: join(folder, 'hostile') });

  const { files, references } = await json<{ files: number; references: { column: number }[] }>([
    'scan',
    join(folder, 'hostile'),
  ]);

  expect(files).toBe(1);
  expect(references).toHaveLength(repetitions);
  expect(references.at(-1)?.column).toBe((repetitions - 1) * line.length + 1);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test('scan reads the files that Git does not ignore', async () => {
  const repository = join(folder, 'repository');
  write('repository/.gitignore', 'built/\n');
  write('repository/built/x.js', `isEnabled('not-there')`);
  write('repository/.hidden/x.js', `isEnabled('not-there')`);
  execFileSync('git', ['init', '-q'], { cwd: repository });

  const { references } = await json<{ references: { file: string }[] }>(['scan', repository]);

  expect(references.map(({ file }) => file)).toEqual([join(repository, '.hidden/x.js')]);
  expect(readFileSync(join(repository, '.gitignore'), 'utf8')).toBe('built/\n');
});
