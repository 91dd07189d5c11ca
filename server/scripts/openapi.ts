// Writes openapi.json, which the console and the CLI are built from, and the page that lists its operations.
import { writeFile } from 'node:fs/promises';
import { readOptions } from '../src/platform/command-line.ts';

readOptions({
  run: 'npm run openapi',
  does: 'Writes openapi.json and docs/reference/operations.md from the server operations. It requires no database.',
});

// Loaded after the options are checked, because the server takes 2 s of CPU time to load.
const { buildApp } = await import('../src/app.ts');
const { readConfig } = await import('../src/platform/config.ts');
const { openDb } = await import('../src/platform/db/database.ts');
const { openApiText } = await import('../src/platform/http/description/openapi.ts');
const { listOperations } = await import('../src/test/operations.ts');
const { formatOperationsPage } = await import('../src/test/operations-page.ts');

// The URL does not matter, because nothing connects to the database.
const db = openDb({
  url: 'postgres://unused/unused',
  poolSize: 1,
  onError: error => console.warn(error.message),
});
const config = readConfig({
  DATABASE_URL: 'postgres://unused/unused',
  LOG_LEVEL: 'silent',
  // Without a key, the server has no feeds for edges, so their operations would be missing.
  HALYARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const app = await buildApp(db, config);
await app.ready();
await writeFile(new URL('../../openapi.json', import.meta.url), openApiText(app));
await writeFile(
  new URL('../../docs/reference/operations.md', import.meta.url),
  formatOperationsPage(listOperations()),
);
await app.close();
await db.destroy();
