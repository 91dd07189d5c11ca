import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(css|html|js|json|svg|txt|webmanifest)$/;
/** Smaller files fit into one packet anyway. */
const MIN_BYTES = 1_024;

const [brotliAsync, gzipAsync] = [promisify(brotliCompress), promisify(gzip)];

/**
 * Writes the Brotli and gzip copies that the server sends. A build has time for stronger compression than a server at startup.
 */
export const compress = (): Plugin => ({
  name: 'halyard-compress',
  apply: 'build',
  writeBundle: async ({ dir = '' }, bundle) => {
    const paths = Object.keys(bundle).filter(path => COMPRESSIBLE.test(path) && !path.startsWith('.'));
    await Promise.all(paths.map(path => writeCopies(join(dir, path))));
  },
});

async function writeCopies(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${path}.br`, await brotliAsync(bytes, { params }));
  await writeFile(`${path}.gz`, await gzipAsync(bytes, { level: 9 }));
}
