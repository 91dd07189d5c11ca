import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { download } from '../../scripts/package/download.ts';

const run = promisify(execFile);

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const IMAGE = 'localhost/halyard:test';
/** The name of the base in the Dockerfile, which represents an image that only a registry has. */
const BASE = 'docker.io/library/node:24-slim';
const DEBIAN_PACKAGES = 'base-files,libc6,libstdc++6,libgcc-s1,dash,coreutils,tzdata,netbase';
const NPM_VERSION = '11.19.1';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Runs Debian's buildah with all its files in the folder. */
export async function buildah(folder: string, ...args: string[]): Promise<string> {
  const own = [
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const { stdout } = await run('buildah', [...own, ...args], { maxBuffer: 100_000_000 });
  return stdout.trim();
}

/** Creates an image with the name of the official one: Debian, Node.js and npm. */
export async function makeBase(folder: string): Promise<void> {
  const root = join(folder, 'base');
  await run('mmdebstrap', ['--quiet', '--variant=extract', `--include=${DEBIAN_PACKAGES}`, 'bookworm', root]);
  const version = readFileSync(join(ROOT, '.node-version'), 'utf8').trim();
  const node = await download({ name: `node-${process.platform}-${process.arch}`, version }, folder);
  const npm = await download({ name: 'npm', version: NPM_VERSION }, folder);
  const bin = join(root, 'usr/local/bin');
  const modules = join(root, 'usr/local/lib/node_modules');
  for (const path of [bin, modules, join(root, 'etc/ssl/certs')]) mkdirSync(path, { recursive: true });
  copyFileSync(join(node, 'bin/node'), join(bin, 'node'));
  await run('cp', ['-r', npm, join(modules, 'npm')]);
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
  // npm reaches the registry as on this machine.
  if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, join(root, CERTIFICATES));

  const container = await buildah(folder, 'from', 'scratch');
  await buildah(folder, 'add', '--quiet', container, root, '/');
  const env = [`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, 'PATH=/usr/local/bin:/usr/bin:/bin'];
  await buildah(folder, 'config', ...env.flatMap(one => ['--env', one]), container);
  await buildah(folder, 'commit', '--quiet', '--rm', container, BASE);
}

/** The files of the repository known to git, and a developer's files that do not belong in an image. */
export async function copyContext(to: string): Promise<void> {
  mkdirSync(to);
  const listed = 'git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$1"';
  await run('sh', ['-euc', listed, 'sh', to], { cwd: ROOT });
}

/** Builds the image as `docker build` does. */
export const buildImage = (folder: string, context: string): Promise<string> =>
  buildah(
    folder,
    ...['build', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '--tag', IMAGE],
    ...['--build-arg', 'VERSION=1.2.3', '--build-arg', 'REVISION=0123456789abcdef', context],
  );

export type ImageConfig = {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Labels: Record<string, string>;
  StopSignal: string;
  WorkingDir: string;
  Healthcheck: { Test: string[] };
};

/** Writes the image as a registry gets it, one file per layer. Returns its configuration. */
export async function exportImage(folder: string, to: string): Promise<ImageConfig> {
  await buildah(folder, 'push', '--quiet', '--format', 'v2s2', IMAGE, `dir:${to}`);
  const { config } = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'));
  return JSON.parse(readFileSync(join(to, config.digest.replace('sha256:', '')), 'utf8')).config;
}
