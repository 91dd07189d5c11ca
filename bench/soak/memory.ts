import { residentMb } from '../measure.ts';

const EVERY_MS = 2_000;

export type MemoryWatch = {
  /** Resident megabytes of each process now. */
  now: () => string;
  /** How much more memory the last quarter of the run used than the second quarter: 0.1 is 10 %. */
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
