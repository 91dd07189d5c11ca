// Builds, verifies or rebuilds the event search index.

import { readOptions, rejectOption } from '../src/platform/command-line.ts';
import { openDb } from '../src/platform/db/database.ts';
import { howToRun } from '../src/platform/files.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { indexNext } from '../src/record/event-index/indexer.ts';
import {
  findWrongLargeTexts,
  rebuildLargeText,
  storeLargeTexts,
} from '../src/record/event-index/text/store-large.ts';
import { findWrongTexts, rebuildText } from '../src/record/event-index/text/verify.ts';
import { findWrongChunks, rebuildChunk } from '../src/record/event-index/verify.ts';
import { runOnMigrated } from './run.ts';

const RUN = howToRun('event-index');
const options = readOptions({
  run: RUN,
  does: 'Indexes every complete chunk of the event log, as the server does in the background.',
  options: {
    verify: { type: 'boolean', default: false, meaning: 'Compare the index with the events' },
    rebuild: { type: 'boolean', default: false, meaning: 'Compare, and rebuild the chunks that differ' },
  },
  variables: describeVariables('DATABASE_URL'),
});

if (options.verify && options.rebuild) rejectOption(RUN, 'Use either --verify or --rebuild');

const REPORT_EVERY = 50;
const PARTS = [
  { part: 'Filter chunks', findWrong: findWrongChunks, rebuild: rebuildChunk },
  { part: 'Text chunks', findWrong: findWrongTexts, rebuild: rebuildText },
  { part: 'Large texts', findWrong: findWrongLargeTexts, rebuild: rebuildLargeText },
];

await runOnMigrated(process.env, async config => {
  const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
  let addedChunkCount = 0;
  while (await indexNext(db))
    if (++addedChunkCount % REPORT_EVERY === 0) console.log(`Chunks indexed: ${addedChunkCount}`);
  while (await storeLargeTexts(db));
  console.log(`Chunks added to the two parts of the index, filters and text: ${addedChunkCount}.`);
  if (options.verify || options.rebuild) {
    for (const { part, findWrong, rebuild } of PARTS) {
      const wrongChunks = await findWrong(db, (chunk, total) => {
        if (chunk % REPORT_EVERY === 0) console.log(`${part} compared: ${chunk} of ${total}`);
      });
      if (options.rebuild) for (const chunk of wrongChunks) await rebuild(db, chunk);
      const list = wrongChunks.length > 0 ? ` (${wrongChunks.join(', ')})` : '';
      console.log(`${part} that differ from the events: ${wrongChunks.length}${list}.`);
      if (wrongChunks.length > 0 && options.rebuild) console.log('They were rebuilt.');
      else if (wrongChunks.length > 0) process.exitCode = 1;
    }
  }
  await db.destroy();
});
