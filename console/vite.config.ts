import { DEFAULT_THEME } from '@mantine/core';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compress } from './scripts/compress.ts';
import { listPackages } from './scripts/packages.ts';

/** Paths that the server handles. In development, Vite serves all others. */
const SERVER =
  '^/(api|auth|docs|edge|health|internal-backstage|logout|ready|invite/[^/]+/(validate|signup))(/|\\?|$)';
const vendorGroup = (name: string, packages: string) => ({
  name,
  test: new RegExp(`node_modules/(${packages})/`),
});

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

const isOwnModule = (id: string): boolean => id.startsWith(`${import.meta.dirname}/src/`);
const isIcon = (id: string): boolean => id.includes('/lucide-react/dist/esm/icons/');

/** Our modules that at least this share of the pages use, and icons that several pages use, except those in the first load. */
function findShared(graph: Graph, share: number): Set<string> {
  const first = withImports(`${import.meta.dirname}/src/main.tsx`, graph);
  const pages = new Set([...first].flatMap(id => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []));
  const uses = new Map<string, number>();
  for (const page of pages)
    for (const id of withImports(page, graph)) if (!first.has(id)) uses.set(id, (uses.get(id) ?? 0) + 1);
  const shared = new Set(
    [...uses].flatMap(([id, count]) =>
      (isOwnModule(id) && count >= share * pages.size) || (isIcon(id) && count > 1) ? [id] : [],
    ),
  );
  // A module that imports a library is not shared, because otherwise every page would load the library.
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

/** Puts the modules that many pages share into the chunk with this name. */
function sharedByPages(name: string, share: number): (id: string, graph: Graph) => string | null {
  let shared: Set<string> | undefined;
  return (id, graph) => {
    shared ??= findShared(graph, share);
    return shared.has(id) ? name : null;
  };
}

/** The error message is short, because the stub is part of the first load. */
const renderStub = (name: string): string =>
  `export const ${name} = () => { throw new Error("vite.config.ts"); };`;

const SCROLL =
  'export const setupScrollRestoration = () => {}; export const storageKey = ""; export const restoreScroll = () => {}; export const getElementScrollRestorationEntry = () => undefined; export const defaultGetScrollRestorationKey = () => "";';

/** Parts of libraries that other libraries import although the console does not use them. They would add 8 KB to the first load. */
const STUBS: Record<string, string> = {
  // The content security policy forbids style elements, so mantine.gen.css contains the variables.
  '/MantineCssVariables/MantineCssVariables.mjs': 'export const MantineCssVariables = () => null;',
  // theme.ts has the other colors that the console uses.
  '/MantineProvider/default-colors.mjs': `export const DEFAULT_COLORS = { red: ${JSON.stringify(DEFAULT_THEME.colors.red)} };`,
  // The console never sets `withArrow`.
  '/FloatingArrow/FloatingArrow.mjs': 'export const FloatingArrow = () => null;',
  '/FloatingArrow/get-arrow-position-styles.mjs': 'export const getArrowMergeDropdownStyles = () => ({});',
  // useScrollRestoration replaces the router's version, because pages scroll in separate regions.
  '/router-core/dist/esm/scroll-restoration.js': SCROLL,
  '/Popover/PopoverContextMenu/PopoverContextMenu.mjs': renderStub('PopoverContextMenu'),
};
const unusedStubs = new Set(Object.keys(STUBS));
const stubModules: Plugin = {
  name: 'halyard-stub-modules',
  apply: 'build',
  enforce: 'pre',
  load(id) {
    const [suffix, code] = Object.entries(STUBS).find(([end]) => id.endsWith(end)) ?? [];
    if (suffix !== undefined) unusedStubs.delete(suffix);
    return code;
  },
  // If a library moves a file, its stub no longer applies, and the file would silently be bundled again.
  buildEnd(error) {
    if (!error && unusedStubs.size > 0)
      this.error(`No module ends with ${[...unusedStubs].join(', ')}. Update STUBS in vite.config.ts.`);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [stubModules, react(), listPackages(), compress()],
  server: { proxy: { [SERVER]: `http://127.0.0.1:${process.env.PORT ?? 4242}` } },
  build: {
    target: 'es2024',
    // The size budget test reads the manifest.
    manifest: true,
    // The content security policy allows no fonts or styles in data: URLs, and Trusted Types reject the polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Libraries change less often than our code, so in separate chunks, browsers can cache them across releases.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            vendorGroup('react', 'react|react-dom|scheduler'),
            vendorGroup('query', '@tanstack/(query-core|react-query)'),
            vendorGroup('router', '@tanstack/(router-core|react-router|history|store|react-store)'),
            // Modules that many pages use share one file, because dozens of small files compress worse.
            { name: sharedByPages('shared', 0.3), includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
