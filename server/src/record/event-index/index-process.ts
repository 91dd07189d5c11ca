// Indexes all complete chunks of the event log, then exits. The server starts this process when a chunk is complete.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { openDb } from '../../platform/db/database.ts';
import { indexNext } from './indexer.ts';
import { deleteOldText } from './text/verify.ts';

// Makes Linux kill this process rather than the server if a container runs out of memory. Other systems have no such file.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => {});

// Exits when the server is gone, because nothing else would stop this process.
process.on('disconnect', () => process.exit(1));
// Signals to the whole process group are ignored here, because the server decides when this process ends.
process.on('SIGTERM', () => {});
process.on('SIGINT', () => {});

const [url] = await once(process, 'message');
const db = openDb({ url, name: 'index', poolSize: 1, onError: () => {} });
try {
  while (await indexNext(db));
  await deleteOldText(db);
  process.exitCode = 0;
} catch (error) {
  process.exitCode = 1;
  const message = error instanceof Error ? error.message : String(error);
  await new Promise(resolve => process.send?.(message, resolve));
}
process.exit();
