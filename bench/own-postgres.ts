import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DEBIAN = '/usr/lib/postgresql';

export type OwnPostgres = {
  url: string;
  port: number;
  /** Stops PostgreSQL with the given mode, waits, and starts it again. */
  restart: (mode: 'fast' | 'immediate', downMs?: number) => Promise<void>;
  remove: () => void;
};

/** Returns the program folder of the newest PostgreSQL version that is installed from Debian's packages. */
export function findNewestPrograms(): string {
  const versions = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
  return join(DEBIAN, String(versions[0]), 'bin');
}

/** Starts a PostgreSQL server that a campaign can restart. It runs as `user`, because PostgreSQL refuses to run as root. */
export function startOwnPostgres(programs: string, user: string, settings: string[] = []): OwnPostgres {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-postgres-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  // These ports are below those that the operating system uses for outgoing connections.
  const port = 20_000 + randomInt(10_000);
  const run = (program: string, ...parameters: string[]) =>
    execFileSync('runuser', ['-u', user, '--', join(programs, program), ...parameters], { stdio: 'ignore' });
  const options = ['listen_addresses=127.0.0.1', ...settings].map(setting => `-c ${setting}`).join(' ');
  const start = () => run('pg_ctl', '-D', data, '-w', '-o', `-p ${port} -k ${folder} ${options}`, 'start');
  const stop = (mode: string) => run('pg_ctl', '-D', data, '-m', mode, '-w', 'stop');
  run('initdb', '-D', data, '-U', 'postgres', '--auth=trust');
  start();
  run('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'halyard');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/halyard`,
    port,
    restart: async (mode, downMs = 0) => {
      stop(mode);
      await new Promise(resolve => setTimeout(resolve, downMs));
      start();
    },
    remove: () => {
      stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
