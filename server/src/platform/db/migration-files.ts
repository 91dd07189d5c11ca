import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { locate } from '../files.ts';

export const MIGRATIONS = locate('migrations');

export type MigrationFile = {
  /** The file name without `.sql`, which is what the database stores. */
  name: string;
  text: string;
  checksum: string;
  /**
   * The checksums of earlier versions of the file, which unreleased versions applied. The file lists them as `-- replaces
   * <checksum>`.
   */
  replacedChecksums: string[];
  /** Runs outside a transaction, statement by statement, and can be resumed. */
  concurrent: boolean;
};

export async function readMigrations(folder: URL): Promise<MigrationFile[]> {
  return await Promise.all(
    (await listNames(folder)).map(async name => {
      const text = await readFile(new URL(`${name}.sql`, folder), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      const replacedChecksums = [...text.matchAll(/^-- replaces ([0-9a-f]{64})$/gm)].map(
        ([, replaced = '']) => replaced,
      );
      return { name, text, checksum, replacedChecksums, concurrent: name.endsWith('.concurrently') };
    }),
  );
}

let ownNames: Promise<string[]> | undefined;

/**
 * Returns the names of this version's migrations. The folder is read once, because readiness probes need the names every few seconds.
 */
export function listOwnMigrations(): Promise<string[]> {
  ownNames ??= listNames(MIGRATIONS);
  return ownNames;
}

async function listNames(folder: URL): Promise<string[]> {
  const files = (await readdir(folder)).filter(name => name.endsWith('.sql'));
  return files.map(name => name.replace(/\.sql$/, '')).toSorted();
}
