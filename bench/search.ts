import { parseArgs } from 'node:util';
import type pg from 'pg';
import { buildApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import type { App } from '../server/src/platform/http/app.ts';
import { PROJECTS, prepareDatabase, SILENT_PROJECT, TYPES } from './data.ts';
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
import { explain, filledPartitions } from './plan.ts';
import { ADMIN_TOKEN, makeViewer, printMachine, type Server, startServer } from './server.ts';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    fresh: { type: 'boolean', default: false },
    explain: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

const EVENTS = Number(options.events);
const ROUNDS = 200;
const SECONDS_PER_CASE = 20;
type Case = {
  name: string;
  search: Record<string, string>;
  viewer?: true;
  /** Above this the run fails. */
  mostRatio?: number;
  /** No index can help: nothing is filtered, or the text is too short for trigrams or in every event. */
  readsAll?: true;
};

const CASES: Case[] = [
  { name: 'no filter', search: {}, readsAll: true },
  { name: 'project, large', search: { project: 'IS:project-1' }, mostRatio: 1.5 },
  { name: 'project, long silent', search: { project: `IS:project-${SILENT_PROJECT}` } },
  {
    name: 'project, any of 2, long silent',
    search: { project: `IS_ANY_OF:project-${SILENT_PROJECT},project-${PROJECTS}` },
  },
  { name: 'project, small', search: { project: `IS:project-${PROJECTS}` } },
  { name: 'feature', search: { feature: 'IS:project-1-feature-1' } },
  { name: 'type, any of 3', search: { type: `IS_ANY_OF:${TYPES[1]},${TYPES[4]},${TYPES[9]}` } },
  { name: 'createdBy', search: { createdBy: 'IS:2' } },
  { name: 'one month', search: { from: 'IS:2025-03-01', to: 'IS:2025-03-31' } },
  { name: 'project and type', search: { project: 'IS:project-1', type: `IS:${TYPES[4]}` } },
  {
    name: 'project and type, long silent',
    search: { project: `IS:project-${SILENT_PROJECT}`, type: `IS:${TYPES[0]}` },
  },
  {
    name: 'project and month',
    search: { project: 'IS:project-1', from: 'IS:2025-03-01', to: 'IS:2025-03-31' },
  },
  { name: 'environment', search: { environment: 'IS:production' } },
  { name: `offset ${EVENTS * 0.9}`, search: { offset: String(EVENTS * 0.9) }, readsAll: true },
  { name: 'limit 1000', search: { limit: '1000' }, readsAll: true },
  { name: 'viewer, no filter', search: {}, viewer: true, readsAll: true },
  { name: 'viewer, project', search: { project: 'IS:project-1' }, viewer: true },
  { name: 'text, few hits', search: { query: 'needle-quasar' } },
  { name: 'text, no hit', search: { query: 'nowhere-to-be-found' } },
  { name: 'text, few hits, in project', search: { query: 'needle-quasar', project: 'IS:project-1' } },
  { name: 'text, common word', search: { query: 'bastoben' } },
  { name: 'text, in every event', search: { query: 'flexibleRollout' }, readsAll: true },
  { name: 'text, 2 characters', search: { query: 'qz' }, readsAll: true },
];

async function main(): Promise<void> {
  const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  url.pathname = '/halyard_bench';
  await prepareDatabase(url, EVENTS, options.fresh);

  const server = await startServer(url);
  // One connection: the one whose statements are recorded is the one that repeats them bare.
  const db = openDb({ url: url.href, poolSize: 1, onError: console.error });
  const app = await buildApp(db, {
    ...readConfig({ DATABASE_URL: url.href, LOG_LEVEL: 'silent', HALYARD_WRITES_PER_MINUTE: '0' }),
    publicUrl: server.url,
  });
  try {
    const viewerToken = await makeViewer(db);
    await printMachine(db);
    console.log(
      '| case | total | HTTP p50 / p95 ms | bare SQL p50 / p95 ms | ratio | CPU ms Node | PostgreSQL | n |',
    );
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|');
    const plans: string[] = [];
    for (const one of CASES.filter(({ name }) => name.includes(options.only))) {
      plans.push(await runCase(one, { server, db, app, token: one.viewer ? viewerToken : ADMIN_TOKEN }));
    }
    if (options.explain) console.log(`\n${plans.join('\n\n')}`);
  } finally {
    await app.close();
    await db.destroy();
    await server.stop();
  }
}

type Setting = { server: Server; db: Db; app: App; token: string };

async function runCase(one: Case, setting: Setting): Promise<string> {
  const { name, search, mostRatio } = one;
  const { server, db, app, token } = setting;
  const address = `/api/admin/search/events?${new URLSearchParams(search)}`;
  const { statements, connection } = await recordStatements(app, address, token);
  const statement = statements.at(-1);
  if (!statement) throw new Error(`${name}: no statement was recorded`);

  // Held for as long as the case runs: the pool would close it when it has been idle.
  return await db.connection().execute(async () => {
    let answer = '';
    let refused = 0;
    const http = async () => {
      answer = await get(server.url + address, token);
      if (answer.startsWith('status')) refused++;
    };
    const bare = () => runBare(connection, statements);
    const first = (await timed(http)) + (await timed(bare));
    const rounds = Math.max(3, Math.min(ROUNDS, Math.floor((SECONDS_PER_CASE * 1_000) / first)));
    if (rounds > 10) await timeInTurn(10, http, bare);

    refused = 0;
    const node = await readCpu([server.pid]);
    const postgres = await readCpu(await backendsOf(connection));
    const times = await timeInTurn(rounds, http, bare);
    const nodeUsed = cpuBetween(node, await readCpu([server.pid]));
    const postgresUsed = cpuBetween(postgres, await readCpu(await backendsOf(connection)));

    const ratio = percentile(times.http, 0.5) / percentile(times.bare, 0.5);
    const each = (used: number | undefined) => (used === undefined ? '' : (used / rounds).toFixed(1));
    console.log(
      `| ${name} | ${answer} | ${both(times.http)} | ${both(times.bare)} | ${ratio.toFixed(2)} ` +
        `| ${each(nodeUsed)} | ${each(postgresUsed)} | ${rounds}${refused > 0 ? `, ${refused} refused` : ''} |`,
    );
    if (mostRatio !== undefined && ratio > mostRatio) {
      console.error(`${name}: the ratio is above ${mostRatio}`);
      process.exitCode = 1;
    }
    return options.explain ? await reportPlan(one, connection, statement) : '';
  });
}

/** The total, or what was answered instead. */
async function get(address: string, token: string): Promise<string> {
  const response = await fetch(address, { headers: { authorization: token } });
  const text = await response.text();
  return response.status === 200 ? (/"total":(\d+)/.exec(text)?.[1] ?? '') : `status ${response.status}`;
}

async function reportPlan(one: Case, connection: pg.Client, statement: Statement): Promise<string> {
  try {
    const plan = await explain(connection, statement, await filledPartitions(connection));
    const wasteful = plan.sequential.length > 0 || plan.passedOver > EVENTS / 10;
    if (wasteful && !one.readsAll) {
      console.error(
        `${one.name}: there is an index, but much of the table is read (${plan.scans.join(', ')})`,
      );
      process.exitCode = 1;
    }
    return (
      `### ${one.name}\n\nScans: ${plan.scans.join(', ')}; ${plan.passedOver} events passed over\n\n` +
      `\`\`\`\n${plan.text}\n\`\`\``
    );
  } catch (error) {
    return `### ${one.name}\n\n${(error as Error).message}`;
  }
}

await main();
