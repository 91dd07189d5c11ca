import { existsSync, readFileSync } from 'node:fs';

const EVERY_MS = 2_000;

export type MemoryWatch = {
  /** Resident megabytes of each process now. */
  now: () => string;
  /** How much more memory the last quarter of the run used than the second: 0.1 is 10 %. */
  growth: () => number;
};

export function watchMemory(pids: number[]): MemoryWatch {
  const samples: number[][] = [];
  const timer = setInterval(() => samples.push(pids.map(residentMb)), EVERY_MS);
  timer.unref();
  return {
    now: () => `${pids.map(residentMb).join(' + ')} MB`,
    growth: () => {
      clearInterval(timer);
      const quarter = (n: number) =>
        samples.slice(Math.floor((samples.length * n) / 4), Math.floor((samples.length * (n + 1)) / 4));
      return mean(quarter(3)) / mean(quarter(1)) - 1;
    },
  };
}

function mean(samples: number[][]): number {
  return samples.flat().reduce((sum, value) => sum + value, 0) / samples.flat().length;
}

/** Memory of a process. 0 for a process that has ended: the campaign reports that itself. */
export function residentMb(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Math.round(Number(kilobytes ?? 0) / 1_024);
}
