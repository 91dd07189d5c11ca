import { readOptions, rejectOption } from '../../src/platform/command-line.ts';
import { postgresUrl } from '../../src/platform/config.ts';
import { howToRun } from '../../src/platform/files.ts';
import { describeVariables } from '../../src/platform/variables.ts';

export const PROBLEM_FOUND = 10;

const MAX_JOBS = 64;
const RUN = howToRun('drill');

export type Options = { dump: string; scratch: string; jobs: number; keep: boolean };

/** Reads the options of this process. If one is invalid, exits with 2 before the drill does any work. */
export function readDrillOptions(): Options {
  const { dump, scratch, jobs, keep } = readOptions({
    run: RUN,
    does: `Proves that a backup can be restored. Dumps the database with pg_dump, restores the dump into a scratch database, compares both,
and starts this version on the copy. That server sends no deliveries. Removes the dump and the scratch database afterwards.
Exits with 0 if the backup is usable, with ${PROBLEM_FOUND} if it is not, with 1 if the drill could not run or was stopped, and with 2
for an invalid option.`,
    options: {
      dump: {
        type: 'string',
        default: '',
        meaning: 'Check this dump (custom or directory format) instead of a new one',
      },
      scratch: {
        type: 'string',
        default: '',
        meaning:
          'URL of the PostgreSQL server for the scratch database. Without it: the server in DATABASE_URL',
      },
      jobs: { type: 'string', default: '2', meaning: 'Number of parallel restore connections' },
      keep: { type: 'boolean', default: false, meaning: 'Keep the scratch database and print its name' },
    },
    variables: describeVariables('DATABASE_URL', 'HALYARD_SECRET_KEY', 'HALYARD_OLD_SECRET_KEYS'),
  });
  if (!/^[1-9]\d?$/.test(jobs) || Number(jobs) > MAX_JOBS)
    rejectOption(RUN, `--jobs must be a whole number from 1 to ${MAX_JOBS}, not '${jobs}'`);
  if (scratch !== '') checkUrl(scratch);
  return { dump, scratch, jobs: Number(jobs), keep };
}

function checkUrl(scratch: string): void {
  try {
    postgresUrl(scratch);
  } catch (error) {
    rejectOption(RUN, `--scratch ${(error as Error).message}`);
  }
}
