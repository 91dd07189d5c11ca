import { readFile } from 'node:fs/promises';
import pg from 'pg';
import type { App } from '../server/src/platform/http/app.ts';

export type Statement = { text: string; values: unknown[]; name?: string };
export type Recorded = { statements: Statement[]; connection: pg.Client };

/**
 * The statements of one request and their connection, recorded from an application in this process. So the measured SQL is always
 * the SQL of the server.
 */
export async function recordStatements(app: App, address: string, token: string): Promise<Recorded> {
  const statements: Statement[] = [];
  let connection: pg.Client | undefined;
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...call: unknown[]) {
    connection = this;
    // A cursor and a prepared statement are objects that contain the text.
    const { text, values, name } =
      typeof call[0] === 'string' ? { text: call[0], values: call[1] as unknown[] } : (call[0] as Statement);
    // The update of the last use of a token runs once a minute, and no request waits for it.
    if (!text.startsWith('update ')) statements.push({ text, values, ...(name ? { name } : {}) });
    return Reflect.apply(original, this, call);
  } as typeof original;
  try {
    await app.inject({ method: 'GET', url: address, headers: { authorization: token } });
  } finally {
    pg.Client.prototype.query = original;
  }
  if (!connection) throw new Error(`${address} asks nothing of the database`);
  return { statements, connection };
}

export type Times = { http: number[]; bare: number[] };

/** Alternates between both, and alternates which one is first, so that neither always finds a warm cache. */
export async function timeInTurn(
  rounds: number,
  http: () => Promise<void>,
  bare: () => Promise<void>,
): Promise<Times> {
  const times: Times = { http: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    const both = [
      async () => times.http.push(await timed(http)),
      async () => times.bare.push(await timed(bare)),
    ];
    for (const one of round % 2 === 0 ? both : both.toReversed()) await one();
  }
  return times;
}

export async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const both = (times: number[]): string =>
  `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.95).toFixed(1)}`;

export async function runBare(connection: pg.Client, statements: Statement[]): Promise<void> {
  try {
    for (const statement of statements) await connection.query(statement);
  } catch (error) {
    const timedOut = (error as { code?: string }).code === '57014';
    if (!timedOut) throw error;
  }
}

/** The connections that serve requests, without those of the job engine. */
export async function backendsOf(connection: pg.Client): Promise<number[]> {
  const { rows } = await connection.query<{ pid: number }>(`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and application_name <> 'halyard jobs' and pid <> pg_backend_pid()`);
  return rows.map(row => row.pid);
}

const TICK_MS = 10;

export type Cpu = Map<number, number>;

/** CPU ms that each of these processes has used since it started; nothing where there is no /proc. */
export async function readCpu(pids: number[]): Promise<Cpu> {
  const used: Cpu = new Map();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    // The name before them is in brackets and may hold anything.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields) used.set(pid, (Number(fields[11]) + Number(fields[12])) * TICK_MS);
  }
  return used;
}

/** Undefined where there is no /proc. A process that is there after and was not before counts from its start. */
export function cpuBetween(before: Cpu, after: Cpu): number | undefined {
  if (after.size === 0) return undefined;
  let sum = 0;
  for (const [pid, used] of after) sum += used - (before.get(pid) ?? 0);
  return sum;
}
