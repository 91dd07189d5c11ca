import { readOptions } from '../server/src/platform/command-line.ts';
import { compareWithBareSql, fail, type Measured, type ReadCase } from './compare.ts';
import { LARGE_PROJECT, prepareFeatures } from './feature-data.ts';
import { explain } from './plan.ts';

const options = readOptions({
  run: 'npm run bench:features',
  does: 'Measures the search of features on a large instance, and compares each request with its bare SQL.',
  options: {
    fresh: { type: 'boolean', default: false, meaning: 'Create the database again' },
    explain: { type: 'boolean', default: false, meaning: 'Print the plan of each case' },
    only: { type: 'string', default: '', meaning: 'Run only the cases whose name contains this text' },
  },
});

const SECONDS_PER_CASE = 5;
const TABLES = ['features', 'feature_'];

type Case = ReadCase & {
  /** The run fails above this CPU time. CPU time depends less on other processes than elapsed time does. */
  maxCpuMs?: number;
  /** An index that the plan must use. */
  index?: string;
};

const search = (parameters: Record<string, string>) =>
  `/api/admin/search/features?${new URLSearchParams(parameters)}`;
const project = `IS:${LARGE_PROJECT}`;

const CASES: Case[] = [
  { name: 'project', address: search({ project }), maxCpuMs: 30, index: 'features_active_project_idx' },
  {
    name: 'project, newest first',
    address: search({ project, sortOrder: 'desc' }),
    maxCpuMs: 30,
    index: 'features_active_project_idx',
  },
  { name: 'project, by name', address: search({ project, sortBy: 'name' }), index: 'features_project_idx' },
  { name: 'project, by type', address: search({ project, sortBy: 'type' }) },
  { name: 'project, by last use', address: search({ project, sortBy: 'lastSeenAt', sortOrder: 'desc' }) },
  {
    name: 'project, by state in production',
    address: search({ project, sortBy: 'environment:production', sortOrder: 'desc' }),
  },
  { name: 'project, offset 9000', address: search({ project, offset: '9000' }) },
  { name: 'project, limit 1000', address: search({ project, limit: '1000' }) },
  {
    name: 'project, favorites first, viewer',
    address: search({ project, favoritesFirst: 'true' }),
    viewer: true,
    index: 'features_active_project_idx',
  },
  { name: 'project, text, few hits', address: search({ project, query: 'needle-quasar' }) },
  { name: 'project, tag', address: search({ project, tag: 'INCLUDE:simple:tag-5' }) },
  { name: 'project, type and state', address: search({ project, type: 'IS:release', state: 'IS:active' }) },
  { name: 'project, enabled in production', address: search({ project, status: 'production:enabled' }) },
  { name: 'project, stage', address: search({ project, lifecycle: 'IS:live' }) },
  { name: 'project, segment', address: search({ project, segment: 'INCLUDE:segment-3' }) },
  { name: 'instance', address: search({}), index: 'features_active_idx' },
  { name: 'instance, by name', address: search({ sortBy: 'name' }), index: 'features_pkey' },
  { name: 'instance, by project', address: search({ sortBy: 'project' }) },
  { name: 'instance, by type', address: search({ sortBy: 'type' }) },
  { name: 'instance, by last use', address: search({ sortBy: 'lastSeenAt' }) },
  { name: 'instance, by state in production', address: search({ sortBy: 'environment:production' }) },
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

async function check(one: Case, { cpuMs, connection, statement }: Measured): Promise<string> {
  if (one.maxCpuMs !== undefined && cpuMs > one.maxCpuMs) fail(`${one.name}: over ${one.maxCpuMs} ms of CPU`);
  const plan = await explain(connection, statement, TABLES);
  if (one.index !== undefined && !plan.text.includes(one.index))
    fail(`${one.name}: the plan does not use ${one.index} (${plan.scans.join(', ')})`);
  return `### ${one.name}\n\nScans: ${plan.scans.join(', ')}\n\n\`\`\`\n${plan.text}\n\`\`\``;
}

const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
url.pathname = '/halyard_bench_features';
await prepareFeatures(url, options.fresh);
const cases = CASES.filter(({ name }) => name.includes(options.only));
const plans = await compareWithBareSql(url, cases, { secondsPerCase: SECONDS_PER_CASE, check });
if (options.explain) console.log(`\n${plans.join('\n\n')}`);
