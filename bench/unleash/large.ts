import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropDatabase } from '../../server/src/test/database.ts';
import { readSettings } from '../campaign.ts';
import { readCpuUs } from '../measure.ts';
import { dropTemplate, makeTarget, query, startImport } from './command.ts';
import { NEWEST_VERSION, startUnleash } from './instance.ts';

const { flags, events } = readSettings(
  'node bench/unleash/large.ts',
  'Measures the time and memory of imports from a large Unleash instance: into an empty database, repeated, and with new events.',
  {
    flags: [5_000, 'Flags, each with two environments and three strategies'],
    events: [100_000, 'Events of about 1.3 kB'],
  },
);
const MAX_SECONDS = 120;
const MAX_MEGABYTES = 150;
const isDefaultSize = flags === 5_000 && events === 100_000;

const instance = await startUnleash(NEWEST_VERSION);
const target = await makeTarget();
try {
  const emptyResult = await measure('an almost empty instance');
  await query(instance.databaseUrl, buildFlagsSql(flags));
  await query(instance.databaseUrl, buildEventsSql(1, events));
  const firstResult = await measure(`${flags} flags and ${events} events`);
  const repeatResult = await measure('repeated import');
  const addedEvents = Math.min(events, 100_000);
  await query(instance.databaseUrl, buildEventsSql(events + 1, addedEvents));
  const addedResult = await measure(`${addedEvents} more events, after all flags were imported`);
  const maxGrowth =
    Math.max(firstResult.megabytes, repeatResult.megabytes, addedResult.megabytes) - emptyResult.megabytes;
  console.log(`Memory above that of an almost empty instance: at most ${maxGrowth} MB.`);
  if (maxGrowth > MAX_MEGABYTES || (isDefaultSize && firstResult.seconds > MAX_SECONDS)) process.exitCode = 1;
} finally {
  await instance.stop();
  await dropDatabase(target.name);
  await dropTemplate();
}

/** Runs an import, and prints its progress lines, its time, its CPU time and its peak memory. */
async function measure(source: string): Promise<{ seconds: number; megabytes: number }> {
  const startedAt = performance.now();
  const child = startImport(target.url, instance.databaseUrl, ['--accept']);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.pipe(process.stderr);
  const exit = once(child, 'exit');
  let [kilobytes, cpuSeconds] = [0, 0];
  while (child.exitCode === null && child.signalCode === null) {
    kilobytes = readPeakKb(child.pid) ?? kilobytes;
    // Undefined once the process has ended.
    const cpuUs = child.pid === undefined ? undefined : await readCpuUs(child.pid).catch(() => undefined);
    cpuSeconds = Math.max(cpuSeconds, (cpuUs ?? 0) / 1e6);
    await sleep(50);
  }
  await exit;
  const seconds = (performance.now() - startedAt) / 1_000;
  const megabytes = Math.round(kilobytes / 1_000);
  const [summary = output] = /Imported in .*/.exec(output) ?? [];
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `${source}: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU time, ${megabytes} MB, load ${load}. ${summary}`,
  );
  if (!output.includes('Imported in')) process.exitCode = 1;
  return { seconds, megabytes };
}

/** Reads the peak resident memory, which is undefined once the process has ended. */
function readPeakKb(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes);
  } catch {
    return undefined;
  }
}

function buildFlagsSql(count: number): string {
  return `
    insert into features (name, project, type, description)
      select 'large-' || n, 'default', 'release', repeat('What it is for. ', 10) from generate_series(1, ${count}) as n;
    insert into feature_environments (feature_name, environment, enabled, variants)
      select 'large-' || n, environment, n % 3 > 0, '[]'
      from generate_series(1, ${count}) as n, unnest(array['development', 'production']) as environment;
    insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, parameters, constraints, sort_order)
      select gen_random_uuid()::text, 'large-' || n, 'default', case at when 1 then 'development' else 'production' end,
        'flexibleRollout', '{"rollout":"50","stickiness":"default","groupId":"large"}',
        '[{"contextName":"userId","operator":"IN","values":["1","2","3","4","5"],"inverted":false,"caseInsensitive":false}]', at
      from generate_series(1, ${count}) as n, generate_series(1, 3) as at`;
}

function buildEventsSql(firstEvent: number, count: number): string {
  // Without this, Unleash's trigger would update one row per event, which takes minutes in one transaction.
  return `
    alter table events disable trigger all;
    insert into events (announced, created_at, type, created_by, data, pre_data, project, environment, feature_name)
      select true, now() - interval '1 second' * (${firstEvent + count} - n), 'feature-strategy-update', 'ada', data, data::jsonb, 'default',
        'production', 'large-' || (1 + n % ${flags})
      from generate_series(${firstEvent}, ${firstEvent + count - 1}) as n
      cross join lateral (select json_build_object('id', md5(n::text), 'name', 'flexibleRollout', 'text', repeat(md5(n::text), 15)) as data) as made`;
}
