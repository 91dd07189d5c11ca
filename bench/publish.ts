import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { toggleFeatures } from '../server/src/flags/feature-environments/toggle.ts';
import { SYSTEM } from '../server/src/platform/actor.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { findDifferences } from '../server/src/publishing/projection/verify.ts';
import { change } from '../server/src/record/change.ts';
import { registerWriters } from '../server/src/record/change-writers.ts';
import { WRITERS as CHANGE_WRITERS } from '../server/src/writers.ts';
import { readSettings, runCampaign } from './campaign.ts';
import { cpuBetween, percentile, readCpu } from './measure.ts';
import { findNewestPrograms, startOwnPostgres } from './own-postgres.ts';
import { printMachine } from './server.ts';

const settings = readSettings(
  'npm run bench:publish',
  'Measures changes with and without publishing to SDKs: 10,000 flags in 3 environments, 8 writers in one of them.',
  {
    rounds: [4, 'Rounds to measure with publishing, and the same number without'],
    seconds: [8, 'Length of a round'],
    postgres: [findNewestPrograms(), 'Folder that contains the PostgreSQL binaries'],
    as: ['postgres', 'Operating system user that runs PostgreSQL'],
  },
);

const FLAGS = 10_000;
const PROJECTS = 10;
const WRITERS = 8;
const WARM_UP_CHANGES = 200;
const MIN_SHARE = 0.5;
const MAX_EXTRA_CPU_MS = 1.5;
const TRIGGER = 'feature_environments_mark_updated';

/** The numbers of the enabled flags. */
const enabledFlags = new Set<number>();

type Flags = 'published' | 'unpublished';
type Round = { changes: number; seconds: number; cpuMs: number; latencies: number[] };

await runCampaign(async ({ fail, atEnd }) => {
  registerWriters(CHANGE_WRITERS);
  const postgresSettings = ['max_connections=100', 'shared_buffers=256MB'];
  const postgres = startOwnPostgres(settings.postgres, settings.as, postgresSettings);
  atEnd(postgres.remove);
  await migrate(postgres.url);
  const monitor = new pg.Client({ connectionString: postgres.url });
  await monitor.connect();
  atEnd(() => monitor.end());
  await fill(monitor);
  const db = openDb({ url: postgres.url, poolSize: WRITERS + 2, onError: console.error });
  atEnd(() => db.destroy());
  await printMachine(monitor);

  // Alternates rounds with and without publishing. Disabling the trigger disables publishing, because no changed flag is marked.
  const results: Record<Flags, Round[]> = { published: [], unpublished: [] };
  await runRound(db, monitor, 'published', 2);
  for (let n = 0; n < settings.rounds; n++) {
    for (const flags of ['published', 'unpublished'] as const) {
      await monitor.query(
        `alter table feature_environments ${flags === 'published' ? 'enable' : 'disable'} trigger ${TRIGGER}`,
      );
      results[flags].push(await runRound(db, monitor, flags, settings.seconds));
    }
  }
  await monitor.query(`alter table feature_environments enable trigger ${TRIGGER}`);
  const staleDocuments = (await findDifferences(db)).filter(({ key }) => isPublished(Number(key.slice(5))));
  console.log(
    '| 8 writers in one environment | changes/s | PostgreSQL CPU ms per change | p50 ms | p95 ms |',
  );
  console.log('|---|--:|--:|--:|--:|');
  for (const flags of ['unpublished', 'published'] as const) console.log(formatRow(flags, results[flags]));
  const [published, unpublished] = [mergeRounds(results.published), mergeRounds(results.unpublished)];
  const share = changesPerSecond(published) / changesPerSecond(unpublished);
  const extraCpuMs = cpuMsPerChange(published) - cpuMsPerChange(unpublished);
  const shareText = `${(100 * share).toFixed(0)} % of the changes/s without`;
  console.log(
    `\nPublishing leaves ${shareText} and adds ${extraCpuMs.toFixed(2)} ms of CPU in PostgreSQL per change.`,
  );
  if (!(share >= MIN_SHARE)) fail(`${shareText}, at least ${100 * MIN_SHARE} % expected`);
  if (!(extraCpuMs <= MAX_EXTRA_CPU_MS))
    fail(`${extraCpuMs.toFixed(2)} ms more CPU, at most ${MAX_EXTRA_CPU_MS} expected`);
  if (staleDocuments.length > 0)
    fail(`${staleDocuments.length} documents of published flags differ from their rows`);
});

