// Prints what changed in Halyard since the import from another product, so that you can go back.

import {
  type ChangedFlag,
  hasImportedData,
  readChangedFlags,
  readChangesSinceImport,
} from '../src/importing/unleash/changes-since-import.ts';
import { makePrintable } from '../src/importing/unleash/report.ts';
import { planRollback } from '../src/importing/unleash/rollback.ts';
import { readOptions, rejectOption, takePositionals } from '../src/platform/command-line.ts';
import { type Db, openDb } from '../src/platform/db/database.ts';
import { howToRun, IS_PACKAGE } from '../src/platform/files.ts';
import { StartError } from '../src/platform/start-error.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { runOnMigrated } from './run.ts';

const [product, extra] = takePositionals();
const RUN = howToRun('export', ...(IS_PACKAGE ? ['unleash'] : []));

const options = readOptions({
  run: RUN,
  does: `Prints what changed in Halyard since the import from Unleash: the flags that differ from the import, what Unleash cannot import back, and every change to repeat.
With --json, it adds a request body for each changed flag and environment, for POST /api/admin/features-batch/import of Unleash.
Nothing is written.`,
  page: 'docs/how-to/move-from-unleash.md',
  options: {
    json: {
      type: 'boolean',
      default: false,
      meaning: 'Print JSON, with one ready-to-send request body for each flag and environment',
    },
  },
  variables: describeVariables('DATABASE_URL'),
});

if (product !== 'unleash')
  rejectOption(
    RUN,
    product === undefined ? 'Name the product: unleash' : `Unknown product '${product.slice(0, 60)}'`,
  );
if (extra !== undefined) rejectOption(RUN, `Unknown argument '${extra.slice(0, 60)}'`);

const CHANGES: Record<ChangedFlag['change'], string> = {
  created: 'created here',
  changed: 'changed',
  archived: 'archived here',
  deleted: 'deleted here',
};

await runOnMigrated(process.env, async config => {
  const db = openDb({
    url: config.databaseUrl,
    name: 'export',
    poolSize: 1,
    onError: error => console.warn(error.message),
  });
  try {
    if (!(await hasImportedData(db)))
      throw new StartError('Nothing was imported from Unleash into this database.');
    await print(db);
  } finally {
    await db.destroy();
  }
});

async function print(db: Db): Promise<void> {
  const flags = await collect(readChangedFlags(db));
  const changes = await collect(readChangesSinceImport(db, flags));
  const { bodies, byHand } = await planRollback(db, flags, changes);
  if (options.json) {
    const printedFlags = flags.map(({ details: _, ...flag }) => flag);
    console.log(JSON.stringify({ flags: printedFlags, byHand, changes, imports: bodies }, null, 2));
    return;
  }
  console.log(`Flags that differ from the import: ${flags.length}`);
  for (const { name, project, change } of flags)
    console.log(`  ${name}${project === null ? '' : ` in project ${project}`} (${CHANGES[change]})`);
  if (byHand.length > 0) console.log('\nTo repeat by hand, because Unleash cannot import it:');
  for (const { name, environment, reason } of byHand)
    console.log(makePrintable(`  ${name}${environment === null ? '' : ` in ${environment}`}: ${reason}`));
  console.log('\nChanges since the import:');
  for (const { createdAt, text } of changes) console.log(`  ${createdAt} ${text}`);
  if (changes.length === 0) console.log('  none');
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
