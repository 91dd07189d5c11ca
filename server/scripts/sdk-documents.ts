// Compares the documents that SDKs read with the flags, or rebuilds them.

import { readOptions, rejectOption } from '../src/platform/command-line.ts';
import { openDb } from '../src/platform/db/database.ts';
import { howToRun } from '../src/platform/files.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { SDK_CHANNEL } from '../src/publishing/projection/publish.ts';
import { findDifferences, rebuildDocuments } from '../src/publishing/projection/verify.ts';
import { startEpoch } from '../src/record/epoch/start.ts';
import { notifyServers } from '../src/record/wake.ts';
import { runOnMigrated } from './run.ts';

const RUN = howToRun('sdk-documents');
const options = readOptions({
  run: RUN,
  does: 'Compares the documents that SDKs read with the flags and segments. Exits with 1 if a document differs.',
  options: {
    verify: { type: 'boolean', default: false, meaning: 'Only compare, as without options' },
    rebuild: {
      type: 'boolean',
      default: false,
      meaning: 'Compare, and rebuild the documents that differ',
    },
    'new-epoch': {
      type: 'boolean',
      default: false,
      meaning: 'Make every server and every SDK read everything again: after a dump was restored',
    },
  },
  variables: describeVariables('DATABASE_URL'),
});

if (options.verify && options.rebuild) rejectOption(RUN, 'Use either --verify or --rebuild');

const MAX_SHOWN = 20;

await runOnMigrated(process.env, async config => {
  const db = openDb({ url: config.databaseUrl, poolSize: 2, onError: error => console.warn(error.message) });
  if (options['new-epoch']) {
    await startEpoch(db, 'The command sdk-documents --new-epoch was run.');
    notifyServers(db, SDK_CHANNEL);
    console.log('A new epoch has started. Every SDK reads everything again.');
  }
  if (options.verify || options.rebuild || !options['new-epoch']) {
    const differences = await findDifferences(db);
    for (const { kind, key, environment } of differences.slice(0, MAX_SHOWN))
      console.log(`${kind} ${key} in ${environment}`);
    console.log(`Documents that differ: ${differences.length}.`);
    if (differences.length > 0 && options.rebuild) {
      await rebuildDocuments(db, differences);
      console.log('They were rebuilt.');
    } else if (differences.length > 0) process.exitCode = 1;
  }
  await db.destroy();
});
