import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle } from '../../scripts/package/bundle.ts';

test('the edge bundle has no database driver, no job engine and no server code', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'halyard-edge-bundle-'));

  const modules = await bundle({ root, folder, entries: { edge: 'edge/src/main.ts' }, maps: 'none' });

  const chunks = globSync('*.js', { cwd: folder }).map(name => ({
    name,
    text: readFileSync(join(folder, name), 'utf8'),
  }));
  rmSync(folder, { recursive: true });
  // The NATS client is in a separate chunk, which only edges with NATS load.
  const natsChunks = chunks.filter(({ text }) => text.includes('class NatsConnectionImpl'));
  expect(natsChunks.map(({ name }) => name)).toEqual([expect.stringMatching(/^nats-/)]);
  expect(chunks.filter(({ text }) => /from ?"\.\/nats-/.test(text))).toEqual([]);
  expect(modules.some(path => path.includes('plane/src/serving'))).toBe(true);
  expect(modules.filter(path => /node_modules\/(pg|pg-boss|kysely)\/|\/server\/src\//.test(path))).toEqual(
    [],
  );
});
