// Runs after the manual is built. Writes the hashes of inline scripts for the server's content security policy, and a Brotli copy
// of each file that compression makes smaller.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('../dist/help', import.meta.url));
const COMPRESSIBLE = /\.(css|html|js|json|md|svg|txt)$/;
const MIN_BYTES = 1_024;

const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name));

const hashes = new Set<string>();
for (const path of files.filter(file => file.endsWith('.html'))) {
  for (const [, script = ''] of readFileSync(path, 'utf8').matchAll(
    /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g,
  ))
    hashes.add(createHash('sha256').update(script).digest('base64'));
}
writeFileSync(join(FOLDER, 'inline-scripts.json'), JSON.stringify([...hashes].sort()));

let totalBytes = 0;
for (const path of files) {
  const content = readFileSync(path);
  totalBytes += content.length;
  if (!COMPRESSIBLE.test(path) || content.length < MIN_BYTES) continue;
  const copy = brotliCompressSync(content);
  if (copy.length < content.length) writeFileSync(`${path}.br`, copy);
  else rmSync(`${path}.br`, { force: true });
}
console.log(
  `The manual has ${files.length} files and ${(totalBytes / 1_048_576).toFixed(1)} MiB, with ${hashes.size} inline scripts.`,
);
