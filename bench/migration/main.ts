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
import { readOptions } from '../../server/src/platform/command-line.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { startProcess, stopProcess } from '../../server/src/test/process.ts';
import { percentile } from '../measure.ts';
import { fill } from './data.ts';
import { type Sample, startLoad } from './load.ts';

const options = readOptions({
  run: 'npm run campaign:migration',
  does: 'Applies the newest migration to a large database while a server of the previous version reads and writes.',
  options: {
    events: { type: 'string', default: '1000000', meaning: 'Number of events' },
    flags: { type: 'string', default: '10000', meaning: 'Number of features' },
    seconds: { type: 'string', default: '20', meaning: 'Seconds of load before and after the migration' },
    probe: {
      type: 'boolean',
      default: false,
      meaning: 'Apply the files of bench/migration/probe after all migrations',
    },
    previous: {
      type: 'string',
      meaning: 'Tag or commit of the previous version',
    },
  },
});
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NAME = 'halyard_campaign_migration';
const TOKEN = '*:*.campaign-of-the-newest-migration';
const MAX_EXTRA_MS = 200;
const seconds = Number(options.seconds);
const flags = Number(options.flags);

const folder = mkdtempSync(join(tmpdir(), 'halyard-migration-'));
const servers: Awaited<ReturnType<typeof startProcess>>[] = [];
try {
  const previous = copyPrevious();
  const target = copyTarget();
  await createDatabase(NAME);
  await migrate(urlOf(NAME), { folder: pathToFileURL(`${previous}/server/migrations/`) });
  await fill(urlOf(NAME), flags, Number(options.events));

  const start = async () => {
    const env = {
      DATABASE_URL: urlOf(NAME),
      LOG_LEVEL: 'warn',
      HALYARD_INIT_ADMIN_TOKENS: TOKEN,
      HALYARD_MAX_FEATURES: '10000000',
      HALYARD_WRITES_PER_MINUTE: '1000000',
    };
    const server = await startProcess(env, 60_000, join(previous, 'server/src/main.ts'));
    servers.push(server);
    // However this process ends, it leaves no server behind.
    process.once('exit', () => server.process.kill('SIGKILL'));
    return server;
  };
  const server = await start();
  const load = startLoad(server.url, TOKEN, flags);
  await sleep(5_000);
  const times = [performance.now()];
  await sleep(seconds * 1_000);
  times.push(performance.now());
  const applied = await migrate(urlOf(NAME), {
    folder: target,
    onApplied: ({ name, ms, retries }) => console.log(`applied ${name} in ${ms} ms, ${retries} retries`),
  });
  times.push(performance.now());
  await sleep(5_000);
  times.push(performance.now());
  // In a rolling deployment, the previous version also restarts on the new schema.
  load.use((await start()).url);
  await sleep(5_000);
  times.push(performance.now());
  await load.stop();

  if (applied.length === 0) throw new Error('There was no migration to apply.');
  report(load.samples, times);
  console.log(
    servers
      .map(one => one.output())
      .join('')
      .slice(0, 4_000),
  );
} finally {
  for (const server of servers) await stopProcess(server);
  await dropDatabase(NAME);
  rmSync(folder, { recursive: true });
}

/** The server that runs before the migration: this one for the probe, otherwise a tag or the last commit without the newest migration. */
function copyPrevious(): string {
  if (options.probe) {
    const copy = join(folder, 'previous');
    cpSync(join(ROOT, 'server'), join(copy, 'server'), { recursive: true });
    return withPackages(copy);
  }
  if (options.previous !== undefined) return checkOut(options.previous);
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
  if (options.probe) cpSync(join(ROOT, 'bench/migration/probe'), target, { recursive: true });
  return pathToFileURL(`${target}/`);
}

function report(samples: Sample[], times: number[]): void {
  const [begin = 0, from = 0, to = 0, restart = 0, end = 0] = times;
  const between = (a: number, b: number) => samples.filter(({ at, ms }) => at + ms >= a && at < b);
  const before = print('before', between(begin, from));
  const during = print('during and 5 s after', between(from, restart));
  print('on a restarted server', between(restart, end));
  const failed = samples.filter(({ status }) => status < 200 || status > 299);
  const extra = Math.max(...Object.entries(during).map(([kind, ms]) => ms - (before[kind] ?? 0)));
  console.log(
    `\nmigration: ${((to - from) / 1_000).toFixed(1)} s; failed requests: ${failed.length}; ` +
      `longest extra stall of a kind: ${extra.toFixed(0)} ms (at most ${MAX_EXTRA_MS})`,
  );
  for (const { kind, status } of failed.slice(0, 10)) console.log(`  failed: ${kind}, status ${status}`);
  if (failed.length > 0 || extra > MAX_EXTRA_MS) process.exitCode = 1;
}

/** Prints the figures of a phase and returns the longest request of each kind. */
function print(phase: string, samples: Sample[]): Record<string, number> {
  console.log(`\n${phase}: ${samples.length} requests`);
  const kinds = Object.entries(Object.groupBy(samples, sample => sample.kind));
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
