import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { MIGRATIONS } from '../platform/db/migration-files.ts';

/** Creates a folder with the real migrations and, after them, the given files. */
export function makeMigrationFolder(files: Record<string, string>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(MIGRATIONS, folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}
