import { execFile } from 'node:child_process';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { wrongUse } from '../../errors.ts';

const MAX_FILES = 100_000;
const MAX_BYTES = 1024 * 1024;
const SKIPPED = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', 'coverage']);

/**
 * The hand-written files of a folder: those that Git tracks or would add. Without Git, all that are neither hidden nor build
 * output.
 */
export async function sourceFiles(folder: string): Promise<string[]> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw wrongUse(`${JSON.stringify(folder)} is not a folder.`);
  const files = (await filesOfGit(folder)) ?? (await filesBelow(folder, folder));
  if (files.length > MAX_FILES)
    throw wrongUse(
      `${folder} has more than ${MAX_FILES.toLocaleString('en')} files.`,
      'Scan a folder below it.',
    );
  return files;
}

async function filesOfGit(folder: string): Promise<string[] | undefined> {
  // A repository's configuration can name an fsmonitor program, and Git would run it.
  const args = ['-C', folder, '-c', 'core.fsmonitor=false', 'ls-files', '-co', '--exclude-standard', '-z'];
  const listed = await promisify(execFile)('git', args, { maxBuffer: 64 * 1024 * 1024 }).catch(
    () => undefined,
  );
  return listed?.stdout.split('\0').filter(path => path !== '');
}

async function filesBelow(folder: string, root: string, found: string[] = []): Promise<string[]> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name) || found.length > MAX_FILES) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await filesBelow(path, root, found);
    else if (entry.isFile()) found.push(relative(root, path));
  }
  return found;
}

/** The text of a file. Undefined if the file is large, binary, a link, or no longer there. */
export async function textOf(path: string): Promise<string | undefined> {
  // A link may lead out of the folder, and a device or a pipe has no end.
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > MAX_BYTES) return undefined;
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes || bytes.subarray(0, 8192).includes(0)) return undefined;
  return bytes.toString('utf8');
}
