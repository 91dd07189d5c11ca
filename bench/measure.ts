import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

const TICK_MS = 10;
const MAX_ATTEMPTS = 5;

export function percentile(values: number[], fraction: number): number {
  const sortedValues = values.toSorted((a, b) => a - b);
  return (
    sortedValues[Math.min(sortedValues.length - 1, Math.floor(sortedValues.length * fraction))] ?? Number.NaN
  );
}

/** Reads the resident memory of a process, and returns 0 if the process has ended. */
export function residentMb(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Math.round(Number(kilobytes ?? 0) / 1_024);
}

/** Reads the CPU time of a process in microseconds, from schedstat, because /proc/<pid>/stat counts only in steps of 10 ms. */
export async function readCpuUs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(
    threads.map(thread => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1_000;
}

/** Reads how long the main thread of a process was ready to run but had no processor. */
export function readWaitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

type Process = { pid: number; parent: number; usedMs: number; childrenMs: number };

async function readProcess(pid: number): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The process name before the last parenthesis can contain anything, even spaces and parentheses.
  const fields = stat
    ?.slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (!fields) return undefined;
  const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
    n => fields[n],
  );
  return { pid, parent, usedMs: (user + system) * TICK_MS, childrenMs: (childUser + childSystem) * TICK_MS };
}

export type CpuReading = {
  server: number;
  /** The CPU time of each running PostgreSQL process, by process id. */
  processMs: Map<number, number>;
  /** The processes that serve requests. */
  servingPids: number[];
  /** The CPU time of PostgreSQL processes that have ended, such as parallel workers. */
  endedMs: number;
};

/** Reads the CPU time of the server and of PostgreSQL on this machine from /proc. */
export async function readCpu(serverPid: number, client: pg.Client): Promise<CpuReading> {
  const { rows } = await client.query<{ pid: number; isOwn: boolean }>(`
    select pid, pid = pg_backend_pid() as "isOwn" from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and application_name <> 'halyard jobs'`);
  const ownPid = rows.find(({ isOwn }) => isOwn)?.pid ?? 0;
  const servingPids = rows.map(({ pid }) => pid).filter(pid => pid !== ownPid);
  const parent = (await readProcess(ownPid))?.parent ?? 0;
  const server = (await readProcess(serverPid))?.usedMs ?? Number.NaN;
  for (let n = 0; ; n++) {
    const endedBefore = await readEndedMs(parent);
    const processMs = await readChildMs(parent);
    const endedMs = await readEndedMs(parent);
    // A process that ended while the others were read would count twice, so the reading is repeated.
    if (endedMs === endedBefore || n === MAX_ATTEMPTS) return { server, processMs, servingPids, endedMs };
  }
}

const readEndedMs = async (parent: number) => (await readProcess(parent))?.childrenMs ?? Number.NaN;

async function readChildMs(parent: number): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).map(Number).filter(pid => pid > 0);
  const processes = await Promise.all(pids.map(readProcess));
  return new Map(
    processes.flatMap(processInfo =>
      processInfo?.parent === parent ? [[processInfo.pid, processInfo.usedMs] as const] : [],
    ),
  );
}

/** Returns the CPU time in ms that the server, and PostgreSQL with its parallel workers, used between two readings. */
export function cpuBetween(
  readingBefore: CpuReading,
  readingAfter: CpuReading,
): { server: number; postgres: number } {
  let postgres = readingAfter.endedMs - readingBefore.endedMs;
  // `endedMs` includes all CPU time of a connection that was closed in between, so subtract what it had used before.
  for (const [pid, usedMs] of readingBefore.processMs)
    if (!readingAfter.processMs.has(pid)) postgres -= usedMs;
  for (const pid of readingAfter.servingPids) {
    postgres += (readingAfter.processMs.get(pid) ?? 0) - (readingBefore.processMs.get(pid) ?? 0);
  }
  return { server: readingAfter.server - readingBefore.server, postgres };
}
