// Indexes all complete chunks of the event log, and ends. The server starts it when there is a new one.
import { once } from 'node:events';
import { openDb } from '../../platform/db/database.ts';
import { indexNext } from './indexer.ts';

// Without the server nobody would stop it.
process.on('disconnect', () => process.exit(1));
// A stop of the whole process group is up to the server, which ends this process.
process.on('SIGTERM', () => {});
process.on('SIGINT', () => {});

const [url] = await once(process, 'message');
const db = openDb({ url, name: 'index', poolSize: 1, onError: () => {} });
try {
  while (await indexNext(db));
  process.exitCode = 0;
} catch (error) {
  process.exitCode = 1;
  const message = error instanceof Error ? error.message : String(error);
  await new Promise(resolve => process.send?.(message, resolve));
}
process.exit();
