import type pg from 'pg';
import { cpuBetween, percentile, readCpu } from '../measure.ts';
import type { Server } from '../server.ts';
import type { Case } from './cases.ts';
import { type Caller, conditionOf, differenceOf, pathOf, readHttp, readPlain } from './plain.ts';

const WARM_UP = 3;
const MIN_ROUNDS = 3;
const MAX_ROUNDS = 300;
const CONCURRENCY = 16;

export type Measured = {
  total: number;
  p50: number;
  p95: number;
  cpuServer: number;
  cpuPostgres: number;
  rounds: number;
  /** p95 with 16 callers at a time. */
  concurrentP95?: number;
  /** The difference from plain SQL, or the error. */
  failure?: string;
};

export type Setting = {
  server: Server;
  client: pg.Client;
  caller: Caller;
  seconds: number;
};

/** Checks one response against plain SQL, then measures for some seconds, one request after the other. */
export async function runCase(one: Case, { server, client, caller, seconds }: Setting): Promise<Measured> {
  const expected = await readPlain(client, one.search, conditionOf(one.search, caller.visibility));
  const failure = await readHttp(server.url, one.search, caller).then(
    actual => differenceOf(expected, actual),
    error => (error as Error).message,
  );
  const request = sender(server.url + pathOf(one.search), caller.token);
  const end = performance.now() + seconds * 1_000;
  for (let n = 0; n < WARM_UP && performance.now() < end; n++) await request();
  const before = await readCpu(server.pid, client);
  const times: number[] = [];
  while (times.length < MIN_ROUNDS || (performance.now() < end && times.length < MAX_ROUNDS)) {
    times.push(await request());
  }
  const cpu = cpuBetween(before, await readCpu(server.pid, client));
  return {
    total: expected.total,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    cpuServer: cpu.server / times.length,
    cpuPostgres: cpu.postgres / times.length,
    rounds: times.length,
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The p95 of 16 callers that send the same request for some seconds. */
export async function runConcurrently(one: Case, { server, caller, seconds }: Setting): Promise<number> {
  const request = sender(server.url + pathOf(one.search), caller.token);
  const end = performance.now() + seconds * 1_000;
  const times: number[] = [];
  const send = async () => {
    do times.push(await request());
    while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
  return percentile(times, 0.95);
}

const sender = (address: string, token: string) => async (): Promise<number> => {
  const start = performance.now();
  const response = await fetch(address, { headers: { authorization: token } });
  await response.arrayBuffer();
  return performance.now() - start;
};
