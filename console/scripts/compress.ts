import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(css|html|js|json|svg|txt|webmanifest)$/;
/** A smaller file fits into one packet. */
const SMALLEST_BYTES = 1_024;

const [brotli, gz] = [promisify(brotliCompress), promisify(gzip)];

/**
 * Writes a Brotli and a gzip copy of each file, which the server sends. They are smaller than copies that the server could create
 * at startup.
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
  if (bytes.length < SMALLEST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${path}.br`, await brotli(bytes, { params }));
  await writeFile(`${path}.gz`, await gz(bytes, { level: 9 }));
}
