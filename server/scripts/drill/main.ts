// Proves that a backup can be restored: dumps the database, restores the dump into a scratch database, and starts a server on it.
import { access, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../../src/platform/config.ts';
import { MigrationError } from '../../src/platform/db/migration-error.ts';
import { StartError } from '../../src/platform/start-error.ts';
import { runScript } from '../run.ts';
import { compareEvents, compareFacts, compareMigrations, type Facts, readFacts } from './facts.ts';
import { FOLDER_PREFIX, removeLeftovers } from './leftovers.ts';
import { PROBLEM_FOUND, readDrillOptions } from './options.ts';
import { checkProgram, ProgramError, runProgram } from './programs.ts';
import { createScratch, type Scratch, withClient } from './scratch.ts';
import { tryVersion } from './trial.ts';

/** How long the drill waits for a step to stop before it removes the scratch database. */
const STOP_TIMEOUT_MS = 5_000;

const options = readDrillOptions();

/** Thrown if the backup is not usable. Any other error says nothing about the backup. */
class UnusableBackupError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const stopController = new AbortController();
const stopRequest = new Promise<never>((_, reject) =>
  stopController.signal.addEventListener('abort', () => reject(stopController.signal.reason)),
);
stopRequest.catch(() => {});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    console.error(`Stopping after ${signal}.`);
    stopController.abort(new StartError('The drill was stopped. It says nothing about the backup.'));
  });

await runScript(process.env, async config => {
  const startedAt = performance.now();
  try {
    await drill(config);
    console.log(`The drill passed in ${seconds(performance.now() - startedAt)}. The backup is usable.`);
  } catch (error) {
    // Ctrl+C also stops the drill's child processes, so their errors say nothing about the backup.
    stopController.signal.throwIfAborted();
    if (!(error instanceof UnusableBackupError)) throw error;
    for (const problem of error.problems) console.error(`Problem: ${problem}`);
    console.error(`The drill failed after ${seconds(performance.now() - startedAt)}.`);
    process.exitCode = PROBLEM_FOUND;
  }
});

async function drill(config: Config): Promise<void> {
  let folder: string | undefined;
  let scratch: Scratch | undefined;
  try {
    await withClient(config.databaseUrl, async source => {
      await checkRequirements(source);
      const server = options.scratch === '' ? config.databaseUrl : options.scratch;
      const copy = await createScratch(server, source.database ?? '', removeLeftovers);
      scratch = copy;
      if (options.dump === '') folder = await mkdtemp(`${FOLDER_PREFIX}${process.pid}-`);
      const file = folder === undefined ? options.dump : join(folder, 'halyard.dump');
      const expectedFacts = folder === undefined ? undefined : await dump(source, config.databaseUrl, file);
      await restore(file, copy.url);
      await compare(source, expectedFacts, copy.url);
      await start(config, copy.url);
    });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    if (options.keep && scratch !== undefined) {
      await scratch.keep();
      console.log(`The scratch database ${scratch.name} was kept.`);
    } else await scratch?.drop();
  }
}

/** Checks whether the drill can run, before it does any work. */
async function checkRequirements(source: pg.Client): Promise<void> {
  if (options.dump !== '')
    await access(options.dump).catch(({ code }) => {
      throw new StartError(`The dump ${options.dump} cannot be read: ${code}. Check --dump.`);
    });
  const { rows } = await source.query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  const minVersion = rows[0]?.major ?? 0;
  if (options.dump === '') await checkProgram('pg_dump', minVersion);
  await checkProgram('pg_restore', 0);
}

/** Dumps the database and reads its facts in one snapshot, so that servers can keep writing during the drill. */
async function dump(source: pg.Client, databaseUrl: string, file: string): Promise<Facts> {
  await source.query('begin isolation level repeatable read read only');
  const { rows } = await source.query<{ id: string }>('select pg_export_snapshot() as id');
  const args = ['--format=custom', `--snapshot=${rows[0]?.id}`, `--file=${file}`];
  await step('Dumped', async () => {
    await runProgram('pg_dump', databaseUrl, args, stopController.signal);
    return `${megabytes((await stat(file)).size)}`;
  });
  const facts = await readFacts(source);
  await source.query('commit');
  return facts;
}

async function restore(file: string, url: string): Promise<void> {
  // The source's roles might not exist on the server with the copy.
  const args = ['--exit-on-error', '--no-owner', '--no-privileges', `--jobs=${options.jobs}`, file];
  await step('Restored', async () => {
    await runProgram('pg_restore', url, args, stopController.signal);
    return 'into a scratch database';
  });
}

async function compare(source: pg.Client, expectedFacts: Facts | undefined, url: string): Promise<void> {
  await step('Compared', async () => {
    const restored = await withClient(url, readFacts);
    const problems =
      expectedFacts === undefined
        ? await compareOlder(source, restored)
        : compareFacts(expectedFacts, restored);
    if (problems.length > 0) throw new UnusableBackupError(problems);
    const total = [...restored.rows.values()].reduce((sum, count) => sum + count, 0);
    const lastEvent = restored.lastEvent;
    const event =
      lastEvent === undefined ? 'no events' : `last event ${lastEvent.id} of ${lastEvent.createdAt}`;
    return `${restored.rows.size} tables, ${total} rows, ${restored.migrations.size} migrations, ${event}`;
  });
}

/** Compares an earlier dump with the source. Only the event log and the migrations can be compared, because other tables change. */
async function compareOlder(source: pg.Client, restored: Facts): Promise<string[]> {
  const current = await readFacts(source);
  return [
    ...compareMigrations(current.migrations, restored.migrations),
    ...(await compareEvents(source, restored)),
  ];
}

async function start(config: Config, url: string): Promise<void> {
  await step('Started', async () => {
    const { problems, migrations, readyMs } = await tryVersion(config, url, stopController.signal);
    if (problems.length > 0) throw new UnusableBackupError(problems);
    return `this version on the copy, ready after ${seconds(readyMs)}, ${migrations} migrations applied`;
  });
}

/** Runs a step and prints its duration. A failure caused by the backup is reported as a problem. */
async function step(verb: string, work: () => Promise<string>): Promise<void> {
  const startedAt = performance.now();
  stopController.signal.throwIfAborted();
  const workDone = work();
  const result = await Promise.race([workDone, stopRequest]).catch(async error => {
    if (stopController.signal.aborted) {
      await Promise.race([workDone.catch(() => {}), delay(STOP_TIMEOUT_MS)]);
      throw stopController.signal.reason;
    }
    if (error instanceof ProgramError || error instanceof MigrationError)
      throw new UnusableBackupError([error.message]);
    throw error;
  });
  console.log(`${verb.padEnd(8)} ${seconds(performance.now() - startedAt).padStart(8)}  ${result}`);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
