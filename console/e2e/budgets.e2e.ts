import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

type Chunk = {
  file: string;
  isEntry?: boolean;
  isDynamicEntry?: boolean;
  imports?: string[];
  css?: string[];
};
const manifest: Record<string, Chunk> = JSON.parse(readFileSync(`${DIST}.vite/manifest.json`, 'utf8'));

const KB = 1_000;
const INITIAL_SCRIPTS = 180 * KB;
const PAGE_SCRIPTS = 60 * KB;
const STYLES = 25 * KB;

/** By file, because many pages share one. */
const sizes = new Map<string, number>();

function sizeOf(files: Iterable<string>): number {
  let sum = 0;
  for (const file of files) {
    const size = sizes.get(file) ?? gzipSync(readFileSync(DIST + file), { level: 9 }).length;
    sizes.set(file, size);
    sum += size;
  }
  return sum;
}

/** The keys of a chunk and of everything that it imports statically. */
function withImports(key: string, found = new Set<string>()): Set<string> {
  if (found.has(key)) return found;
  found.add(key);
  for (const imported of manifest[key]?.imports ?? []) withImports(imported, found);
  return found;
}

const chunksOf = (keys: Iterable<string>): Chunk[] => [...keys].flatMap(key => manifest[key] ?? []);
const scriptsOf = (keys: Iterable<string>) => new Set(chunksOf(keys).map(({ file }) => file));
const stylesOf = (keys: Iterable<string>) => new Set(chunksOf(keys).flatMap(({ css = [] }) => css));

const initial = withImports(Object.keys(manifest).find(key => manifest[key]?.isEntry) ?? '');
const pages = Object.keys(manifest).filter(key => manifest[key]?.isDynamicEntry);

test('the scripts of the first page have at most 180 KB', () => {
  expect(initial.size).toBeGreaterThan(1);
  expect(sizeOf(scriptsOf(initial))).toBeLessThanOrEqual(INITIAL_SCRIPTS);
});

test('the scripts that a page adds have at most 60 KB', () => {
  const found = pages.map(page => {
    const first = scriptsOf(initial);
    return { page, size: sizeOf([...scriptsOf(withImports(page))].filter(file => !first.has(file))) };
  });

  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(({ size }) => size > PAGE_SCRIPTS)).toEqual([]);
});

test('the styles of the first page and of each other page have at most 25 KB', () => {
  const found = ['', ...pages].map(page => {
    const keys = page === '' ? initial : [...initial, ...withImports(page)];
    return { page, size: sizeOf(stylesOf(keys)) };
  });

  expect(found[0]?.size).toBeGreaterThan(KB);
  expect(found.filter(({ size }) => size > STYLES)).toEqual([]);
});
