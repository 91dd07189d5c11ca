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
const MAX_INITIAL_SCRIPTS = 180 * KB;
const MAX_PAGE_SCRIPTS = 60 * KB;
const MAX_STYLES = 25 * KB;

/** Caches the compressed size of each file, because pages share files. */
const sizeByFile = new Map<string, number>();

function computeSize(files: Iterable<string>): number {
  let sum = 0;
  for (const file of files) {
    const size = sizeByFile.get(file) ?? gzipSync(readFileSync(DIST + file), { level: 9 }).length;
    sizeByFile.set(file, size);
    sum += size;
  }
  return sum;
}

/** Collects the keys of a chunk and of everything that it imports statically. */
function collectImports(key: string, keys = new Set<string>()): Set<string> {
  if (keys.has(key)) return keys;
  keys.add(key);
  for (const imported of manifest[key]?.imports ?? []) collectImports(imported, keys);
  return keys;
}

const listChunks = (keys: Iterable<string>): Chunk[] => [...keys].flatMap(key => manifest[key] ?? []);
const listScripts = (keys: Iterable<string>) => new Set(listChunks(keys).map(({ file }) => file));
const listStyles = (keys: Iterable<string>) => new Set(listChunks(keys).flatMap(({ css = [] }) => css));

const initial = collectImports(Object.keys(manifest).find(key => manifest[key]?.isEntry) ?? '');
const pages = Object.keys(manifest).filter(key => manifest[key]?.isDynamicEntry);

test('the initial scripts are at most 180 KB', () => {
  expect(initial.size).toBeGreaterThan(1);
  expect(computeSize(listScripts(initial))).toBeLessThanOrEqual(MAX_INITIAL_SCRIPTS);
});

test('each page adds at most 60 KB of scripts', () => {
  const pageSizes = pages.map(page => {
    const initialScripts = listScripts(initial);
    return {
      page,
      size: computeSize([...listScripts(collectImports(page))].filter(file => !initialScripts.has(file))),
    };
  });

  expect(pageSizes.length).toBeGreaterThan(5);
  expect(pageSizes.filter(({ size }) => size > MAX_PAGE_SCRIPTS)).toEqual([]);
});

test('each page has at most 25 KB of styles, including the initial styles', () => {
  const pageSizes = ['', ...pages].map(page => {
    const keys = page === '' ? initial : [...initial, ...collectImports(page)];
    return { page, size: computeSize(listStyles(keys)) };
  });

  expect(pageSizes[0]?.size).toBeGreaterThan(KB);
  expect(pageSizes.filter(({ size }) => size > MAX_STYLES)).toEqual([]);
});
