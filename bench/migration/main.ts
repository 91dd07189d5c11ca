// Applies all migrations that are new since the previous version to a large database, while a server of that version reads and
// writes. Passes if no request failed, and none took over 200 ms longer than the slowest request of its kind before the migration. The
// previous version is the last commit without the newest file in server/migrations, or the tag or commit in --previous. With --probe,
// it is the working tree, and the files in bench/migration/probe are the new migrations.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { type RunningServer, startProcess, stopProcess } from '../../server/src/test/process.ts';
import { makeDatabase, readSettings, runCampaign } from '../campaign.ts';
import { describeOutcome, type Sample } from '../load.ts';
import { percentile } from '../measure.ts';
import { ADMIN_TOKEN } from '../server.ts';
import { fillDatabase } from './data.ts';
import { startLoad } from './load.ts';

const settings = readSettings(
  'npm run campaign:migration',
  'Applies the migrations that the previous version lacks to a large database, while a server of the previous version reads and writes.',
  {
    events: [1_000_000, 'Number of events'],
    flags: [10_000, 'Number of features'],
    seconds: [20, 'Seconds of load before the migration'],
    probe: [false, 'Apply the files of bench/migration/probe after all migrations'],
    previous: ['', 'Tag or commit of the previous version'],
  },
);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAX_EXTRA_MS = 200;

const folder = mkdtempSync(join(tmpdir(), 'halyard-migration-'));

await runCampaign(async campaign => {
  const { fail, atEnd } = campaign;
  atEnd(() => rmSync(folder, { recursive: true }));
  const previous = copyPrevious();
  const target = copyTarget();
  const { href: url } = await makeDatabase('migration', campaign);
  await migrate(url, { folder: pathToFileURL(`${previous}/server/migrations/`) });
  await fillDatabase(url, settings.flags, settings.events);

  const servers: RunningServer[] = [];
  const start = async () => {
    const env = {
      DATABASE_URL: url,
      LOG_LEVEL: 'warn',
      HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
      HALYARD_MAX_FEATURES: '10000000',
      HALYARD_WRITES_PER_MINUTE: '1000000',
    };
    const server = await startProcess(env, 60_000, join(previous, 'server/src/main.ts'));
    servers.push(server);
    atEnd(() => stopProcess(server));
    // Without this, a crash of this process would leave the server running.
    process.once('exit', () => server.process.kill('SIGKILL'));
    return server;
  };
  const load = startLoad((await start()).url, ADMIN_TOKEN, settings.flags);
  await sleep(5_000);
  const loadStart = performance.now();
  await sleep(settings.seconds * 1_000);
  const migrationStart = performance.now();
  const applied = await migrate(url, {
    folder: target,
    onApplied: ({ name, ms, retries }) => console.log(`applied ${name} in ${ms} ms, ${retries} retries`),
  });
  const migrationEnd = performance.now();
  await sleep(5_000);
  const restartTime = performance.now();
  // In a rolling deployment, the previous version also restarts on the new schema.
  load.moveTo((await start()).url);
  await sleep(5_000);
  await load.stop();

  if (applied.length === 0) throw new Error('There was no migration to apply.');
  const samplesBetween = (start: number, end: number) =>
    load.samples.filter(({ sentAt, ms }) => sentAt + ms >= start && sentAt < end);
  const longestBefore = printPhase('before', samplesBetween(loadStart, migrationStart));
  const longestDuring = printPhase('during and 5 s after', samplesBetween(migrationStart, restartTime));
  printPhase('on a restarted server', samplesBetween(restartTime, performance.now()));
  const failedSamples = load.samples.filter(({ isExpected }) => !isExpected);
  const longestExtraMs = Math.max(
    ...Object.entries(longestDuring).map(([kind, ms]) => ms - (longestBefore[kind] ?? 0)),
  );
  console.log(
    `\nmigration: ${((migrationEnd - migrationStart) / 1_000).toFixed(1)} s; longest extra stall: ${longestExtraMs.toFixed(0)} ms`,
  );
  console.log(
    servers
      .map(server => server.output())
      .join('')
      .slice(0, 4_000),
  );
  for (const { kind, response } of failedSamples)
    fail(`${kind.name}: ${describeOutcome(response)} ${response.text}`);
  if (longestExtraMs > MAX_EXTRA_MS)
    fail(`a request waited ${longestExtraMs.toFixed(0)} ms longer, at most ${MAX_EXTRA_MS} expected`);
});

