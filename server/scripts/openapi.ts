// Writes openapi.json at the root of the repository: the contract that console and cli are built from.
import { writeFile } from 'node:fs/promises';
import { buildApp } from '../src/app.ts';
import { readOptions } from '../src/platform/command-line.ts';
import { readConfig } from '../src/platform/config.ts';
import { openDb } from '../src/platform/db/database.ts';
import { openApiText } from '../src/platform/http/openapi.ts';

readOptions({
  run: 'npm run openapi',
  does: 'Writes openapi.json from the routes of the server. It requires no database.',
});

// No request is made, so the database is never reached.
const db = openDb({
  url: 'postgres://unused/unused',
  poolSize: 1,
  onError: error => console.warn(error.message),
});
const app = await buildApp(db, readConfig({ DATABASE_URL: 'postgres://unused/unused', LOG_LEVEL: 'silent' }));
await app.ready();
await writeFile(new URL('../../openapi.json', import.meta.url), openApiText(app));
await app.close();
await db.destroy();
