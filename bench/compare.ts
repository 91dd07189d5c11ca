import type pg from 'pg';
import { buildApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { type Db, openDb } from '../server/src/platform/db/database.ts';
import type { App } from '../server/src/platform/http/app.ts';
import {
  backendsOf,
  both,
  cpuBetween,
  percentile,
  readCpu,
  recordStatements,
  runBare,
  type Statement,
  timed,
  timeInTurn,
} from './measure.ts';
import { ADMIN_TOKEN, makeViewer, printMachine, type Server, startServer } from './server.ts';

const MAX_ROUNDS = 200;

/** A GET request that is compared with the bare SQL of its statements. */
export type ReadCase = { name: string; address: string; viewer?: true };

export type Measured = {
  /** Median HTTP time divided by the median time of bare SQL. */
  ratio: number;
  /** CPU time of a request, Node and PostgreSQL together. */
  cpuMs: number;
  connection: pg.Client;
  statement: Statement;
};

type Settings<C extends ReadCase> = {
  secondsPerCase: number;
  /** Checks the figures and the plan of a case. The returned text is printed at the end. */
  check: (one: C, measured: Measured) => Promise<string>;
};

/** Measures each case against a server process and prints a table. Returns what the checks returned. */
export async function compareWithBareSql<C extends ReadCase>(
  url: URL,
  cases: C[],
  settings: Settings<C>,
): Promise<string[]> {
  const server = await startServer(url);
  // With one connection, the recorded statements are executed on the connection that prepared them.
  const db = openDb({ url: url.href, poolSize: 1, onError: console.error });
  const app = await buildApp(db, {
    ...readConfig({ DATABASE_URL: url.href, LOG_LEVEL: 'silent', HALYARD_WRITES_PER_MINUTE: '0' }),
    publicUrl: server.url,
  });
  try {
    const viewerToken = await makeViewer(db);
    await printMachine(db);
    console.log(
      '| case | total | kB | HTTP p50 / p95 ms | bare SQL p50 / p95 ms | ratio | CPU ms Node | PostgreSQL | n |',
    );
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
    const texts: string[] = [];
    for (const one of cases) {
      const token = one.viewer ? viewerToken : ADMIN_TOKEN;
      texts.push(await runCase(one, { server, db, app, token }, settings));
    }
    console.log(`\nPeak memory of the server: ${await server.peakMemoryMb()} MB`);
    return texts;
  } finally {
    await app.close();
    await db.destroy();
    await server.stop();
  }
}

export function fail(reason: string): void {
  console.error(reason);
  process.exitCode = 1;
}

type Instance = { server: Server; db: Db; app: App; token: string };

async function runCase<C extends ReadCase>(
  one: C,
  { server, db, app, token }: Instance,
  { secondsPerCase, check }: Settings<C>,
): Promise<string> {
  const { statements, connection } = await recordStatements(app, one.address, token);
  const statement = statements.at(-1);
  if (!statement) throw new Error(`${one.name}: no statement was recorded`);

  // The connection is held while the case runs, because the pool closes idle connections.
  return await db.connection().execute(async () => {
    let response = { total: '', bytes: 0, status: 200 };
    let failed = 0;
    const http = async () => {
      response = await get(server.url + one.address, token);
      if (response.status !== 200) failed++;
    };
    const bare = () => runBare(connection, statements);
    const first = (await timed(http)) + (await timed(bare));
    const rounds = Math.max(3, Math.min(MAX_ROUNDS, Math.floor((secondsPerCase * 1_000) / first)));
    if (rounds > 10) await timeInTurn(10, http, bare);

    failed = 0;
    const node = await readCpu([server.pid]);
    const postgres = await readCpu(await backendsOf(connection));
    const times = await timeInTurn(rounds, http, bare);
    const nodeMs = cpuBetween(node, await readCpu([server.pid]));
    const postgresMs = cpuBetween(postgres, await readCpu(await backendsOf(connection)));

    const ratio = percentile(times.http, 0.5) / percentile(times.bare, 0.5);
    const each = (ms: number | undefined) => (ms === undefined ? '' : (ms / rounds).toFixed(1));
    console.log(
      `| ${one.name} | ${response.total} | ${Math.round(response.bytes / 1_000)} | ${both(times.http)} ` +
        `| ${both(times.bare)} | ${ratio.toFixed(2)} | ${each(nodeMs)} | ${each(postgresMs)} ` +
        `| ${rounds}${failed > 0 ? `, ${failed} failed` : ''} |`,
    );
    const cpuMs = ((nodeMs ?? 0) + (postgresMs ?? 0)) / rounds;
    return await check(one, { ratio, cpuMs, connection, statement });
  });
}

async function get(address: string, token: string) {
  const response = await fetch(address, { headers: { authorization: token } });
  const bytes = await response.arrayBuffer();
  const end = Buffer.from(bytes.slice(-40)).toString();
  const total =
    response.status === 200 ? (/"total":(\d+)/.exec(end)?.[1] ?? '') : `status ${response.status}`;
  return { total, bytes: bytes.byteLength, status: response.status };
}
