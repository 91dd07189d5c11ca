import { chmodSync, cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNewestPrograms, type OwnPostgres, startOwnPostgres } from '../../bench/own-postgres.ts';

/** The user that Debian's packages create to run PostgreSQL, which refuses to run as root. */
export const POSTGRES_USER = 'postgres';

/** Starts a PostgreSQL server from a copy of Debian's files without pg_trgm, as if the package with that extension were missing. */
export function startPostgresWithoutExtension(): OwnPostgres {
  const copy = mkdtempSync(join(tmpdir(), 'halyard-no-extension-'));
  chmodSync(copy, 0o755);
  const version = join(findNewestPrograms(), '..').split('/').at(-1) ?? '';
  for (const folder of ['lib', 'share'])
    cpSync(`/usr/${folder}/postgresql/${version}`, `${copy}/${folder}/postgresql/${version}`, {
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
