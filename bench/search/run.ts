import type pg from 'pg';
import { cpuBetween, percentile, readCpu } from '../measure.ts';
import type { Server } from '../server.ts';
import type { Case } from './cases.ts';
import {
  buildCondition,
  buildSearchPath,
  type Caller,
  describeDifference,
  readHttp,
  readPlain,
} from './plain.ts';

const WARM_UP_REQUESTS = 3;
const MIN_ROUNDS = 3;
const MAX_ROUNDS = 300;
const CONCURRENCY = 16;

export type Measurement = {
  total: number;
  p50: number;
  p95: number;
  cpuServer: number;
  cpuPostgres: number;
  rounds: number;
  /** p95 with 16 simultaneous callers. */
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

/** Compares one response with plain SQL, and then measures requests, one at a time, for the given number of seconds. */
export async function runCase(
  benchCase: Case,
  { server, client, caller, seconds }: Setting,
): Promise<Measurement> {
  const expected = await readPlain(
    client,
    benchCase.search,
    buildCondition(benchCase.search, caller.visibility),
  );
  const failure = await readHttp(server.url, benchCase.search, caller).then(
    actual => describeDifference(expected, actual),
    error => (error as Error).message,
  );
  const request = makeRequest(server.url + buildSearchPath(benchCase.search), caller.token);
  const deadline = performance.now() + seconds * 1_000;
  for (let n = 0; n < WARM_UP_REQUESTS && performance.now() < deadline; n++) await request();
  const cpuBefore = await readCpu(server.pid, client);
  const times: number[] = [];
  while (times.length < MIN_ROUNDS || (performance.now() < deadline && times.length < MAX_ROUNDS)) {
    times.push(await request());
  }
  const cpu = cpuBetween(cpuBefore, await readCpu(server.pid, client));
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

/** Measures the p95 latency of 16 callers that send the same request for the given number of seconds. */
export async function runConcurrently(
  benchCase: Case,
  { server, caller, seconds }: Setting,
): Promise<number> {
  const request = makeRequest(server.url + buildSearchPath(benchCase.search), caller.token);
  const deadline = performance.now() + seconds * 1_000;
  const times: number[] = [];
  const send = async () => {
    do times.push(await request());
    while (performance.now() < deadline);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
  return percentile(times, 0.95);
}

const makeRequest = (url: string, token: string) => async (): Promise<number> => {
  const start = performance.now();
  const response = await fetch(url, { headers: { authorization: token } });
  await response.arrayBuffer();
  return performance.now() - start;
};
