import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { download } from '../../scripts/package/download.ts';

const run = promisify(execFile);

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const IMAGE = 'localhost/halyard:test';
/** The base image in the Dockerfile. The tests build an image with this name, because the real one is only in a registry. */
const BASE = 'docker.io/library/node:24-slim';
const DEBIAN_PACKAGES = 'base-files,libc6,libstdc++6,libgcc-s1,dash,coreutils,tzdata,netbase';
const NPM_VERSION = '11.19.1';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Runs Debian's buildah, which keeps all its files in the folder. */
export async function buildah(folder: string, ...args: string[]): Promise<string> {
  const storageOptions = [
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const { stdout } = await run('buildah', [...storageOptions, ...args], { maxBuffer: 100_000_000 });
  return stdout.trim();
}

/** Creates a base image from Debian, Node.js and npm, with the name of the official image. */
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
  // npm in the image needs the certificates that this machine uses to reach the registry.
  if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, join(root, CERTIFICATES));

  const container = await buildah(folder, 'from', 'scratch');
  await buildah(folder, 'add', '--quiet', container, root, '/');
  const env = [`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, 'PATH=/usr/local/bin:/usr/bin:/bin'];
  await buildah(folder, 'config', ...env.flatMap(variable => ['--env', variable]), container);
  await buildah(folder, 'commit', '--quiet', '--rm', container, BASE);
}

/** Copies the files that Git tracks or would track. */
export async function copyContext(targetFolder: string): Promise<void> {
  mkdirSync(targetFolder);
  const copyCommand =
    'git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$1"';
  await run('sh', ['-euc', copyCommand, 'sh', targetFolder], { cwd: ROOT });
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

/** Writes the image as a registry would receive it, with one file per layer. Returns the image's configuration. */
export async function exportImage(folder: string, targetFolder: string): Promise<ImageConfig> {
  await buildah(folder, 'push', '--quiet', '--format', 'v2s2', IMAGE, `dir:${targetFolder}`);
  const { config } = JSON.parse(readFileSync(join(targetFolder, 'manifest.json'), 'utf8'));
  return JSON.parse(readFileSync(join(targetFolder, config.digest.replace('sha256:', '')), 'utf8')).config;
}
