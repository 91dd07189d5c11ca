// Writes openapi.json at the root of the repository: the contract that console and cli are built from.
import { writeFile } from 'node:fs/promises';
import { buildApp } from '../src/app.ts';
import { DEFAULT_LIMITS } from '../src/config.ts';
import { openDb } from '../src/db/database.ts';
import { openApiText } from '../src/http/openapi.ts';

// No request is made, so the database is never reached.
const db = openDb({ url: 'postgres://unused', poolSize: 1, onError: error => console.warn(error.message) });
const app = await buildApp(db, {
  publicUrl: 'http://localhost:4242',
  logLevel: 'silent',
  trustedProxies: [],
  limits: DEFAULT_LIMITS,
  secretKey: undefined,
  oldSecretKeys: [],
});
await app.ready();
await writeFile(new URL('../../openapi.json', import.meta.url), openApiText(app));
await app.close();
await db.destroy();
