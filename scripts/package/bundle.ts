import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

export type BundleOptions = {
  root: string;
  /** The folder for the chunks. */
  folder: string;
  /** Entry files by the name of their chunk, relative to the root. */
  entries: Record<string, string>;
  /** Whether to write source maps for our files, for all files, or none. Only tests need the source maps of libraries. */
  maps?: 'ours' | 'all' | 'none';
  /** Whether to include modules that are imported on demand, rather than write them as separate chunks. */
  inOneFile?: boolean;
};

/** Not in the bundle, because pg loads its native variant only on request, and the package contains Scalar's script as a file. */
const EXTERNAL_PACKAGES = ['pg-native', '@scalar/fastify-api-reference'];

/** Library source maps would double the size of the package. */
const dropLibraryMaps: Plugin = {
  name: 'halyard-drop-library-maps',
  transform: { filter: { id: /node_modules/ }, handler: code => ({ code, map: { mappings: '' } }) },
};

/**
 * Reduces the mappings to what a stack trace shows: a file and a line. Columns and names would be two thirds of a source map. Also
 * marks the start of each run of lines without a source, which come from libraries. Otherwise Node.js would attribute them to the
 * closest line of ours before them, so a stack frame in pg-boss would name a Halyard file.
 */
export const reduceMappings = (mappings: string): string =>
  encode(
    decode(mappings).map((segments, line, lines): SourceMapSegment[] => {
      if (segments.length === 0) return lines[line - 1]?.length === 0 ? [] : [[0]];
      return segments.filter((segment, n) => !isSameLine(segment, segments[n - 1])).map(dropName);
    }),
  );

const isSameLine = ([, source, line]: SourceMapSegment, other: SourceMapSegment | undefined): boolean =>
  other !== undefined && other[1] === source && other[2] === line;

const dropName = ([column, ...origin]: SourceMapSegment): SourceMapSegment => {
  const [source, line, sourceColumn] = origin;
  return source === undefined || line === undefined || sourceColumn === undefined
    ? [column]
    : [column, source, line, sourceColumn];
};

function reduceMap(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: reduceMappings(map.mappings) }));
}

/** Bundles the entries with all their dependencies. Returns the paths of the modules in the bundle. */
export async function bundle({
  root,
  folder,
  entries,
  maps = 'ours',
  inOneFile = false,
}: BundleOptions): Promise<string[]> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, resolve(root, path)])),
    cwd: root,
    platform: 'node',
    external: EXTERNAL_PACKAGES,
    plugins: maps === 'ours' ? [dropLibraryMaps] : [],
    onLog: (_level, { message }) => {
      throw new Error(`The bundler reports: ${message}`);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    codeSplitting: !inOneFile,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: maps !== 'none',
    // Node.js reads the maps at startup, and maps with sources would take 5 MB more memory.
    sourcemapExcludeSources: true,
    // The package has no sources, so an error names the file's path in the repository.
    sourcemapPathTransform: (source, map) => `../../${relative(root, resolve(map, '..', source))}`,
  });
  await build.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  if (maps === 'ours')
    for (const { fileName, map } of chunks) if (map) reduceMap(join(folder, `${fileName}.map`));
  return [...new Set(chunks.flatMap(({ modules }) => Object.keys(modules)))].toSorted();
}
