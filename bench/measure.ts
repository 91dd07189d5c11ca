import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

const TICK_MS = 10;
const MAX_TRIES = 5;

export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Memory of a process. 0 for a process that has ended. */
export function residentMb(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Math.round(Number(kilobytes ?? 0) / 1_024);
}

/** CPU time of all threads of a process in microseconds. Linux reports it in nanoseconds here, and elsewhere in 10 ms. */
export async function cpuUsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(
    threads.map(thread => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1_000;
}

/** How long the main thread of a process was ready to run but had no processor. */
export function readWaitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

type Process = { pid: number; parent: number; usedMs: number; childrenMs: number };

async function readProcess(pid: number): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name before the last bracket can contain anything.
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
  /** The CPU time of every running PostgreSQL process. */
  processes: Map<number, number>;
  /** The processes that serve requests. */
  serving: number[];
  /** The CPU time of PostgreSQL processes that have ended, such as parallel workers. */
  ended: number;
};

/** Reads the CPU of the server and of PostgreSQL on this machine, from /proc. */
export async function readCpu(serverPid: number, client: pg.Client): Promise<CpuReading> {
  const { rows } = await client.query<{ pid: number; isOwn: boolean }>(`
    select pid, pid = pg_backend_pid() as "isOwn" from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and application_name <> 'halyard jobs'`);
  const own = rows.find(({ isOwn }) => isOwn)?.pid ?? 0;
  const serving = rows.map(({ pid }) => pid).filter(pid => pid !== own);
  const parent = (await readProcess(own))?.parent ?? 0;
  const server = (await readProcess(serverPid))?.usedMs ?? Number.NaN;
  for (let n = 0; ; n++) {
    const before = await readEnded(parent);
    const processes = await readChildren(parent);
    const ended = await readEnded(parent);
    // Otherwise a process that ended during the reading would count twice.
    if (ended === before || n === MAX_TRIES) return { server, processes, serving, ended };
  }
}

const readEnded = async (parent: number) => (await readProcess(parent))?.childrenMs ?? Number.NaN;

async function readChildren(parent: number): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).map(Number).filter(pid => pid > 0);
  const found = await Promise.all(pids.map(readProcess));
  return new Map(found.flatMap(one => (one?.parent === parent ? [[one.pid, one.usedMs] as const] : [])));
}

/** CPU ms of the server, and of PostgreSQL for its requests with their parallel workers, between two readings. */
export function cpuBetween(before: CpuReading, after: CpuReading): { server: number; postgres: number } {
  let postgres = after.ended - before.ended;
  // A connection that was closed in between counts as an ended process, with all its CPU time.
  for (const [pid, used] of before.processes) if (!after.processes.has(pid)) postgres -= used;
  for (const pid of after.serving) {
    postgres += (after.processes.get(pid) ?? 0) - (before.processes.get(pid) ?? 0);
  }
  return { server: after.server - before.server, postgres };
}