/** Copies the server of the previous version, and returns its folder. */
function copyPrevious(): string {
  if (settings.probe) {
    const copy = join(folder, 'previous');
    cpSync(join(ROOT, 'server'), join(copy, 'server'), { recursive: true });
    return linkPackages(copy);
  }
  if (settings.previous !== '') return checkOut(settings.previous);
  const ownMigrations = readdirSync(join(ROOT, 'server/migrations')).toSorted();
  const hashes = String(git('log', '-50', '--diff-filter=A', '--format=%H', '--', 'server/migrations'));
  const commits = hashes.split('\n').filter(hash => hash !== '');
  // Some commits of a branch do not run or lack a migration, so this finds the first commit that runs and has all migrations.
  for (const commit of ['HEAD', ...commits.map(hash => `${hash}^`)]) {
    const fileList = String(git('ls-tree', '--name-only', commit, 'server/migrations/')).trim();
    const commitMigrations = fileList
      .split('\n')
      .map(path => basename(path))
      .toSorted();
    if (
      commitMigrations.length === ownMigrations.length ||
      commitMigrations.some((name, n) => name !== ownMigrations[n])
    )
      continue;
    const copy = checkOut(commit);
    const loadResult = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', 'await import("./server/src/app.ts")'],
      { cwd: copy },
    );
    if (loadResult.status !== 0) continue;
    console.log(`previous version: ${git('log', '-1', '--format=%h %s', commit)}`);
    return copy;
  }
  throw new Error(
    'No commit before the newest migration has a server that runs. Choose one with --previous.',
  );
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, maxBuffer: 2 ** 30 });
}

function checkOut(commit: string): string {
  const copy = join(folder, commit.replace('^', '-before'));
  mkdirSync(copy);
  execFileSync('tar', ['-x', '-C', copy], { input: git('archive', commit) });
  return linkPackages(copy);
}

/** Links or installs the packages in the lockfile of a copy. */
function linkPackages(copy: string): string {
  for (const name of ['plane', 'package.json', 'package-lock.json', 'openapi.json'])
    if (!existsSync(join(copy, name))) symlinkSync(join(ROOT, name), join(copy, name));
  const [copyLockfile, ownLockfile] = [copy, ROOT].map(root =>
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  if (copyLockfile === ownLockfile) symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  else execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: copy, stdio: 'ignore' });
  return copy;
}

/** Copies the new version's migrations, and returns their folder. */
function copyTarget(): URL {
  const target = join(folder, 'migrations');
  cpSync(join(ROOT, 'server/migrations'), target, { recursive: true });
  if (settings.probe) cpSync(join(ROOT, 'bench/migration/probe'), target, { recursive: true });
  return pathToFileURL(`${target}/`);
}

/** Prints a phase's figures, and returns how long the longest request of each kind took. */
function printPhase(phase: string, samples: Sample[]): Record<string, number> {
  console.log(`\n${phase}: ${samples.length} requests`);
  const kinds = Object.entries(Object.groupBy(samples, sample => sample.kind.name));
  return Object.fromEntries(
    kinds.map(([kind, kindSamples = []]) => {
      const times = kindSamples.map(sample => sample.ms);
      const [p50, p99, longest] = [0.5, 0.99, 1].map(fraction => percentile(times, fraction));
      console.log(
        `  ${kind.padEnd(24)} ${String(kindSamples.length).padStart(6)}   p50 ${p50?.toFixed(0)}   p99 ${p99?.toFixed(0)}   longest ${longest?.toFixed(0)} ms`,
      );
      return [kind, longest ?? 0];
    }),
  );
}
