import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropDatabase } from '../../server/src/test/database.ts';
import { readSettings } from '../campaign.ts';
import { dropTemplate, makeTarget, query, start } from './command.ts';
import { NEWEST, startUnleash } from './instance.ts';

const { flags, events } = readSettings(
  'node bench/unleash/large.ts',
  'Measures time and memory of an import from a large instance of Unleash: into an empty database, repeated, and with new events.',
  {
    flags: [5_000, 'Flags, each with two environments and three strategies'],
    events: [100_000, 'Events of about 1.3 kB'],
  },
);
const MAX_SECONDS = 120;
const MAX_MEGABYTES = 150;
const isDefaultSize = flags === 5_000 && events === 100_000;

const instance = await startUnleash(NEWEST);
const target = await makeTarget();
try {
  const small = await measure('an almost empty instance');
  await query(instance.databaseUrl, fillFlags(flags));
  await query(instance.databaseUrl, fillEvents(1, events));
  const first = await measure(`${flags} flags and ${events} events`);
  const again = await measure('the same again');
  const added = Math.min(events, 100_000);
  await query(instance.databaseUrl, fillEvents(events + 1, added));
  const more = await measure(`${added} more events, after all flags were imported`);
  const most = Math.max(first.megabytes, again.megabytes, more.megabytes) - small.megabytes;
  console.log(`Memory above that of an almost empty instance: at most ${most} MB.`);
  if (most > MAX_MEGABYTES || (isDefaultSize && first.seconds > MAX_SECONDS)) process.exitCode = 1;
} finally {
  await instance.stop();
  await dropDatabase(target.name);
  await dropTemplate();
}

/** Runs an import, and prints its progress lines, its time and its peak memory. */
async function measure(what: string): Promise<{ seconds: number; megabytes: number }> {
  const started = performance.now();
  const child = start(target.url, instance.databaseUrl, ['--accept']);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.pipe(process.stderr);
  const exited = once(child, 'exit');
  let kilobytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    kilobytes = readPeak(child.pid) ?? kilobytes;
    await sleep(50);
  }
  await exited;
  const seconds = (performance.now() - started) / 1_000;
  const megabytes = Math.round(kilobytes / 1_000);
  const [written = output] = /Imported in .*/.exec(output) ?? [];
  const load = loadavg()[0]?.toFixed(1);
  console.log(`${what}: ${seconds.toFixed(1)} s, ${megabytes} MB, load ${load}. ${written}`);
  if (!output.includes('Imported in')) process.exitCode = 1;
  return { seconds, megabytes };
}

/** The largest resident memory so far. Undefined: the process has ended. */
function readPeak(pid: number | undefined): number | undefined {
  try {
    const [, found] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

function fillFlags(count: number): string {
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

function fillEvents(first: number, count: number): string {
  // Unleash's trigger updates one row per event, which takes minutes in one transaction.
  return `
    alter table events disable trigger all;
    insert into events (announced, created_at, type, created_by, data, pre_data, project, environment, feature_name)
      select true, now() - interval '1 second' * (${first + count} - n), 'feature-strategy-update', 'ada', data, data::jsonb, 'default',
        'production', 'large-' || (1 + n % ${flags})
      from generate_series(${first}, ${first + count - 1}) as n
      cross join lateral (select json_build_object('id', md5(n::text), 'name', 'flexibleRollout', 'text', repeat(md5(n::text), 15)) as data) as made`;
}
