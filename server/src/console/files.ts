import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Encoding } from '@halyard/plane/platform/http/output/accept-encoding.ts';
import { locate } from '../platform/files.ts';
import { type StoredFile, toCopy } from '../platform/http/output/stored-file.ts';
import { CONTENT_TYPES } from './content-types.ts';

export const CONSOLE_FOLDER = fileURLToPath(locate('console'));

/** The console's files by path, such as `assets/main-4f9a.js`. If there are none, `problem` says why. */
export type ConsoleFiles = { files: ReadonlyMap<string, StoredFile>; problem?: string };

/** The limits for the folder. The console has about 40 files and 2 MB, so a larger folder cannot be the console. */
const MAX_FILES = 1_000;
const MAX_BYTES = 67_108_864;

const ENCODING_BY_EXTENSION = { '.br': 'br', '.gz': 'gzip' } as const satisfies Record<string, Encoding>;

export const NOT_BUILT: ConsoleFiles = {
  files: new Map(),
  problem: 'The console is not built. Run npm run build and restart the server.',
};

/**
 * Reads the built console into memory. The build has already compressed the files, because that would take seconds at startup. If
 * the console cannot be read, the server starts anyway, because SDKs and the API work without it.
 */
export async function loadConsole(folder = CONSOLE_FOLDER): Promise<ConsoleFiles> {
  const paths = await listFiles(folder);
  if (!paths.includes('index.html')) return NOT_BUILT;
  if (paths.length > MAX_FILES)
    return buildLoadFailure(`${folder} has ${paths.length} files. The limit is ${MAX_FILES}.`);
  const contents = new Map<string, Buffer>();
  let size = 0;
  for (const path of paths) {
    const bytes = await readFile(join(folder, path));
    size += bytes.length;
    if (size > MAX_BYTES) return buildLoadFailure(`${folder} has more than ${MAX_BYTES} bytes.`);
    contents.set(path, bytes);
  }
  const originalPaths = paths.filter(path => !isCompressedCopy(path, contents));
  return { files: new Map(originalPaths.map(path => [path, buildStoredFile(path, contents)])) };
}

const buildLoadFailure = (reason: string): ConsoleFiles => ({
  files: new Map(),
  problem: `The console is not loaded: ${reason} Run npm run build and restart the server.`,
});

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return (
    entries
      .filter(entry => entry.isFile())
      .map(entry => relative(folder, join(entry.parentPath, entry.name)))
      // Pages never request the build's hidden files.
      .filter(path => !path.startsWith('.'))
  );
}

const isCompressedCopy = (path: string, contents: ReadonlyMap<string, Buffer>): boolean =>
  extname(path) in ENCODING_BY_EXTENSION && contents.has(path.slice(0, -extname(path).length));

function buildStoredFile(path: string, contents: ReadonlyMap<string, Buffer>): StoredFile {
  const encoded: StoredFile['encoded'] = {};
  for (const [extension, encoding] of Object.entries(ENCODING_BY_EXTENSION)) {
    const bytes = contents.get(path + extension);
    if (bytes) encoded[encoding] = toCopy(bytes);
  }
  return {
    contentType: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    plain: toCopy(contents.get(path) ?? Buffer.alloc(0)),
    encoded,
  };
}
