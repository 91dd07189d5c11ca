import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isLater, isVersion } from '../scripts/release/versions.ts';
import { runToEnd } from './support/package.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
let clone: string;

const git = (...args: string[]): string => execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
const read = (path: string): string => readFileSync(join(clone, path), 'utf8');
const release = (...args: string[]) =>
  runToEnd('npm', ['run', '--silent', 'release', '--', ...args], {}, clone);

/** Replaces the checks, which take half an hour, with commands that only log that they ran. */
function setChecks(check: string): void {
  const manifest = JSON.parse(read('package.json'));
  manifest.scripts.check = check;
  manifest.scripts['check:release'] = 'echo check:release >> ran.log';
  writeFileSync(join(clone, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  git('commit', '--quiet', '--all', '--message', 'test: replace the checks');
}

/** Fills in the placeholders for email addresses, because they prevent a release. */
function setContacts(): void {
  for (const path of ['SECURITY.md', 'CODE_OF_CONDUCT.md'])
    writeFileSync(
      join(clone, path),
      read(path).replace(/(SECURITY|CONDUCT)_CONTACT \([^)]*\)/, 'maintainers@example.com'),
    );
}

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'halyard-scratch-'));
  execFileSync('git', ['clone', '--quiet', '--no-tags', ROOT, clone]);
  git('config', 'user.name', 'Maintainer');
  git('config', 'user.email', 'maintainer@example.com');
  // The tests must run the scripts of the working tree, even if they are not committed yet.
  execFileSync('cp', ['-r', join(ROOT, 'scripts'), join(ROOT, 'package.json'), clone]);
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\nran.log\n');
  setContacts();
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'test: take the tree');
  setChecks('echo check >> ran.log');
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

test('a release sets the version everywhere, runs the checks, commits and tags', async () => {
  const { code, output } = await release('0.2.0');

  expect(code, output).toBe(0);
  expect(read('ran.log')).toBe('check\ncheck:release\n');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s')).toBe('release: 0.2.0');
  expect(git('tag', '--points-at', 'HEAD')).toBe('v0.2.0');
  for (const path of [
    'package.json',
    'plane/package.json',
    'server/package.json',
    'console/package.json',
    'package-lock.json',
  ])
    expect(JSON.parse(read(path)).version, path).toBe('0.2.0');
  expect(JSON.parse(read('openapi.json')).info.version).toBe('0.2.0');
  expect(read('CHANGELOG.md')).toMatch(/^# Changes\n\n## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n/);
  expect(read('docs/reference/instance.md')).toContain('"version": "0.2.0"');
  // Only the version changes.
  const changedLines = git('diff', '--unified=0', 'HEAD~1', '--', ':!CHANGELOG.md')
    .split('\n')
    .filter(line => /^[+-](?![+-])/.test(line));
  for (const line of changedLines) expect(line).toMatch(/0\.[12]\.0/);
});

test('the first release keeps the version that the sources already have', async () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };

  const { code, output } = await release(version);

  expect(code, output).toBe(0);
  expect(git('tag', '--points-at', 'HEAD')).toBe(`v${version}`);
  expect((await release(version)).output).toContain(`Tag v${version} already exists.`);
});

test('a dry run names the files and changes nothing', async () => {
  const headBefore = git('rev-parse', 'HEAD');

  const { code, output } = await release('0.2.0', '--dry-run');

  expect(code, output).toBe(0);
  for (const path of ['CHANGELOG.md', 'openapi.json', 'package.json', 'package-lock.json'])
    expect(output).toContain(`  ${path}\n`);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('rev-parse', 'HEAD')).toBe(headBefore);
  expect(git('tag')).toBe('');
});

test('a failing check leaves the tree unchanged', async () => {
  setChecks('exit 1');
  const headBefore = git('rev-parse', 'HEAD');

  const { code, output } = await release('0.2.0');

  expect(code).toBe(1);
  expect(output).toContain('Failed: npm run check. Nothing was committed.');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('rev-parse', 'HEAD')).toBe(headBefore);
  expect(git('tag')).toBe('');
});

test('lists every reason for rejecting a release', async () => {
  writeFileSync(
    join(clone, 'CHANGELOG.md'),
    '# Changes\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\nFirst version.\n',
  );

  const { code, output } = await release('0.0.9');

  expect(code).toBe(1);
  expect(output).toContain('The working tree has changes.');
  expect(output).toContain('Version 0.0.9 is not later than 0.1.0');
  expect(output).toContain('CHANGELOG.md has no changes below "## Unreleased".');
});

test('a release is rejected while a page has a placeholder instead of an email address', async () => {
  for (const [path, placeholder] of [
    ['SECURITY.md', 'SECURITY_CONTACT'],
    ['CODE_OF_CONDUCT.md', 'CONDUCT_CONTACT'],
  ] as const)
    writeFileSync(join(clone, path), read(path).replace('maintainers@example.com', placeholder));
  git('commit', '--quiet', '--all', '--message', 'test: restore the placeholders');

  for (const args of [['0.2.0'], ['0.2.0', '--dry-run']])
    expect(await release(...args)).toEqual({
      code: 1,
      output: `SECURITY.md has the placeholder SECURITY_CONTACT. Replace it with an email address.
CODE_OF_CONDUCT.md has the placeholder CONDUCT_CONTACT. Replace it with an email address.
`,
    });
});

test.each([[[]], [['1.0']], [['v1.0.0']], [['1.0.0', '1.0.1']], [['--bogus']]])(
  'release %j prints the usage',
  async args => {
    const { code, output } = await release(...args);

    expect(code).toBe(1);
    expect(output).toContain('Usage: npm run release -- <version> [--dry-run]');
  },
);

test.each([
  ['0.2.0', '0.1.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0-rc.10', '1.0.0-rc.9', true],
  ['1.0.0-rc.1', '1.0.0', false],
  ['0.1.0', '0.1.0', false],
])('%s is later than %s: %s', (version, other, expected) => {
  expect(isVersion(version)).toBe(true);
  expect(isLater(version, other)).toBe(expected);
});
