import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { locate } from '../../platform/files.ts';

/** How Node.js ends when its heap is full, and how Linux kills a process when a container has no memory left. */
const NO_MEMORY: ReadonlySet<string | null> = new Set(['SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGILL', 'SIGKILL']);

/** Runs index-process.ts until it ends. Throws what it reported. Aborting the signal kills it. */
export async function runIndexProcess(
  databaseUrl: string,
  maxHeapMb: number,
  signal: AbortSignal,
): Promise<'done' | 'out of memory'> {
  const child = fork(fileURLToPath(locate('indexProcess')), {
    // A small heap that is collected often and by one thread, because the server may have 256 MB together with this process.
    execArgv: [
      `--max-old-space-size=${maxHeapMb}`,
      '--max-semi-space-size=1',
      '--heap-growing-percent=20',
      '--v8-pool-size=0',
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.send(databaseUrl);
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const ended = Promise.withResolvers<'done' | 'out of memory'>();
  let reported: string | undefined;
  child.on('message', message => {
    reported = String(message);
  });
  child.on('error', ended.reject);
  child.on('exit', (code, killedBy) => {
    if (code === 0) ended.resolve('done');
    else if (NO_MEMORY.has(killedBy) && !signal.aborted) ended.resolve('out of memory');
    else
      ended.reject(
        new Error(reported ?? `The process that indexes events ended with ${killedBy ?? `code ${code}`}`),
      );
  });
  try {
    if (signal.aborted) kill();
    return await ended.promise;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
