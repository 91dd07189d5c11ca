import { chmodSync, cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newestPrograms, type OwnPostgres, startOwnPostgres } from '../../bench/own-postgres.ts';

/** The user of Debian's packages, because PostgreSQL rejects root. */
export const POSTGRES_USER = 'postgres';

/** A PostgreSQL server without the package that has pg_trgm: a copy of Debian's files without that extension. */
export function startPostgresWithoutExtension(): OwnPostgres {
  const copy = mkdtempSync(join(tmpdir(), 'halyard-no-extension-'));
  chmodSync(copy, 0o755);
  const version = join(newestPrograms(), '..').split('/').at(-1) ?? '';
  for (const part of ['lib', 'share'])
    cpSync(`/usr/${part}/postgresql/${version}`, `${copy}/${part}/postgresql/${version}`, {
      recursive: true,
      dereference: true,
    });
  for (const file of globSync(`${copy}/share/postgresql/${version}/extension/pg_trgm*`)) rmSync(file);
  const postgres = startOwnPostgres(`${copy}/lib/postgresql/${version}/bin`, POSTGRES_USER);
  return {
    ...postgres,
    remove: () => {
      postgres.remove();
      rmSync(copy, { recursive: true, force: true });
    },
  };
}
