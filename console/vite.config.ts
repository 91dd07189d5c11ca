import { DEFAULT_THEME } from '@mantine/core';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compress } from './scripts/compress.ts';
import { listPackages } from './scripts/packages.ts';

/** Paths of the server. In development Vite serves all others. */
const SERVER =
  '^/(api|auth|docs|edge|health|internal-backstage|logout|ready|invite/[^/]+/(validate|signup))(/|\\?|$)';
const part = (name: string, packages: string) => ({ name, test: new RegExp(`node_modules/(${packages})/`) });

type Graph = {
  getModuleInfo: (
    id: string,
  ) => { importedIds: readonly string[]; dynamicallyImportedIds: readonly string[] } | null;
};

/** The module and everything that it imports statically. */
function withImports(id: string, graph: Graph, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) withImports(imported, graph, found);
  return found;
}

const isOurs = (id: string): boolean => id.startsWith(`${import.meta.dirname}/src/`);
const isIcon = (id: string): boolean => id.includes('/lucide-react/dist/esm/icons/');

/** Our modules and icons that the first page does not load, but at least this share of the other pages do. */
function findShared(graph: Graph, share: number): Set<string> {
  const first = withImports(`${import.meta.dirname}/src/main.tsx`, graph);
  const pages = new Set([...first].flatMap(id => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []));
  const uses = new Map<string, number>();
  for (const page of pages)
    for (const id of withImports(page, graph)) if (!first.has(id)) uses.set(id, (uses.get(id) ?? 0) + 1);
  const shared = new Set(
    [...uses].flatMap(([id, count]) =>
      (isOurs(id) && count >= share * pages.size) || (isIcon(id) && count > 1) ? [id] : [],
    ),
  );
  // A module that imports a library stays with it. Otherwise each page would load the library.
  const isLight = (id: string): boolean =>
    (graph.getModuleInfo(id)?.importedIds ?? []).every(
      importedId => first.has(importedId) || shared.has(importedId) || importedId.endsWith('.css'),
    );
  for (let before = -1; before !== shared.size; ) {
    before = shared.size;
    for (const id of shared) if (!isLight(id)) shared.delete(id);
  }
  return shared;
}

/** Names the chunk of what many pages share. */
function sharedByPages(name: string, share: number): (id: string, graph: Graph) => string | null {
  let shared: Set<string> | undefined;
  return (id, graph) => {
    shared ??= findShared(graph, share);
    return shared.has(id) ? name : null;
  };
}

/** The message is the same for all of them, because it is part of the first load. */
const leftOut = (name: string): string =>
  `export const ${name} = () => { throw new Error("vite.config.ts"); };`;

const SCROLL =
  'export const setupScrollRestoration = () => {}; export const storageKey = ""; export const restoreScroll = () => {}; export const getElementScrollRestorationEntry = () => undefined; export const defaultGetScrollRestorationKey = () => "";';

/** Parts of libraries that other libraries import although the console does not use them. They would add 8 KB to the first load. */
const LEFT_OUT: Record<string, string> = {
  // The policy forbids style elements, and mantine.gen.css has the variables.
  '/MantineCssVariables/MantineCssVariables.mjs': 'export const MantineCssVariables = () => null;',
  // theme.ts has the other colors that the console uses.
  '/MantineProvider/default-colors.mjs': `export const DEFAULT_COLORS = { red: ${JSON.stringify(DEFAULT_THEME.colors.red)} };`,
  // Nothing has an arrow without `withArrow`.
  '/FloatingArrow/FloatingArrow.mjs': 'export const FloatingArrow = () => null;',
  '/FloatingArrow/get-arrow-position-styles.mjs': 'export const getArrowMergeDropdownStyles = () => ({});',
  // useScrollRestoration keeps the positions, because pages scroll in separate regions.
  '/router-core/dist/esm/scroll-restoration.js': SCROLL,
  '/Popover/PopoverContextMenu/PopoverContextMenu.mjs': leftOut('PopoverContextMenu'),
};
const unused = new Set(Object.keys(LEFT_OUT));
const leaveOut: Plugin = {
  name: 'leave-out',
  apply: 'build',
  enforce: 'pre',
  load(id) {
    const [end, code] = Object.entries(LEFT_OUT).find(([suffix]) => id.endsWith(suffix)) ?? [];
    if (end !== undefined) unused.delete(end);
    return code;
  },
  // If a library moved a file, it would silently be included as a whole. A missing export fails the build by itself.
  buildEnd(error) {
    if (!error && unused.size > 0)
      this.error(`No module ends with ${[...unused].join(', ')}. Adapt LEFT_OUT in vite.config.ts.`);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [leaveOut, react(), listPackages(), compress()],
  server: { proxy: { [SERVER]: `http://127.0.0.1:${process.env.PORT ?? 4242}` } },
  build: {
    target: 'es2024',
    // The test of the size budgets reads this file.
    manifest: true,
    // The policy allows no data: fonts and styles, and Trusted Types reject the polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Libraries change less often than our code, so browsers keep them across releases.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            part('react', 'react|react-dom|scheduler'),
            part('query', '@tanstack/(query-core|react-query)'),
            part('router', '@tanstack/(router-core|react-router|history|store|react-store)'),
            // What many pages use is in one file, because dozens of small files compress worse.
            { name: sharedByPages('shared', 0.3), includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
