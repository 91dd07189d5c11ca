// Kills the delivering server at random moments, restarts PostgreSQL, and counts the outcome of every
// delivery. With --postgres it runs a PostgreSQL of its own, which restarts need: --postgres names the folder of its programs, --as the user that may
// run them.
import { randomBytes, randomInt } from 'node:crypto';
import { readOptions } from '../server/src/platform/command-line.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { type Campaign, randomFrom, runCampaign } from '../server/src/test/delivery-campaign.ts';
import { startOwnPostgres } from './own-postgres.ts';

const options = readOptions({
  run: 'npm run bench:kills',
  does: 'Kills the delivering server at random moments and counts the outcome of every delivery.',
  options: {
    kills: { type: 'string', default: '200', meaning: 'Number of kills' },
    restarts: { type: 'string', default: '0', meaning: 'Number of PostgreSQL restarts; requires --postgres' },
    events: { type: 'string', default: '2000', meaning: 'Number of events' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)), meaning: 'Seed of a run to repeat' },
    postgres: {
      type: 'string',
      default: '',
      meaning: 'Folder of the PostgreSQL programs; empty for the server at DATABASE_URL',
    },
    as: { type: 'string', default: 'postgres', meaning: 'System user that runs PostgreSQL' },
  },
});

const campaign = (databaseUrl: string): Campaign => ({
  databaseUrl,
  events: Number(options.events),
  integrations: 3,
  kills: Number(options.kills),
  killWithinMs: 5_000,
  hanging: 0.01,
  oneInRefused: 50,
  random: randomFrom(Number(options.seed)),
  settleWithinMs: 600_000,
  say: text => console.log(new Date().toISOString().slice(11, 19), text),
});

console.log(`seed ${options.seed}`);
const started = Date.now();
const result = options.postgres !== '' ? await onOwnPostgres() : await onSharedPostgres();
console.log(JSON.stringify({ ...result, minutes: Math.round((Date.now() - started) / 6_000) / 10 }, null, 2));
process.exit(
  result.open + result.lost + result.phantom + result.unrecorded + result.unfinished === 0 ? 0 : 1,
);

async function onSharedPostgres() {
  const name = `halyard_kills_${randomBytes(4).toString('hex')}`;
  await createDatabase(name);
  try {
    return await runCampaign(campaign(urlOf(name)));
  } finally {
    await dropDatabase(name);
  }
}

async function onOwnPostgres() {
  const postgres = startOwnPostgres(options.postgres, options.as);
  try {
    return await runCampaign({
      ...campaign(postgres.url),
      // Immediate: like a crash, connections are cut and the log is replayed.
      restarts: { count: Number(options.restarts), restart: () => postgres.restart('immediate') },
    });
  } finally {
    postgres.remove();
  }
}
