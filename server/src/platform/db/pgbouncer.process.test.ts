import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFailed, test } from 'vitest';
import { findFreePort } from '../../../scripts/demo/free-port.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../test/database.ts';
import { spawnServer, startProcess, stopProcess } from '../../test/process.ts';

const TOKEN = '*:*.an-operator-chose-this-secret-0123456789';
let name: string;
let role: string;
let folder: string;
let direct: URL;
let pooledUrl: URL;
let pooler: ChildProcess;

// The database is created for each attempt, because the test changes the role and creates flags.
beforeEach(async () => {
  name = `halyard_pooled_${randomBytes(4).toString('hex')}`;
  role = `${name}_role`;
  folder = mkdtempSync(join(tmpdir(), 'halyard-pgbouncer-'));
  direct = new URL(getDatabaseUrl(name));
  pooledUrl = new URL(getDatabaseUrl(name));
  await createDatabase(name);
  await runAsAdmin(`create role ${role} login; alter database ${name} owner to ${role}`);
  direct.username = role;
  pooledUrl.username = role;
  pooledUrl.host = `127.0.0.1:${await findFreePort()}`;
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=${direct.hostname} port=${direct.port || 5432} user=${role}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${pooledUrl.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
`,
  );
  // PgBouncer does not run as root.
  chmodSync(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? ['-u', 'nobody'] : [];
  pooler = spawn('pgbouncer', ['-q', ...user, join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
  });
  while (!(await acceptsConnections(Number(pooledUrl.port)))) await sleep(50);
});
afterEach(async () => {
  pooler.kill('SIGKILL');
  await dropDatabase(name);
  await runAsAdmin(`drop role ${role}`);
  rmSync(folder, { recursive: true, force: true });
});

async function runAsAdmin(statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: getDatabaseUrl('postgres') });
  await client.connect();
  await client.query(statements);
  await client.end();
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

test('behind PgBouncer in transaction mode, the server says which settings the role needs, and then works', async () => {
  const env = {
    DATABASE_URL: pooledUrl.href,
    HALYARD_DATABASE_DIRECT_URL: direct.href,
    HALYARD_INIT_ADMIN_TOKENS: TOKEN,
  };
  const { child, output } = spawnServer({ HOST: '127.0.0.1', PORT: '0', ...env });
  const [code] = await once(child, 'exit');

  expect(code).toBe(1);
  const statements = [...output().matchAll(/^ {2}(alter role .*;)$/gm)].map(([, statement]) => statement);
  expect(statements).toContain(`alter role ${role} in database ${name} set statement_timeout = '15s';`);
  for (const statement of statements) await runAsAdmin(statement ?? '');
  // Makes PgBouncer open new connections, as a restart would.
  await runAsAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);

  const server = await startProcess(env);
  onTestFailed(() => void server.process.kill('SIGKILL'));
  const headers = { authorization: TOKEN, 'content-type': 'application/json' };
  const create = (feature: string) =>
    fetch(`${server.url}/api/admin/projects/default/features`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: feature }),
    }).then(response => response.status);
  const statuses: number[] = [];
  // Only three requests run at a time, because a caller that sends more has to wait, which takes too long on a busy machine.
  for (let n = 0; n < 30; n += 3)
    statuses.push(...(await Promise.all([n, n + 1, n + 2].map(k => create(`pooled-${k}`)))));
  const listing = await fetch(`${server.url}/api/admin/projects/default/features`, { headers });

  expect(statuses).toEqual(Array(30).fill(201));
  expect((await listing.json()) as object).toMatchObject({ features: { length: 30 } });
  // The listeners are connected to PostgreSQL itself, because PgBouncer would drop LISTEN with the transaction.
  const listeners = () =>
    Number(
      String(
        execFileSync('psql', [
          ...['--no-psqlrc', '--tuples-only', '--no-align', '--dbname', getDatabaseUrl(name), '--command'],
          `select count(*) from pg_stat_activity where datname = '${name}' and application_name like 'halyard %listener' and query like 'listen%'`,
        ]),
      ),
    );
  await expect.poll(listeners).toBe(2);
  expect(await stopProcess(server)).toMatchObject({ code: 0 });
  expect(server.output()).not.toMatch(/"level":[456]0.*"err"/);
});
