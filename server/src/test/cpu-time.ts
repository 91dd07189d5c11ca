import { readFileSync } from 'node:fs';

/** CPU time of this process, all threads, while the work runs. Unlike wall time it does not grow on a busy machine. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Linux reports CPU time to programs in hundredths of a second. */
const MS_PER_TICK = 10;

/** CPU time of another process since its start. */
export function cpuMsOfProcess(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the name of the program, ends with the last parenthesis. Fields 14 and 15 are user and system.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
