import { readOptions } from '../server/src/platform/command-line.ts';
import { compareWithBareSql, fail, type Measured, type ReadCase } from './compare.ts';
import { PROJECTS, prepareDatabase, SILENT_PROJECT, TYPES } from './data.ts';
import { explain, filledPartitions } from './plan.ts';

const options = readOptions({
  run: 'npm run bench',
  does: 'Measures the search of events on a large log, and compares each request with its bare SQL.',
  options: {
    events: { type: 'string', default: '1000000', meaning: 'Number of events in the log' },
    fresh: { type: 'boolean', default: false, meaning: 'Create the database again' },
    explain: { type: 'boolean', default: false, meaning: 'Check and print the plan of each case' },
    only: { type: 'string', default: '', meaning: 'Run only the cases whose name contains this text' },
  },
});

const EVENTS = Number(options.events);
const SECONDS_PER_CASE = 20;

type Case = ReadCase & {
  /** The run fails above this ratio. */
  maxRatio?: number;
  /** No index can help: nothing is filtered, or the text is too short for trigrams or in every event. */
  readsAll?: true;
};

const search = (parameters: Record<string, string>) =>
  `/api/admin/search/events?${new URLSearchParams(parameters)}`;

const CASES: Case[] = [
  { name: 'no filter', address: search({}), readsAll: true },
  { name: 'project, large', address: search({ project: 'IS:project-1' }), maxRatio: 1.5 },
  { name: 'project, long silent', address: search({ project: `IS:project-${SILENT_PROJECT}` }) },
  {
    name: 'project, any of 2, long silent',
    address: search({ project: `IS_ANY_OF:project-${SILENT_PROJECT},project-${PROJECTS}` }),
  },
  { name: 'project, small', address: search({ project: `IS:project-${PROJECTS}` }) },
  { name: 'feature', address: search({ feature: 'IS:project-1-feature-1' }) },
  { name: 'type, any of 3', address: search({ type: `IS_ANY_OF:${TYPES[1]},${TYPES[4]},${TYPES[9]}` }) },
  { name: 'createdBy', address: search({ createdBy: 'IS:2' }) },
  { name: 'one month', address: search({ from: 'IS:2025-03-01', to: 'IS:2025-03-31' }) },
  { name: 'project and type', address: search({ project: 'IS:project-1', type: `IS:${TYPES[4]}` }) },
  {
    name: 'project and type, long silent',
    address: search({ project: `IS:project-${SILENT_PROJECT}`, type: `IS:${TYPES[0]}` }),
  },
  {
    name: 'project and month',
    address: search({ project: 'IS:project-1', from: 'IS:2025-03-01', to: 'IS:2025-03-31' }),
  },
  { name: 'environment', address: search({ environment: 'IS:production' }) },
  { name: `offset ${EVENTS * 0.9}`, address: search({ offset: String(EVENTS * 0.9) }), readsAll: true },
  { name: 'limit 1000', address: search({ limit: '1000' }), readsAll: true },
  { name: 'viewer, no filter', address: search({}), viewer: true, readsAll: true },
  { name: 'viewer, project', address: search({ project: 'IS:project-1' }), viewer: true },
  { name: 'text, few hits', address: search({ query: 'needle-quasar' }) },
  { name: 'text, no hit', address: search({ query: 'nowhere-to-be-found' }) },
  {
    name: 'text, few hits, in project',
    address: search({ query: 'needle-quasar', project: 'IS:project-1' }),
  },
  { name: 'text, common word', address: search({ query: 'bastoben' }) },
  { name: 'text, in every event', address: search({ query: 'flexibleRollout' }), readsAll: true },
  { name: 'text, 2 characters', address: search({ query: 'qz' }), readsAll: true },
];

async function check(one: Case, { ratio, connection, statement }: Measured): Promise<string> {
  if (one.maxRatio !== undefined && ratio > one.maxRatio) {
    fail(`${one.name}: the ratio is above ${one.maxRatio}`);
  }
  if (!options.explain) return '';
  try {
    const plan = await explain(connection, statement, await filledPartitions(connection));
    const readsMuch = plan.sequential.length > 0 || plan.passedOver > EVENTS / 10;
    if (readsMuch && !one.readsAll) {
      fail(
        `${one.name}: the plan reads most of the table although an index exists (${plan.scans.join(', ')})`,
      );
    }
    return (
      `### ${one.name}\n\nScans: ${plan.scans.join(', ')}; ${plan.passedOver} events filtered out\n\n` +
      `\`\`\`\n${plan.text}\n\`\`\``
    );
  } catch (error) {
    return `### ${one.name}\n\n${(error as Error).message}`;
  }
}

const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
url.pathname = '/halyard_bench';
await prepareDatabase(url, EVENTS, options.fresh);
const cases = CASES.filter(({ name }) => name.includes(options.only));
const plans = await compareWithBareSql(url, cases, { secondsPerCase: SECONDS_PER_CASE, check });
if (options.explain) console.log(`\n${plans.join('\n\n')}`);
