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

/** Names the chunk of our modules that the first page does not load, but at least this share of the other pages. */
function sharedByPages(name: string, share: number): (id: string, graph: Graph) => string | null {
  let uses: Map<string, number> | undefined;
  const count = (graph: Graph): Map<string, number> => {
    const first = withImports(`${import.meta.dirname}/src/main.tsx`, graph);
    const entries = new Set([...first].flatMap(id => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []));
    const counts = new Map<string, number>();
    for (const entry of entries)
      for (const id of withImports(entry, graph))
        if (!first.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1 / entries.size);
    return counts;
  };
  return (id, graph) => {
    uses ??= count(graph);
    return id.startsWith(`${import.meta.dirname}/src/`) && (uses.get(id) ?? 0) >= share ? name : null;
  };
}

/** Parts of Mantine that its other parts import although the console has no use for them. The first load would have 4 KB more. */
const LEFT_OUT: Record<string, string> = {
  // The policy forbids style elements, and mantine.gen.css has the variables.
  '/MantineCssVariables/MantineCssVariables.mjs': 'export const MantineCssVariables = () => null;',
  '/Menu/MenuSub/MenuSub.mjs':
    'export const MenuSub = () => { throw new Error("vite.config.ts leaves out Menu.Sub."); };',
};
const leaveOut: Plugin = {
  name: 'leave-out',
  enforce: 'pre',
  load: id => Object.entries(LEFT_OUT).find(([end]) => id.endsWith(end))?.[1],
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [leaveOut, react(), listPackages(), compress()],
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
            // What many pages use is one file, because dozens of small ones compress worse.
            { name: sharedByPages('shared', 0.65), includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
