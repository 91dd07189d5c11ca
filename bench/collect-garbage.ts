import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Loaded into a server or an edge before its own code (see memory.ts). On SIGUSR2, it collects garbage and writes the number of bytes
// still in use to a file. Resident memory alone is a poor measure, because V8 enlarges its young generation while a process is busy
// and rarely shrinks it.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const folder = process.env.BENCH_MEMORY_FOLDER;
  if (folder !== undefined) writeFileSync(join(folder, String(process.pid)), String(heapUsed + external));
});