/**
 * Returns whether a flag is toggled only while publishing is enabled. The other flags have stale documents. If both kinds of rounds
 * toggled the same flags, a flag could return to its stale document's state, which publishes nothing and looks too cheap.
 */
function isPublished(flag: number): boolean {
  return flag % 2 === 0;
}

/** Runs writers that toggle random flags in one environment, each one change at a time. */
async function runRound(db: Db, monitor: pg.Client, flags: Flags, seconds: number): Promise<Round> {
  const latencies: number[] = [];
  const write = async (writer: number) => {
    // Each writer has separate flags, so that no two writers wait for the same flag.
    const slot = Math.floor((Math.random() * FLAGS) / (2 * WRITERS)) * WRITERS + writer;
    const flag = slot * 2 + (flags === 'published' ? 0 : 1);
    const startedAt = performance.now();
    await change(db, SYSTEM, current =>
      toggleFeatures(
        current,
        `project-${flag % PROJECTS}`,
        'production',
        [`flag-${flag}`],
        !enabledFlags.has(flag),
      ),
    );
    latencies.push(performance.now() - startedAt);
    if (!enabledFlags.delete(flag)) enabledFlags.add(flag);
  };
  const runWriters = async (hasMore: () => boolean) =>
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        while (hasMore()) await write(writer);
      }),
    );
  // After a trigger is enabled or disabled, every connection has to replan its statements.
  await runWriters(() => latencies.length < WARM_UP_CHANGES);
  latencies.length = 0;
  const cpuBefore = await readCpu(process.pid, monitor);
  const start = performance.now();
  await runWriters(() => performance.now() - start < seconds * 1_000);
  const elapsed = (performance.now() - start) / 1_000;
  // The notification of the last change is part of its cost.
  await sleep(50);
  const cpuMs = cpuBetween(cpuBefore, await readCpu(process.pid, monitor)).postgres;
  return { changes: latencies.length, seconds: elapsed, cpuMs, latencies };
}

function mergeRounds(rounds: Round[]): Round {
  const sum = (read: (round: Round) => number) => rounds.reduce((total, round) => total + read(round), 0);
  return {
    changes: sum(({ changes }) => changes),
    seconds: sum(({ seconds }) => seconds),
    cpuMs: sum(({ cpuMs }) => cpuMs),
    latencies: rounds.flatMap(({ latencies }) => latencies),
  };
}

function changesPerSecond({ changes, seconds }: Round): number {
  return changes / seconds;
}

function cpuMsPerChange({ cpuMs, changes }: Round): number {
  return cpuMs / changes;
}

function formatRow(name: string, rounds: Round[]): string {
  const mergedRound = mergeRounds(rounds);
  const [p50, p95] = [0.5, 0.95].map(fraction => percentile(mergedRound.latencies, fraction).toFixed(1));
  return `| ${name} | ${changesPerSecond(mergedRound).toFixed(0)} | ${cpuMsPerChange(mergedRound).toFixed(2)} | ${p50} | ${p95} |`;
}

/** Creates 10 projects with 1,000 flags each, in 3 environments with 2 strategies per flag. */
async function fill(client: pg.Client): Promise<void> {
  const statements = [
    `insert into environments (name, type, sort_order) values ('staging', 'test', 150)`,
    `insert into projects (id, name) select 'project-' || n, 'Project ' || n from generate_series(0, ${PROJECTS - 1}) as n`,
    `insert into project_environments (project_id, environment_name)
      select projects.id, environments.name from projects, environments on conflict do nothing`,
    `insert into features (name, project, type)
      select 'flag-' || n, 'project-' || n % ${PROJECTS}, 'release' from generate_series(0, ${FLAGS - 1}) as n`,
    `insert into feature_environments (feature_name, environment)
      select features.name, environments.name from features, environments`,
    `insert into feature_strategies (feature_name, environment, strategy_name, sort_order, parameters, constraints, variants)
      select feature_name, environment, 'flexibleRollout', n,
        jsonb_build_object('rollout', '50', 'stickiness', 'default', 'groupId', feature_name),
        '[{"contextName": "userId", "operator": "IN", "values": ["7", "11"], "inverted": false, "caseInsensitive": false}]',
        case when n = 0 then '[]'::jsonb else '[{"name": "blue", "weight": 1000, "weightType": "variable",
          "stickiness": "default", "payload": {"type": "string", "value": "x"}}]' end
      from feature_environments, generate_series(0, 1) as n`,
    'vacuum analyze',
  ];
  for (const statement of statements) await client.query(statement);
}
