import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { SCRATCH_COMMENT } from './scratch.ts';

/** The process id follows, so that a later drill knows whether the folder is still in use. */
export const FOLDER_PREFIX = join(tmpdir(), 'halyard-drill-');
const FOLDER = /^halyard-drill-(\d+)-/;

/** Removes what killed drills left behind, and prints what it removed. */
export async function removeLeftovers(scratchServer: pg.Client): Promise<void> {
  await removeFolders();
  const { rows } = await scratchServer.query<{ name: string }>(
    `select datname as name from pg_database d
     where datname ~ '^halyard_drill_[0-9a-f]{12}$' and starts_with(shobj_description(oid, 'pg_database'), $1)
       and not exists (select from pg_stat_activity a where a.datname = d.datname)`,
    [SCRATCH_COMMENT],
  );
  for (const { name } of rows) {
    await scratchServer.query(`drop database if exists ${name}`).then(
      () => console.log(`Removed the database ${name}, which an interrupted drill left behind.`),
      (error: Error) =>
        console.warn(
          `Cannot remove the database ${name}, which an interrupted drill left behind: ${error.message}. Remove it with: dropdb ${name}`,
        ),
    );
  }
}

async function removeFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = FOLDER.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    // Skips folders of other users.
    if ((await stat(folder).catch(() => undefined))?.uid !== process.getuid?.()) continue;
    await rm(folder, { recursive: true, force: true });
    console.log(`Removed the folder ${folder}, which an interrupted drill left behind.`);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
