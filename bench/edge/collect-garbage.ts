import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Loaded into an edge before its own code. On SIGUSR2, it collects garbage and writes down how many bytes are in use after that. The
// resident memory says less, because V8 enlarges its young generation while a process is busy and rarely gives that memory back.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(join(process.env.HALYARD_DATA_DIR ?? '.', 'memory-in-use'), String(heapUsed + external));
});
