// Prepares a release with `npm run release -- 0.2.0`, but does not publish it. For that step, see docs/how-to/release.md.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addRelease, readUnreleasedChanges } from './changelog.ts';
import { isLater, isVersion, readVersion, updateTexts, writeTexts } from './versions.ts';

const ROOT = process.cwd();
/** Placeholders that the maintainers must replace before the first release, by file. */
const PLACEHOLDERS = { 'SECURITY.md': 'SECURITY_CONTACT', 'CODE_OF_CONDUCT.md': 'CONDUCT_CONTACT' };
const USAGE = `Usage: npm run release -- <version> [--dry-run]

Prepares a release: sets the version, runs all checks, builds the package, commits and tags. Publishes nothing.

Options:
  --dry-run   Run the first checks and list the files that would change, without changing them
  -h, --help  Print this help`;

/** Thrown if the release is not possible, with a message for the maintainer. */
class ReleaseError extends Error {}

try {
  const { values, positionals } = readArguments();
  if (values.help) console.log(USAGE);
  else release(positionals, values['dry-run']);
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new ReleaseError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function release(positionals: string[], isDryRun: boolean): void {
  const [version = ''] = positionals;
  if (positionals.length !== 1 || !isVersion(version))
    throw new ReleaseError(`'${positionals.join(' ')}' is not a version like 0.2.0.\n\n${USAGE}`);
  const tag = `v${version}`;
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  checkState(version, tag, changelog);

  const texts = updateTexts(ROOT, version);
  texts.set('CHANGELOG.md', addRelease(changelog, version, new Date().toISOString().slice(0, 10)));
  const changes = readUnreleasedChanges(changelog).split('\n').length;
  console.log(`Release ${version}: ${changes} lines of changes. Files with the version:`);
  for (const path of [...texts.keys(), 'openapi.json'].toSorted()) console.log(`  ${path}`);
  if (isDryRun) {
    console.log('Dry run: nothing was changed.');
    return;
  }

  writeTexts(ROOT, texts);
  try {
    run('npm', 'run', 'openapi');
    run('npm', 'run', 'check');
    // Also builds the package, because this check tests it.
    run('npm', 'run', 'check:release');
  } catch (error) {
    // The tree was clean before, so this reverts only what this script changed.
    run('git', 'restore', '.');
    throw error;
  }
  run('git', 'commit', '--quiet', '--all', '--message', `release: ${version}`);
  run('git', 'tag', '--annotate', '--message', `Halyard ${version}`, tag);
  console.log(`Committed and tagged ${tag}. The package is in dist/package. Next: docs/how-to/release.md.`);
}

function checkState(version: string, tag: string, changelog: string): void {
  const problems: string[] = [];
  if (readOutput('git', 'status', '--porcelain') !== '')
    problems.push('The working tree has changes. Commit or stash them.');
  const tags = readOutput('git', 'tag', '--list', 'v*').split('\n');
  if (tags.includes(tag)) problems.push(`Tag ${tag} already exists.`);
  // The first release may keep the version in the sources, because it has not been released yet.
  const current = readVersion(ROOT);
  const isFirst = !tags.includes(`v${current}`) && version === current;
  if (!isFirst && !isLater(version, current))
    problems.push(`Version ${version} is not later than ${current}, the version in package.json.`);
  if (readUnreleasedChanges(changelog) === '')
    problems.push('CHANGELOG.md has no changes below "## Unreleased". Describe them there.');
  for (const [path, placeholder] of Object.entries(PLACEHOLDERS))
    if (readFileSync(join(ROOT, path), 'utf8').includes(placeholder))
      problems.push(`${path} has the placeholder ${placeholder}. Replace it with an email address.`);
  if (problems.length > 0) throw new ReleaseError(problems.join('\n'));
}

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new ReleaseError(`Failed: ${program} ${args.join(' ')}. Nothing was committed.`);
}

function readOutput(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new ReleaseError(`Failed: ${program} ${args.join(' ')}\n${stderr}`);
  return stdout.trim();
}
