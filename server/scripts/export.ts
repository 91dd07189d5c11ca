// Prints what changed in Halyard since the import from another product, so that you can go back.

import {
  type ChangedFlag,
  changedFlags,
  changesSince,
  importBodies,
  importedSince,
} from '../src/importing/unleash/changes-here.ts';
import { readOptions, rejectOption, takeWords } from '../src/platform/command-line.ts';
import { type Db, openDb } from '../src/platform/db/database.ts';
import { howToRun, IS_PACKAGE } from '../src/platform/files.ts';
import { StartError } from '../src/platform/start-error.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { runScript } from './run.ts';

const [product, extra] = takeWords();
const RUN = howToRun('export', ...(IS_PACKAGE ? ['unleash'] : []));

const options = readOptions({
  run: RUN,
  does: `Prints what changed here since the import from Unleash: the flags that are not as they were imported, and every change.
With --json, it also prints those flags as bodies for POST /api/admin/features-batch/import of Unleash.
Nothing is written.`,
  options: {
    json: { type: 'boolean', default: false, meaning: 'Print JSON, with the bodies that Unleash can import' },
  },
  variables: describeVariables('DATABASE_URL'),
});

if (product !== 'unleash')
  rejectOption(
    RUN,
    product === undefined ? 'Name the product: unleash' : `Unknown product '${product.slice(0, 60)}'`,
  );
if (extra !== undefined) rejectOption(RUN, `Unknown word '${extra.slice(0, 60)}'`);

const CHANGES: Record<ChangedFlag['change'], string> = {
  created: 'created here',
  changed: 'changed',
  archived: 'archived here',
  deleted: 'deleted here',
};

await runScript(process.env, async config => {
  const db = openDb({
    url: config.databaseUrl,
    name: 'export',
    poolSize: 1,
    onError: error => console.warn(error.message),
  });
  try {
    const since = await importedSince(db);
    if (since === undefined) throw new StartError('Nothing was imported from Unleash into this database.');
    if (options.json) await printJson(db, since);
    else await printLines(db, since);
  } finally {
    await db.destroy();
  }
});

async function printLines(db: Db, since: string): Promise<void> {
  const flags = await collect(changedFlags(db));
  console.log(`Flags that are not as they were imported: ${flags.length}`);
  for (const { name, project, change } of flags)
    console.log(`  ${name}${project === null ? '' : ` in project ${project}`} (${CHANGES[change]})`);
  console.log(`\nChanges since ${since}:`);
  for await (const { createdAt, text } of changesSince(db, since)) console.log(`  ${createdAt} ${text}`);
}

async function printJson(db: Db, since: string): Promise<void> {
  const flags = await collect(changedFlags(db));
  const changes = await collect(changesSince(db, since));
  const imports = await importBodies(db, flags);
  console.log(
    JSON.stringify({ since, flags: flags.map(({ state: _, ...flag }) => flag), changes, imports }, null, 2),
  );
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
