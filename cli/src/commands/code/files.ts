import { execFile } from 'node:child_process';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { usageError } from '../../errors.ts';

const MAX_FILES = 100_000;
const MAX_BYTES = 1024 * 1024;
const SKIPPED_FOLDERS = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', 'coverage']);

/**
 * Lists the hand-written files of a folder, which are the files that Git tracks or would add. Without Git, it lists all files that are
 * neither hidden nor build output.
 */
export async function listSourceFiles(folder: string): Promise<string[]> {
  const stats = await stat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) throw usageError(`${JSON.stringify(folder)} is not a folder.`);
  const files = (await listGitFiles(folder)) ?? (await listFilesBelow(folder, folder));
  if (files.length > MAX_FILES)
    throw usageError(
      `${folder} has more than ${MAX_FILES.toLocaleString('en')} files.`,
      'Scan a folder below it.',
    );
  return files;
}

async function listGitFiles(folder: string): Promise<string[] | undefined> {
  // Disables fsmonitor, because a repository's configuration can name a program that Git would run.
  const args = ['-C', folder, '-c', 'core.fsmonitor=false', 'ls-files', '-co', '--exclude-standard', '-z'];
  const result = await promisify(execFile)('git', args, { maxBuffer: 64 * 1024 * 1024 }).catch(
    () => undefined,
  );
  return result?.stdout.split('\0').filter(path => path !== '');
}

async function listFilesBelow(folder: string, root: string, paths: string[] = []): Promise<string[]> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name) || paths.length > MAX_FILES) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await listFilesBelow(path, root, paths);
    else if (entry.isFile()) paths.push(relative(root, path));
  }
  return paths;
}

/** Reads the text of a file. Returns undefined if the file is too large, is binary, is not a regular file, or has disappeared. */
export async function readText(path: string): Promise<string | undefined> {
  // Reads only regular files, because a link may lead out of the folder, and a device or a pipe has no end.
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile() || stats.size > MAX_BYTES) return undefined;
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes || bytes.subarray(0, 8192).includes(0)) return undefined;
  return bytes.toString('utf8');
}
