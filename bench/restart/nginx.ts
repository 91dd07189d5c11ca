import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SAMPLE = new URL('../../deploy/nginx/halyard.conf', import.meta.url);

/** Uses nginx's default settings, which are HTTP/1.0 to the servers, a connection per request, and no health checks. */
const defaultSite = (port: number, servers: number[]): string => `
  upstream halyard { ${servers.map(server => `server 127.0.0.1:${server};`).join(' ')} }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://halyard; proxy_buffering off; }
  }`;

/** Uses the documented sample configuration without TLS. */
function sampleSite(port: number, [first = 0, second = 0]: number[]): string {
  return readFileSync(SAMPLE, 'utf8')
    .replace('127.0.0.1:4242', `127.0.0.1:${first}`)
    .replace('127.0.0.1:4243', `127.0.0.1:${second}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/^ *ssl_certificate.*$/gm, '');
}

export const SITES = { default: defaultSite, sample: sampleSite };

/** Starts nginx in front of the servers. The returned function stops it. */
export async function startNginx(
  site: keyof typeof SITES,
  port: number,
  servers: number[],
): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-nginx-'));
  const configuration = join(folder, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  writeFileSync(
    configuration,
    `daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')};
     events { worker_connections 4096; }
     http { access_log off; ${paths} ${SITES[site](port, servers)} }`,
  );
  const child = spawn('nginx', ['-c', configuration], { stdio: ['ignore', 2, 2] });
  // SIGKILL would end only the master process, and the worker would keep the port.
  process.once('exit', () => child.kill('SIGTERM'));
  await sleep(500);
  return async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    console.log(readFileSync(join(folder, 'error.log'), 'utf8').split('\n').slice(-6).join('\n'));
    rmSync(folder, { recursive: true, force: true });
  };
}
