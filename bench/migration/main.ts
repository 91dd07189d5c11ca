// Applies the newest migration to a large database while a server of the previous version reads and writes.
// All migrations that the previous version does not have are applied. It passes when no request failed and no request took 200 ms longer than the slowest one before the migration.
//
//   npm run campaign:migration                       the last commit without the newest file of server/migrations
//   npm run campaign:migration -- --probe            the files of bench/migration/probe, on top of all migrations
//   npm run campaign:migration -- --previous v1.2.0  the server of that tag or commit
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
import { outcomeOf, type Sample } from '../load.ts';
import { percentile } from '../measure.ts';
import { ADMIN_TOKEN } from '../server.ts';
import { fill } from './data.ts';
import { startLoad } from './load.ts';

const settings = readSettings(
  'npm run campaign:migration',
  'Applies the newest migration to a large database while a server of the previous version reads and writes.',
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
  await fill(url, settings.flags, settings.events);

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
    // However this process ends, it leaves no server behind.
    process.once('exit', () => server.process.kill('SIGKILL'));
    return server;
  };
  const load = startLoad((await start()).url, ADMIN_TOKEN, settings.flags);
  await sleep(5_000);
  const begin = performance.now();
  await sleep(settings.seconds * 1_000);
  const from = performance.now();
  const applied = await migrate(url, {
    folder: target,
    onApplied: ({ name, ms, retries }) => console.log(`applied ${name} in ${ms} ms, ${retries} retries`),
  });
  const to = performance.now();
  await sleep(5_000);
  const restarted = performance.now();
  // In a rolling deployment, the previous version also restarts on the new schema.
  load.use((await start()).url);
  await sleep(5_000);
  await load.stop();

  if (applied.length === 0) throw new Error('There was no migration to apply.');
  const between = (a: number, b: number) => load.samples.filter(({ at, ms }) => at + ms >= a && at < b);
  const before = print('before', between(begin, from));
  const during = print('during and 5 s after', between(from, restarted));
  print('on a restarted server', between(restarted, performance.now()));
  const failed = load.samples.filter(({ isExpected }) => !isExpected);
  const extra = Math.max(...Object.entries(during).map(([kind, ms]) => ms - (before[kind] ?? 0)));
  console.log(
    `\nmigration: ${((to - from) / 1_000).toFixed(1)} s; longest extra stall: ${extra.toFixed(0)} ms`,
  );
  console.log(
    servers
      .map(server => server.output())
      .join('')
      .slice(0, 4_000),
  );
  for (const { kind, response } of failed) fail(`${kind.name}: ${outcomeOf(response)} ${response.text}`);
  if (extra > MAX_EXTRA_MS)
    fail(`a request waited ${extra.toFixed(0)} ms longer, at most ${MAX_EXTRA_MS} expected`);
});

/** The server that runs before the migration: this one for the probe, otherwise a tag or the last commit without the newest migration. */
function copyPrevious(): string {
  if (settings.probe) {
    const copy = join(folder, 'previous');
    cpSync(join(ROOT, 'server'), join(copy, 'server'), { recursive: true });
    return withPackages(copy);
  }
  if (settings.previous !== '') return checkOut(settings.previous);
  const ours = readdirSync(join(ROOT, 'server/migrations')).toSorted();
  const added = String(git('log', '-50', '--diff-filter=A', '--format=%H', '--', 'server/migrations'));
  const commits = added.split('\n').filter(hash => hash !== '');
  // Not every commit of a branch runs, or has all migrations up to its newest one: the first one that does.
  for (const commit of ['HEAD', ...commits.map(hash => `${hash}^`)]) {
    const listed = String(git('ls-tree', '--name-only', commit, 'server/migrations/')).trim();
    const theirs = listed
      .split('\n')
      .map(path => basename(path))
      .toSorted();
    if (theirs.length === ours.length || theirs.some((name, n) => name !== ours[n])) continue;
    const copy = checkOut(commit);
    const loads = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', 'await import("./server/src/app.ts")'],
      { cwd: copy },
    );
    if (loads.status !== 0) continue;
    console.log(`previous version: ${git('log', '-1', '--format=%h %s', commit)}`);
    return copy;
  }
  throw new Error('No commit before the newest migration has a server that runs. Name one with --previous.');
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, maxBuffer: 2 ** 30 });
}

function checkOut(commit: string): string {
  const copy = join(folder, commit.replace('^', '-before'));
  mkdirSync(copy);
  execFileSync('tar', ['-x', '-C', copy], { input: git('archive', commit) });
  return withPackages(copy);
}

/** Each version runs with its own packages. */
function withPackages(copy: string): string {
  for (const name of ['plane', 'package.json', 'package-lock.json', 'openapi.json'])
    if (!existsSync(join(copy, name))) symlinkSync(join(ROOT, name), join(copy, name));
  const [own, ours] = [copy, ROOT].map(root => readFileSync(join(root, 'package-lock.json'), 'utf8'));
  if (own === ours) symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  else execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: copy, stdio: 'ignore' });
  return copy;
}

/** The migrations that the new version has. */
function copyTarget(): URL {
  const target = join(folder, 'migrations');
  cpSync(join(ROOT, 'server/migrations'), target, { recursive: true });
  if (settings.probe) cpSync(join(ROOT, 'bench/migration/probe'), target, { recursive: true });
  return pathToFileURL(`${target}/`);
}

/** Prints the figures of a phase and returns the longest request of each kind. */
function print(phase: string, samples: Sample[]): Record<string, number> {
  console.log(`\n${phase}: ${samples.length} requests`);
  const kinds = Object.entries(Object.groupBy(samples, sample => sample.kind.name));
  return Object.fromEntries(
    kinds.map(([kind, list = []]) => {
      const times = list.map(sample => sample.ms);
      const [p50, p99, longest] = [0.5, 0.99, 1].map(part => percentile(times, part));
      console.log(
        `  ${kind.padEnd(24)} ${String(list.length).padStart(6)}   p50 ${p50?.toFixed(0)}   p99 ${p99?.toFixed(0)}   longest ${longest?.toFixed(0)} ms`,
      );
      return [kind, longest ?? 0];
    }),
  );
}
