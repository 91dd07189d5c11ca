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
import { newestPrograms, startOwnPostgres } from './own-postgres.ts';
import { printMachine } from './server.ts';

const settings = readSettings(
  'npm run bench:publish',
  'Measures changes with and without publishing to SDKs: 10,000 flags in 3 environments, 8 writers in one of them.',
  {
    rounds: [4, 'Rounds with and rounds without publishing'],
    seconds: [8, 'Length of a round'],
    postgres: [newestPrograms(), 'Folder of the programs of PostgreSQL'],
    as: ['postgres', 'User who runs PostgreSQL'],
  },
);

const FLAGS = 10_000;
const PROJECTS = 10;
const WRITERS = 8;
const WARM_UP_CHANGES = 200;
const LEAST_SHARE = 0.5;
const MAX_EXTRA_CPU_MS = 1.5;
const TRIGGER = 'feature_environments_mark_updated';

/** The flags that are enabled now. */
const enabled = new Set<number>();

type Flags = 'published' | 'unpublished';
type Round = { changes: number; seconds: number; cpuMs: number; latencies: number[] };

await runCampaign(async ({ fail, atEnd }) => {
  registerWriters(CHANGE_WRITERS);
  const own = ['max_connections=100', 'shared_buffers=256MB'];
  const postgres = startOwnPostgres(settings.postgres, settings.as, own);
  atEnd(postgres.remove);
  await migrate(postgres.url);
  const watch = new pg.Client({ connectionString: postgres.url });
  await watch.connect();
  atEnd(() => watch.end());
  await fill(watch);
  const db = openDb({ url: postgres.url, poolSize: WRITERS + 2, onError: console.error });
  atEnd(() => db.destroy());
  await printMachine(watch);

  // Alternates rounds with and without publishing. Without publishing, changed flags are not marked, so no document is built.
  const results: Record<Flags, Round[]> = { published: [], unpublished: [] };
  await round(db, watch, 'published', 2);
  for (let n = 0; n < settings.rounds; n++) {
    for (const flags of ['published', 'unpublished'] as const) {
      await watch.query(
        `alter table feature_environments ${flags === 'published' ? 'enable' : 'disable'} trigger ${TRIGGER}`,
      );
      results[flags].push(await round(db, watch, flags, settings.seconds));
    }
  }
  await watch.query(`alter table feature_environments enable trigger ${TRIGGER}`);
  const wrong = (await findDifferences(db)).filter(({ key }) => isPublished(Number(key.slice(5))));
  console.log(
    '| 8 writers in one environment | changes/s | PostgreSQL CPU ms per change | p50 ms | p95 ms |',
  );
  console.log('|---|--:|--:|--:|--:|');
  for (const flags of ['unpublished', 'published'] as const) console.log(row(flags, results[flags]));
  const [with_, without] = [total(results.published), total(results.unpublished)];
  const [share, extra] = [rate(with_) / rate(without), cpu(with_) - cpu(without)];
  const shown = `${(100 * share).toFixed(0)} % of the changes/s without`;
  console.log(
    `\nPublishing leaves ${shown} and adds ${extra.toFixed(2)} ms of CPU in PostgreSQL per change.`,
  );
  if (!(share >= LEAST_SHARE)) fail(`${shown}, at least ${100 * LEAST_SHARE} % expected`);
  if (!(extra <= MAX_EXTRA_CPU_MS))
    fail(`${extra.toFixed(2)} ms more CPU, at most ${MAX_EXTRA_CPU_MS} expected`);
  if (wrong.length > 0) fail(`${wrong.length} documents of published flags differ from their rows`);
});

/** Every other flag is toggled only without publishing, so that its stale document does not make a later change cheaper. */
function isPublished(flag: number): boolean {
  return flag % 2 === 0;
}

/** Writers that toggle random flags in one environment, one change after the other. */
async function round(db: Db, watch: pg.Client, flags: Flags, seconds: number): Promise<Round> {
  const latencies: number[] = [];
  const write = async (writer: number) => {
    // Each writer has separate flags, so that no two writers wait for the same flag.
    const place = Math.floor((Math.random() * FLAGS) / (2 * WRITERS)) * WRITERS + writer;
    const flag = place * 2 + (flags === 'published' ? 0 : 1);
    const began = performance.now();
    await change(db, SYSTEM, current =>
      toggleFeatures(
        current,
        `project-${flag % PROJECTS}`,
        'production',
        [`flag-${flag}`],
        !enabled.has(flag),
      ),
    );
    latencies.push(performance.now() - began);
    if (!enabled.delete(flag)) enabled.add(flag);
  };
  const all = async (again: () => boolean) =>
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        while (again()) await write(writer);
      }),
    );
  // Every connection replans its statements after a trigger was enabled or disabled.
  await all(() => latencies.length < WARM_UP_CHANGES);
  latencies.length = 0;
  const before = await readCpu(process.pid, watch);
  const start = performance.now();
  await all(() => performance.now() - start < seconds * 1_000);
  const elapsed = (performance.now() - start) / 1_000;
  // The notification of the last change is part of its cost.
  await sleep(50);
  const cpuMs = cpuBetween(before, await readCpu(process.pid, watch)).postgres;
  return { changes: latencies.length, seconds: elapsed, cpuMs, latencies };
}

function total(rounds: Round[]): Round {
  const sum = (of: (round: Round) => number) => rounds.reduce((all, one) => all + of(one), 0);
  return {
    changes: sum(one => one.changes),
    seconds: sum(one => one.seconds),
    cpuMs: sum(one => one.cpuMs),
    latencies: rounds.flatMap(one => one.latencies),
  };
}

function rate({ changes, seconds }: Round): number {
  return changes / seconds;
}

function cpu({ cpuMs, changes }: Round): number {
  return cpuMs / changes;
}

function row(name: string, rounds: Round[]): string {
  const all = total(rounds);
  const [p50, p95] = [0.5, 0.95].map(part => percentile(all.latencies, part).toFixed(1));
  return `| ${name} | ${rate(all).toFixed(0)} | ${cpu(all).toFixed(2)} | ${p50} | ${p95} |`;
}

/** 10 projects with 1,000 flags each, 3 environments, 2 strategies per flag and environment. */
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
