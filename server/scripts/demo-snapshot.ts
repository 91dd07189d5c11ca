// Creates the demo's sample data and saves its rows in server/demo-story.jsonl, which `halyard demo` loads.
import { readOptions } from '../src/platform/command-line.ts';
import { runScript } from './run.ts';

readOptions({
  run: 'npm run demo-snapshot',
  does: `Creates the sample data in the empty database in DATABASE_URL and writes its rows to server/demo-story.jsonl. Run it after each
migration: halyard demo loads the file only if it matches the newest migration.`,
});

await runScript(process.env, async config => {
  const { makeSampleData } = await import('./sample-data/make.ts');
  const { SNAPSHOT_KEY, saveSnapshot } = await import('./sample-data/snapshot.ts');
  await makeSampleData({ ...config, secretKey: SNAPSHOT_KEY, oldSecretKeys: [] });
  await saveSnapshot(config.databaseUrl);
  console.log('Wrote server/demo-story.jsonl.');
});
