// Measures an edge side by side with the server that feeds it, so that other load on the machine affects both equally.
import { loadavg } from 'node:os';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { printMachine } from '../server.ts';
import { measureCounting } from './counting.ts';
import { measureManyEdges } from './crowd.ts';
import { measureLatency } from './latency.ts';
import { measureClocks, measureOutage } from './outages.ts';
import { measureRequests } from './requests.ts';
import type { Row } from './row.ts';
import { measureStart } from './start.ts';
import { measureRandomTokens, measureRevocations } from './tokens.ts';
import { makeWorld, type World } from './world.ts';

const options = readOptions({
  run: 'npm run bench:edge',
  does: 'Measures an edge side by side with the server that feeds it: latency, CPU time, memory, start, outages and attacks.',
  options: {
    only: { type: 'string', default: '', meaning: 'Parts to run, separated by commas. Empty: all' },
    flags: { type: 'string', default: '10000', meaning: 'Number of flags' },
    changes: { type: 'string', default: '300', meaning: 'Changes whose latency is measured' },
    requests: { type: 'string', default: '12000', meaning: 'Requests of each kind' },
    starts: {
      type: 'string',
      default: '5',
      meaning: 'Times that an edge starts from disk and from the server',
    },
    revocations: { type: 'string', default: '200', meaning: 'Tokens to revoke' },
    tokens: { type: 'string', default: '50000', meaning: 'Requests with random tokens' },
    edges: { type: 'string', default: '1000', meaning: 'Edges that one server feeds' },
    evaluations: { type: 'string', default: '1000000', meaning: 'Evaluations that SDKs report' },
    cut: { type: 'string', default: '20', meaning: 'Seconds for which the server is unreachable' },
  },
});

/** The parts by name, in the order in which they run. */
const PARTS: Record<string, (world: World) => Promise<Row[]>> = {
  latency: world => measureLatency(world, Number(options.changes)),
  requests: world => measureRequests(world, Number(options.requests)),
  start: world => measureStart(world, Number(options.flags), Number(options.starts)),
  revocations: world => measureRevocations(world, Number(options.revocations)),
  tokens: world => measureRandomTokens(world, Number(options.tokens)),
  crowd: world => measureManyEdges(world, Number(options.edges)),
  counting: world => measureCounting(world, Number(options.evaluations), Number(options.cut)),
  cut: world => measureOutage(world, Number(options.cut)),
  clock: measureClocks,
};

const chosenParts = options.only === '' ? Object.keys(PARTS) : options.only.split(',');
let missedLimitCount = 0;
const world = await makeWorld(Number(options.flags));
try {
  await printMachine(world.client);
  console.log(`${options.flags} flags of 640 bytes in each of 3 environments, npm run bench:edge\n`);
  console.log('| Measure | Value | Limit | Load | |');
  console.log('| --- | ---: | ---: | ---: | --- |');
  for (const name of chosenParts) {
    const part = PARTS[name];
    if (!part) throw new Error(`There is no part "${name}". Parts: ${Object.keys(PARTS).join(', ')}`);
    for (const { metric, value, limit, isWithinLimit } of await part(world)) {
      console.log(
        `| ${metric} | ${value} | ${limit} | ${loadavg()[0]?.toFixed(1)} | ${isWithinLimit ? 'met' : 'missed'} |`,
      );
      if (!isWithinLimit) missedLimitCount++;
    }
  }
} finally {
  await world.remove();
}
process.exit(missedLimitCount === 0 ? 0 : 1);
