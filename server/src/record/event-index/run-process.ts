import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { locate } from '../../platform/files.ts';

/** The signals that end Node.js when its heap is full, or any process when a container runs out of memory. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string | null> = new Set([
  'SIGABRT',
  'SIGTRAP',
  'SIGSEGV',
  'SIGILL',
  'SIGKILL',
]);

/** Runs index-process.ts until the process ends, and throws the error that the process reported. Aborting the signal kills it. */
export async function runIndexProcess(
  databaseUrl: string,
  maxHeapMb: number,
  signal: AbortSignal,
): Promise<'done' | 'out of memory'> {
  const child = fork(fileURLToPath(locate('indexProcess')), {
    // Keeps the heap small and collects it often, on one thread, because the server and this process may have to share 256 MB.
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
  const completion = Promise.withResolvers<'done' | 'out of memory'>();
  let reportedError: string | undefined;
  child.on('message', message => {
    reportedError = String(message);
  });
  child.on('error', completion.reject);
  child.on('exit', (code, killSignal) => {
    if (code === 0) completion.resolve('done');
    else if (OUT_OF_MEMORY_SIGNALS.has(killSignal) && !signal.aborted) completion.resolve('out of memory');
    else
      completion.reject(
        new Error(reportedError ?? `The event indexing process ended with ${killSignal ?? `code ${code}`}`),
      );
  });
  try {
    if (signal.aborted) kill();
    return await completion.promise;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
