import { type Config, readConfig } from '../src/platform/config.ts';
import { requireMigrated } from '../src/platform/db/migrate.ts';
import { exitWith } from '../src/platform/start-errors.ts';
import { unknownVariables } from '../src/platform/variables.ts';
import { registerWriters } from '../src/record/change-writers.ts';
import { WRITERS } from '../src/writers.ts';
import { printDatabase } from './print-database.ts';

/** Runs a script with the configuration and the warnings of a server, and explains errors as the server does when it starts. */
export async function runScript(
  env: Record<string, string | undefined>,
  work: (config: Config) => Promise<void>,
): Promise<void> {
  process.stdout.on('error', endWithReader);
  registerWriters(WRITERS);
  for (const warning of unknownVariables(env)) console.warn(`Warning: ${warning}`);
  let databaseUrl: string | undefined;
  try {
    const config = readConfig(env);
    // Commands can run for a long time and do not benefit from a connection pooler.
    databaseUrl = config.directUrl;
    printDatabase(databaseUrl);
    await work({ ...config, databaseUrl });
  } catch (error) {
    exitWith(error, databaseUrl);
  }
}

/** Exits as if SIGPIPE had ended the program, because the program that reads the output, such as `head`, may end first. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(141);
}

/** Runs a script that needs all tables of this version. */
export const runOnMigrated: typeof runScript = (env, work) =>
  runScript(env, async config => {
    await requireMigrated(config.databaseUrl);
    await work(config);
  });
