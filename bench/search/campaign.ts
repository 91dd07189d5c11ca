// Sends random searches while writers insert, and compares every page and total with plain SQL. --kills ends the server with
// kill -9 meanwhile and starts it again.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { randomFrom } from '../../server/src/test/delivery-campaign.ts';
import { withClient } from '../database.ts';
import { onCopy } from '../events/copy-database.ts';
import { databaseOf, prepareEvents } from '../events/load.ts';
import { PROFILES } from '../events/profiles.ts';
import { type Server, startServer } from '../server.ts';
import { makeCallers } from './callers.ts';
import { containsStored, randomPieces, storeHits } from './hits.ts';
import { judge } from './judge.ts';
import {
  addressOf,
  type Caller,
  conditionOf,
  containsText,
  formsOf,
  readHttp,
  readPlain,
  type Search,
} from './plain.ts';
import { FIXED_TEXTS, randomSearch } from './random-search.ts';
import { startWriters } from './writers.ts';

const options = readOptions({
  run: 'npm run campaign:search',
  does: 'Compares random searches of events with plain SQL while writers insert and the server is killed.',
  options: {
    searches: { type: 'string', default: '5000', meaning: 'Number of searches' },
    kills: { type: 'string', default: '0', meaning: 'Number of times the server is killed' },
    events: { type: 'string', default: '200000', meaning: 'Number of events in the log before' },
    writers: { type: 'string', default: '8', meaning: 'Number of writers' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)), meaning: 'Seed of a run to repeat' },
  },
});

const AT_ONCE = 4;
const PIECES = 60;
/** The writers insert during this part of each phase. Nothing is inserted in the rest, so results must be equal. */
const PHASE = 100;
const WITH_WRITERS = 0.4;

const [searches, kills, events] = [Number(options.searches), Number(options.kills), Number(options.events)];
const random = randomFrom(Number(options.seed));
const original = databaseOf('skewed', events);
console.log(`seed ${options.seed}`);
await prepareEvents(original, 'skewed', events);
await onCopy(original, async url => {
  const started = Date.now();
  const counts = { searches: 0, equal: 0, between: 0, interrupted: 0, failed: 0, wrong: 0, kills: 0 };
  const say = () => console.log(new Date().toISOString().slice(11, 19), JSON.stringify(counts));

  const { callers, texts, matches } = await withClient(url, async client => {
    const pieces = await randomPieces(client, PIECES, Number(options.seed) % 1_000_000);
    const texts = [...new Set([...FIXED_TEXTS, ...pieces])].filter(text => text.trim() !== '');
    const forms = [...new Set(texts.flatMap(formsOf))];
    await storeHits(client, forms, events);
    const callers = [...(await makeCallers(client, PROFILES.skewed)).values()];
    return { callers, texts, matches: containsStored(forms, events, containsText) };
  });

  let server: Server | undefined = await startServer(url);
  const writers = startWriters(url, Number(options.writers), random);
  const reading = (client: pg.Client, search: Search, caller: Caller) => () =>
    readPlain(client, search, conditionOf(search, caller.sight, matches));

  /** Runs one search until the server was not killed meanwhile. */
  async function compare(client: pg.Client, search: Search, caller: Caller, quiet: boolean): Promise<void> {
    const plain = reading(client, search, caller);
    while (true) {
      while (!server) await sleep(20);
      const asked = server;
      const before = await plain();
      const actual = await readHttp(asked.url, search, caller).catch(error => error as Error);
      if (actual instanceof Error && server !== asked) {
        counts.interrupted++;
        continue;
      }
      const after = quiet ? before : await plain();
      const verdict = actual instanceof Error ? 'failed' : judge(search, before, actual, after);
      counts.searches++;
      if (verdict === 'equal' || verdict === 'between' || verdict === 'failed') counts[verdict]++;
      else counts.wrong++;
      if (verdict !== 'equal' && verdict !== 'between') {
        console.error(
          `${caller.name} ${addressOf(search)}: ${actual instanceof Error ? actual.message : verdict}`,
        );
      }
      return;
    }
  }

  async function killServer(): Promise<void> {
    const killed = server;
    if (!killed) return;
    server = undefined;
    process.kill(killed.pid, 'SIGKILL');
    counts.kills++;
    server = await startServer(url);
  }

  async function runPhase(size: number, quiet: boolean): Promise<void> {
    let left = size;
    await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        withClient(url, async client => {
          while (left-- > 0) {
            const caller = callers[Math.floor(random() * callers.length)] as Caller;
            await compare(client, randomSearch(random, events + writers.written(), texts), caller, quiet);
          }
        }),
      ),
    );
  }

  let killing = Promise.resolve();
  while (counts.searches < searches) {
    const size = Math.min(PHASE, searches - counts.searches);
    const due = Math.ceil((kills * (counts.searches + size)) / searches) - counts.kills;
    killing = (async () => {
      for (let n = 0; n < due; n++) {
        await sleep(random() * 3_000);
        await killServer();
      }
    })();
    writers.resume();
    await runPhase(Math.ceil(size * WITH_WRITERS), false);
    await writers.pause();
    await runPhase(size - Math.ceil(size * WITH_WRITERS), true);
    await killing;
    say();
  }
  await writers.stop();
  const { total } = await readHttp((server as Server).url, {}, callers[0] as Caller);
  const stored = await withClient(url, client => readPlain(client, { limit: 1 }, 'true'));
  if (total !== stored.total) counts.wrong++;
  await (server as Server).stop();
  const minutes = Math.round((Date.now() - started) / 6_000) / 10;
  console.log(
    JSON.stringify({ ...counts, written: writers.written(), total, stored: stored.total, minutes }),
  );
  if (counts.wrong + counts.failed > 0) process.exitCode = 1;
});
process.exit();
