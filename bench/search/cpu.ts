import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { backendsOf } from '../measure.ts';

const TICK_MS = 10;
const MAX_TRIES = 5;

type Process = { pid: number; parent: number; usedMs: number; childrenMs: number };

async function readProcess(pid: number): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name before the last bracket may contain anything.
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
  /** CPU of every process of PostgreSQL that is running. */
  processes: Map<number, number>;
  /** Those of them that serve requests. */
  serving: number[];
  /** CPU of the processes of PostgreSQL that have ended, such as parallel workers. */
  ended: number;
};

/** Reads the CPU of the server and of PostgreSQL on this machine, from /proc. */
export async function readCpuOf(serverPid: number, client: pg.Client): Promise<CpuReading> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const parent = (await readProcess(rows[0]?.pid ?? 0))?.parent ?? 0;
  const serving = await backendsOf(client);
  const server = (await readProcess(serverPid))?.usedMs ?? Number.NaN;
  for (let n = 0; ; n++) {
    const before = await readEnded(parent);
    const processes = await readChildren(parent);
    const ended = await readEnded(parent);
    // A process that ended while the others were read would count twice.
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
  // A connection that was closed in between is among the ended processes with all its CPU.
  for (const [pid, used] of before.processes) if (!after.processes.has(pid)) postgres -= used;
  for (const pid of after.serving) {
    postgres += (after.processes.get(pid) ?? 0) - (before.processes.get(pid) ?? 0);
  }
  return { server: after.server - before.server, postgres };
}
