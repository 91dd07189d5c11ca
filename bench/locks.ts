// Runs every write of the API against every other one, with transactions that overlap after each lock, and reports
// deadlocks. --sample takes only some of the trials, --only those whose first or second operation matches.
import { randomBytes } from 'node:crypto';
import { readOptions } from '../server/src/platform/command-line.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { locksOf, pausesOf, startLockCampaign } from '../server/src/test/lock-campaign.ts';

const options = readOptions({
  run: 'npm run campaign:locks',
  does: 'Runs every write of the API against every other write and reports deadlocks.',
  options: {
    sample: { type: 'string', default: '1', meaning: 'Share of the trials to run, from 0 to 1' },
    only: {
      type: 'string',
      default: '',
      meaning: 'Regular expression that the name of one of both operations must match',
    },
    list: { type: 'boolean', default: false, meaning: 'Print the locks of each write and exit' },
  },
});

const name = `halyard_locks_${randomBytes(4).toString('hex')}`;
await createDatabase(name);
await migrate(urlOf(name));
const campaign = await startLockCampaign(urlOf(name));
console.log(
  `${campaign.writes.length} operations, ${campaign.unreached.length} whose example does not commit:`,
);
for (const text of campaign.unreached) console.log(`  ${text}`);
if (options.list)
  for (const write of campaign.writes) console.log(`${write.name}: ${locksOf(write).join(', ')}`);

const found = new Map<string, string[]>();
let trials = 0;
const started = performance.now();
const wanted = new RegExp(options.only);
for (const [index, first] of campaign.writes.entries()) {
  for (const second of options.list ? [] : campaign.writes.slice(index)) {
    if (!wanted.test(first.name) && !wanted.test(second.name)) continue;
    for (const at of pausesOf(first)) {
      if (Math.random() >= Number(options.sample)) continue;
      trials++;
      const deadlocks = await campaign.run({ first, second, at });
      const key = `${first.name}  ×  ${second.name}`;
      if (deadlocks.length > 0 && !found.has(key)) {
        found.set(key, deadlocks);
        console.log(
          `deadlock: ${key}, paused before statement ${at}\n  ${first.statements[at - 1]?.replace(/\s+/g, ' ').slice(0, 200)}\n  ${deadlocks.join('\n  ')}`,
        );
      }
    }
  }
}
await campaign.close();
await dropDatabase(name);
console.log(
  `${trials} trials in ${Math.round((performance.now() - started) / 1_000)} s, ${found.size} pairs with deadlocks`,
);
if (found.size > 0) process.exitCode = 1;
