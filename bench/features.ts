import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { buildApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import type { App } from '../server/src/platform/http/app.ts';
import { LARGE_PROJECT, prepareFeatures } from './feature-data.ts';
import {
  backendsOf,
  both,
  cpuBetween,
  percentile,
  readCpu,
  recordStatements,
  runBare,
  type Statement,
  timed,
  timeInTurn,
} from './measure.ts';
import { explain } from './plan.ts';
import { ADMIN_TOKEN, makeViewer, printMachine, type Server, startServer } from './server.ts';

const { values: options } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
    explain: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

const ROUNDS = 200;
const SECONDS_PER_CASE = 5;
const TABLES = ['features', 'feature_'];

type Case = {
  name: string;
  address: string;
  viewer?: true;
  /** Above this many ms of CPU, Node and PostgreSQL together, the run fails: time itself depends on who else is there. */
  most?: number;
  /** An index that the plan must have. */
  index?: string;
};

const search = (parameters: Record<string, string>) =>
  `/api/admin/search/features?${new URLSearchParams(parameters)}`;
const project = `IS:${LARGE_PROJECT}`;

const CASES: Case[] = [
  { name: 'project', address: search({ project }), most: 30, index: 'features_active_project_idx' },
  {
    name: 'project, newest first',
    address: search({ project, sortOrder: 'desc' }),
    most: 30,
    index: 'features_active_project_idx',
  },
  { name: 'project, by name', address: search({ project, sortBy: 'name' }), index: 'features_project_idx' },
  { name: 'project, by type', address: search({ project, sortBy: 'type' }) },
  { name: 'project, by last use', address: search({ project, sortBy: 'lastSeenAt', sortOrder: 'desc' }) },
  {
    name: 'project, by switch in production',
    address: search({ project, sortBy: 'environment:production', sortOrder: 'desc' }),
  },
  { name: 'project, offset 9000', address: search({ project, offset: '9000' }) },
  { name: 'project, limit 1000', address: search({ project, limit: '1000' }) },
  {
    name: 'project, starred first, viewer',
    address: search({ project, favoritesFirst: 'true' }),
    viewer: true,
    index: 'features_active_project_idx',
  },
  { name: 'project, text, few hits', address: search({ project, query: 'needle-quasar' }) },
  { name: 'project, tag', address: search({ project, tag: 'INCLUDE:simple:tag-5' }) },
  { name: 'project, type and state', address: search({ project, type: 'IS:release', state: 'IS:active' }) },
  { name: 'project, on in production', address: search({ project, status: 'production:enabled' }) },
  { name: 'project, stage', address: search({ project, lifecycle: 'IS:live' }) },
  { name: 'project, segment', address: search({ project, segment: 'INCLUDE:segment-3' }) },
  { name: 'instance', address: search({}), index: 'features_active_idx' },
  { name: 'instance, by name', address: search({ sortBy: 'name' }), index: 'features_pkey' },
  { name: 'instance, by project', address: search({ sortBy: 'project' }) },
  { name: 'instance, by type', address: search({ sortBy: 'type' }) },
  { name: 'instance, by last use', address: search({ sortBy: 'lastSeenAt' }) },
  { name: 'instance, by switch in production', address: search({ sortBy: 'environment:production' }) },
  { name: 'instance, viewer', address: search({}), viewer: true },
  {
    name: 'instance, text, few hits',
    address: search({ query: 'needle-quasar' }),
    index: 'features_text_idx',
  },
  { name: 'instance, text, a word', address: search({ query: 'bastoben' }), index: 'features_text_idx' },
  { name: 'instance, text, in every name', address: search({ query: 'feature' }) },
  { name: 'instance, text, 2 characters', address: search({ query: 'qz' }) },
  { name: 'instance, tag', address: search({ tag: 'INCLUDE:simple:tag-5' }), index: 'feature_tags_tag_idx' },
  { name: 'instance, stage', address: search({ lifecycle: 'IS:live' }) },
  { name: 'instance, archived', address: search({ archived: 'IS:true' }) },
  { name: 'creators', address: '/api/admin/flag-creators' },
  { name: 'overview of the project', address: `/api/admin/projects/${LARGE_PROJECT}/overview` },
  { name: 'context fields', address: '/api/admin/context' },
  {
    name: 'strategies of a context field',
    address: '/api/admin/context/field-15/strategies',
    index: 'feature_strategies_constraints_idx',
  },
  { name: 'features of the project, all', address: `/api/admin/projects/${LARGE_PROJECT}/features` },
];

async function main(): Promise<void> {
  const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  url.pathname = '/halyard_bench_features';
  await prepareFeatures(url, options.fresh);

  const server = await startServer(url);
  // One connection: the one whose statements are recorded is the one that repeats them bare.
  const db = openDb({ url: url.href, poolSize: 1, onError: console.error });
  const app = await buildApp(
    db,
    readConfig({ DATABASE_URL: url.href, LOG_LEVEL: 'silent', HALYARD_WRITES_PER_MINUTE: '0' }),
  );
  try {
    const viewerToken = await makeViewer(db);
    await printMachine(db);
    console.log(
      '| case | total | kB | HTTP p50 / p95 ms | bare SQL p50 / p95 ms | ratio | CPU ms Node | PostgreSQL | n |',
    );
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
    const plans: string[] = [];
    for (const one of CASES.filter(({ name }) => name.includes(options.only))) {
      plans.push(await runCase(one, { server, db, app, token: one.viewer ? viewerToken : ADMIN_TOKEN }));
    }
    console.log(`\nMost memory the server had at any time: ${await peakMemory(server.pid)} MB`);
    if (options.explain) console.log(`\n${plans.join('\n\n')}`);
  } finally {
    await app.close();
    await db.destroy();
    await server.stop();
  }
}

type Setting = { server: Server; db: Db; app: App; token: string };

async function runCase(one: Case, { server, db, app, token }: Setting): Promise<string> {
  const { statements, connection } = await recordStatements(app, one.address, token);
  const statement = statements.at(-1);
  if (!statement) throw new Error(`${one.name}: no statement was recorded`);

  // Held for as long as the case runs: the pool would close it when it has been idle.
  return await db.connection().execute(async () => {
    let answer = { total: '', bytes: 0 };
    const http = async () => {
      answer = await get(server.url + one.address, token);
    };
    const bare = () => runBare(connection, statements);
    const first = (await timed(http)) + (await timed(bare));
    const rounds = Math.max(3, Math.min(ROUNDS, Math.floor((SECONDS_PER_CASE * 1_000) / first)));
    if (rounds > 10) await timeInTurn(10, http, bare);

    const node = await readCpu([server.pid]);
    const postgres = await readCpu(await backendsOf(connection));
    const times = await timeInTurn(rounds, http, bare);
    const nodeUsed = cpuBetween(node, await readCpu([server.pid]));
    const postgresUsed = cpuBetween(postgres, await readCpu(await backendsOf(connection)));

    const ratio = percentile(times.http, 0.5) / percentile(times.bare, 0.5);
    const each = (used: number | undefined) => (used === undefined ? '' : (used / rounds).toFixed(1));
    console.log(
      `| ${one.name} | ${answer.total} | ${Math.round(answer.bytes / 1_000)} | ${both(times.http)} ` +
        `| ${both(times.bare)} | ${ratio.toFixed(2)} | ${each(nodeUsed)} | ${each(postgresUsed)} | ${rounds} |`,
    );
    const used = ((nodeUsed ?? 0) + (postgresUsed ?? 0)) / rounds;
    if (one.most !== undefined && used > one.most) fail(`${one.name}: over ${one.most} ms of CPU`);
    return await checkPlan(one, connection, statement);
  });
}

function fail(why: string): void {
  console.error(why);
  process.exitCode = 1;
}

async function get(address: string, token: string): Promise<{ total: string; bytes: number }> {
  const response = await fetch(address, { headers: { authorization: token } });
  const bytes = await response.arrayBuffer();
  if (response.status !== 200) return { total: `status ${response.status}`, bytes: bytes.byteLength };
  const end = Buffer.from(bytes.slice(-40)).toString();
  return { total: /"total":(\d+)/.exec(end)?.[1] ?? '', bytes: bytes.byteLength };
}

async function checkPlan(one: Case, connection: pg.Client, statement: Statement): Promise<string> {
  const plan = await explain(connection, statement, TABLES);
  if (one.index !== undefined && !plan.text.includes(one.index))
    fail(`${one.name}: the plan does not use ${one.index} (${plan.scans.join(', ')})`);
  return `### ${one.name}\n\nScans: ${plan.scans.join(', ')}\n\n\`\`\`\n${plan.text}\n\`\`\``;
}

async function peakMemory(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024).toFixed(0);
}

await main();
