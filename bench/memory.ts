import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from './measure.ts';

const TIMEOUT_MS = 60_000;
const POLL_MS = 100;

export type Memory = { resident: number; inUse: number };

export type MemoryProbe = {
  /** Environment variables for the processes to measure. */
  env: Record<string, string>;
  /** Collects garbage in a process, and returns its resident memory and its memory in use, in MB. */
  measure: (pid: number) => Promise<Memory>;
  remove: () => void;
};

/** Makes Node.js collect garbage on request, so that memory measurements are comparable. */
export function createMemoryProbe(): MemoryProbe {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-memory-'));
  return {
    env: {
      NODE_OPTIONS: `--expose-gc --import=${new URL('collect-garbage.ts', import.meta.url)}`,
      BENCH_MEMORY_FOLDER: folder,
    },
    measure: async pid => {
      const file = join(folder, String(pid));
      rmSync(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += POLL_MS) {
        await sleep(POLL_MS);
        // A busy process responds late, and a file without content is still being written.
        const bytesInUse = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
        if (bytesInUse > 0) return { resident: residentMb(pid), inUse: Math.round(bytesInUse / 2 ** 20) };
      }
      throw new Error(`Process ${pid} did not report its memory within ${TIMEOUT_MS / 1_000} s`);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
