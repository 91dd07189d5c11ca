import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Loaded into an edge before its own code. On SIGUSR2, it collects garbage and writes the number of bytes still in use to a file.
// Resident memory is a poor measure, because V8 enlarges its young generation while a process is busy and rarely shrinks it.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(join(process.env.HALYARD_DATA_DIR ?? '.', 'memory-in-use'), String(heapUsed + external));
});
