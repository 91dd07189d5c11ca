import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const DEBIAN = '/usr/lib/postgresql';
const USER = 'postgres';
/** The data need not survive a machine crash. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'fsync=off', 'max_wal_senders=4', 'wal_keep_size=256MB'];

/** Whether this machine can run a separate PostgreSQL cluster, which requires Debian's packages and root. */
export const canRunClusters = existsSync(DEBIAN) && process.getuid?.() === 0;

/** A PostgreSQL cluster that a test can stop, promote, and restore to an earlier state. */
export type Cluster = {
  port: number;
  /** The URL of the cluster's database. */
  url: string;
  start: () => Promise<void>;
  stop: (mode: 'fast' | 'immediate') => Promise<void>;
  /** Adds an asynchronous standby that contains everything committed so far. */
  addStandby: (port?: number) => Promise<Cluster>;
  /** Stops receiving from the primary, so that a failover loses everything committed from now on. */
  disconnect: () => Promise<void>;
  promote: () => Promise<void>;
  /** Copies the data folder, as a storage snapshot would, and replaces an earlier copy. The cluster must be stopped. */
  takeSnapshot: () => Promise<void>;
  /** Replaces the data folder with the copy. The cluster must be stopped. */
  restoreSnapshot: () => Promise<void>;
  query: (text: string) => Promise<Record<string, unknown>[]>;
  remove: () => Promise<void>;
};

/** Chooses a port below those that test servers (test/process.ts) and outgoing connections use. */
const chooseRandomPort = () => 10_000 + randomInt(10_000);

export async function createCluster(port = chooseRandomPort()): Promise<Cluster> {
  const cluster = makeClusterIn(makeFolder(), port);
  await cluster.run('initdb', '-D', cluster.data, '-U', 'postgres', '--auth=trust', '--no-sync');
  await cluster.start();
  await cluster.run('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'halyard');
  return cluster;
}

async function runAs(user: string, program: string, parameters: string[]): Promise<void> {
  const child = spawn('runuser', ['-u', user, '--', program, ...parameters], { stdio: 'ignore', cwd: '/' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${parameters.join(' ')} exited with ${code}`);
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-cluster-'));
  chmodSync(folder, 0o777);
  return folder;
}

type RunnableCluster = Cluster & {
  data: string;
  run: (program: string, ...parameters: string[]) => Promise<void>;
};

function makeClusterIn(folder: string, port: number): RunnableCluster {
  const data = join(folder, 'data');
  const snapshot = join(folder, 'snapshot');
  const url = `postgres://postgres@127.0.0.1:${port}/halyard`;
  const versions = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
  const programs = join(DEBIAN, String(versions[0]), 'bin');
  const runAsUser = (program: string, ...parameters: string[]) => runAs(USER, program, parameters);
  const run = (program: string, ...parameters: string[]) => runAsUser(join(programs, program), ...parameters);
  const options = SETTINGS.map(setting => `-c ${setting}`).join(' ');
  const control = (...parameters: string[]) => run('pg_ctl', '-D', data, '-t', '300', '-w', ...parameters);
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    port,
    url,
    data,
    run,
    start: () => control('-o', `-p ${port} -k ${folder} ${options}`, '-l', join(folder, 'log'), 'start'),
    stop: mode => control('-m', mode, 'stop'),
    addStandby: async (standbyPort = chooseRandomPort()) => {
      const standby = makeClusterIn(makeFolder(), standbyPort);
      const from = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
      await run(
        'pg_basebackup',
        '-D',
        standby.data,
        '-d',
        from,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '--no-sync',
      );
      await standby.start();
      const [{ lsn } = {}] = await query('select pg_current_wal_lsn() as lsn');
      const hasReplayed = async () =>
        (await standby.query(`select pg_last_wal_replay_lsn() >= '${lsn}' as done`))[0]?.done === true;
      while (!(await hasReplayed())) await sleep(50);
      return standby;
    },
    disconnect: async () => {
      await query(`alter system set primary_conninfo = ''`);
      await query('select pg_reload_conf()');
      while ((await query('select from pg_stat_wal_receiver')).length > 0) await sleep(50);
    },
    promote: () => control('promote'),
    takeSnapshot: async () => {
      await rm(snapshot, { recursive: true, force: true });
      await runAsUser('cp', '-a', data, snapshot);
    },
    restoreSnapshot: async () => {
      await rm(data, { recursive: true });
      await runAsUser('cp', '-a', snapshot, data);
    },
    query,
    remove: async () => {
      // Stopping fails if the cluster is not running.
      await control('-m', 'immediate', 'stop').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}
