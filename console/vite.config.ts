import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compress } from './scripts/compress.ts';
import { listPackages } from './scripts/packages.ts';

/** Paths of the server. In development Vite serves all others. */
const SERVER =
  '^/(api|auth|docs|edge|health|internal-backstage|logout|ready|invite/[^/]+/(validate|signup))(/|\\?|$)';
const part = (name: string, packages: string) => ({ name, test: new RegExp(`node_modules/(${packages})/`) });

type Graph = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null };

/** Names the chunk of modules that the first page does not load. */
function outsideFirstPage(name: string): (id: string, graph: Graph) => string | null {
  const first = new Set<string>();
  const add = (id: string, graph: Graph): void => {
    if (first.has(id)) return;
    first.add(id);
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) add(imported, graph);
  };
  return (id, graph) => {
    if (first.size === 0) add(`${import.meta.dirname}/src/main.tsx`, graph);
    return first.has(id) ? null : name;
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), listPackages(), compress()],
  server: { proxy: { [SERVER]: `http://127.0.0.1:${process.env.PORT ?? 4242}` } },
  build: {
    target: 'es2024',
    // The test of the size budgets reads it.
    manifest: true,
    // The policy allows no data: fonts and styles, and Trusted Types reject the polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Libraries change less often than our code, so browsers keep them over releases.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            part('react', 'react|react-dom|scheduler'),
            part('query', '@tanstack/(query-core|react-query)'),
            part('router', '@tanstack/(router-core|react-router|history|store|react-store)'),
            // What most pages use is one file, because dozens of small ones compress worse.
            { name: outsideFirstPage('shared'), minShareCount: 26, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
