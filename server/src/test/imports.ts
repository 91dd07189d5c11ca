import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The wings of the plane workspace. All of them are below the server's wings, so nothing in the plane imports the server. */
const PLANE_WINGS = ['plane/platform', 'plane/serving', 'plane/counting', 'plane/snapshot', 'plane/feed'];

/** The wings of server/src, lowest first. A wing imports itself and the wings before it, including types. */
const SERVER_WINGS = [
  'platform',
  'access',
  'record',
  'people',
  'targeting',
  'flags',
  'publishing',
  'reporting',
  'explaining',
  'delivery',
  'importing',
  'mcp',
  'console',
  'worker',
];

const WINGS: readonly string[] = [...PLANE_WINGS, ...SERVER_WINGS];

/** Files directly in server/src (main.ts, server.ts, app.ts, writers.ts). They are above all wings. */
const ENTRY = 'entry files';

const LAYERS: readonly string[] = [...WINGS, ENTRY];

/**
 * One import statement. A path within the server is relative to server/src, and a path within the plane starts with `plane/` instead of plane/src; `values` are the imported
 * names that are not types.
 */
type Import = { from: string; to: string; values: string[] };

/** A source file. `writes` are the functions it exports that write to the database. */
export type Source = { path: string; imports: Import[]; writes: string[] };

const STATIC = /^(?:import|export) (?:(type) )?(?:(\{[^}]*\}|\* as \w+|\*|\w+) from )?'([^']+)'/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/** A function that writes takes a transaction or the pool. One that only reads takes a `Reader`, or a `Tx` to lock rows. */
const WRITE =
  /^export (?:async function|const) (\w+)(?: = async )?(?:<[^(]*>)?\(\s*(?:\w+|\{[^}]*\}): (?:Tx|Db)\b/gm;
const READ = /^(find|list|count|is|has|read|lock)[A-Z]/;

/** The path in the repository. */
const placeOf = (path: string): string =>
  /^(plane|edge)\//.test(path) ? path.replace('/', '/src/') : `server/src/${path}`;

/** The reverse of `placeOf`. */
const nameOf = (place: string): string =>
  /^(plane|edge)\/src\//.test(place) ? place.replace('/src/', '/') : place.replace('server/src/', '');

export function sourceOf(path: string, text: string): Source {
  const imported = [
    ...[...text.matchAll(STATIC)].map(([, type, names, to = '']) => ({
      to,
      values: type ? [] : valuesIn(names),
    })),
    ...[...text.matchAll(DYNAMIC)].map(([, to = '']) => ({ to, values: ['*'] })),
  ];
  return {
    path,
    imports: imported.map(({ to, values }) => ({
      from: path,
      to: to.startsWith('.') ? nameOf(posix.join(dirname(placeOf(path)), to)) : to,
      values,
    })),
    writes: [...text.matchAll(WRITE)].map(([, name = '']) => name).filter(name => !READ.test(name)),
  };
}

function valuesIn(names = ''): string[] {
  if (!names.startsWith('{')) return ['*'];
  return names
    .slice(1, -1)
    .split(',')
    .map(name => name.trim().split(' as ')[0] ?? '')
    .filter(name => name !== '' && !name.startsWith('type '));
}

/** Every source file of the server, the plane and the edge. Tests and their helpers may import everything, so they are excluded. */
export function readSources(): Source[] {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  return ['plane/src', 'edge/src', 'server/src']
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path => `${folder}/${path}`),
    )
    .filter(
      place =>
        place.endsWith('.ts') && !place.endsWith('.test.ts') && !/^(server|edge)\/src\/test\//.test(place),
    )
    .sort()
    .map(place => sourceOf(nameOf(place), readFileSync(join(root, place), 'utf8')));
}

const wingOf = (path: string): string =>
  WINGS.find(wing => path.startsWith(`${wing}/`)) ?? (path.includes('/') ? path : ENTRY);

/** A module is a folder of a wing with everything below it, or a file directly in a wing. */
const moduleOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('plane/') ? 3 : 2)
    .join('/');

/** The folder whose files may call the writes of a store. */
const ownerOf = (store: string): string => `${moduleOf(dirname(store))}/`;

const isOurs = ({ to }: Import): boolean => to.endsWith('.ts');
const isStore = (path: string): boolean => path.endsWith('/store.ts');

/** A rule returns one line for each violation. */
type Rule = (sources: Source[]) => string[];

const eachImport =
  (isViolation: (one: Import, sources: Source[]) => boolean): Rule =>
  sources =>
    sources
      .flatMap(({ imports }) => imports)
      .filter(one => isViolation(one, sources))
      .map(({ from, to }) => `${from} -> ${to}`);

/** A file of ours outside plane/src and server/src, such as a script, is above everything. */
const layerOf = (path: string): number => {
  const layer = LAYERS.indexOf(wingOf(path));
  return layer < 0 ? LAYERS.length : layer;
};

const isOfEdge = (path: string): boolean => path.startsWith('edge/');

const againstDirection = eachImport(
  one => isOurs(one) && !isOfEdge(one.from) && LAYERS.indexOf(wingOf(one.from)) < layerOf(one.to),
);

const cycles: Rule = sources => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of sources.flatMap(({ imports }) => imports.filter(isOurs))) {
    if (moduleOf(from) !== moduleOf(to)) {
      edges.set(moduleOf(from), (edges.get(moduleOf(from)) ?? new Set()).add(moduleOf(to)));
    }
  }
  const found = [...edges.keys()].flatMap(module => shortestCycle(edges, module));
  return [...new Set(found)].sort();
};

/** The shortest cycle through a module, starting with its alphabetically first module. */
function shortestCycle(edges: Map<string, Set<string>>, start: string): string[] {
  const paths = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of edges.get(path.at(-1) ?? '') ?? []) {
      if (next === start) {
        const first = path.indexOf([...path].sort()[0] ?? '');
        return [[...path.slice(first), ...path.slice(0, first), path[first]].join(' -> ')];
      }
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return [];
}

const foreignWrites = eachImport(
  ({ from, to, values }, sources) =>
    isStore(to) &&
    !from.startsWith(ownerOf(to)) &&
    values.some(
      name => name === '*' || sources.find(({ path }) => path === to)?.writes.includes(name) === true,
    ),
);

const storesOfOtherWings = eachImport(
  ({ from, to }) => isStore(to) && !isStore(from) && wingOf(from) !== wingOf(to),
);

const httpInStores = eachImport(
  ({ from, to }) =>
    isStore(from) &&
    (/^(plane\/)?platform\/http\//.test(to) || to === 'fastify' || to.endsWith('/routes.ts')),
);

/** Packages that only a server with a database needs. */
const DATABASE_PACKAGES = new Set(['pg', 'pg-boss', 'kysely']);

/** An edge process has no database and is built on this workspace, so not even a type may lead to the database. */
const databaseInPlane: Rule = sources => {
  const imports = new Map(sources.map(source => [source.path, source.imports.map(({ to }) => to)]));
  return sources
    .filter(({ path }) => path.startsWith('plane/'))
    .flatMap(({ path }) => pathTo(imports, path, to => DATABASE_PACKAGES.has(to)))
    .sort();
};

/** An edge consists of the plane and little else: it contains no server code, and no package that only a server needs. */
const outsideOfEdge = eachImport(
  ({ from, to }) =>
    isOfEdge(from) &&
    (DATABASE_PACKAGES.has(to) || (to.endsWith('.ts') && !isOfEdge(to) && !to.startsWith('plane/'))),
);

/** The shortest chain of imports from a file to the target, if there is one. */
function pathTo(imports: Map<string, string[]>, start: string, isFound: (to: string) => boolean): string[] {
  const paths = [[start]];
  const seen = new Set([start]);
  for (const path of paths) {
    for (const next of imports.get(path.at(-1) ?? '') ?? []) {
      if (isFound(next)) return [[...path, next].join(' -> ')];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return [];
}

export const RULES = {
  'imports run from a higher wing to a lower one': againstDirection,
  'modules do not import each other in a cycle': cycles,
  'a write of a store is imported only inside its module': foreignWrites,
  'only stores import a store of another wing': storesOfOtherWings,
  'a store imports no HTTP': httpInStores,
  'the plane does not depend on the database': databaseInPlane,
  'the edge imports only the plane': outsideOfEdge,
} satisfies Record<string, Rule>;

/** The wings that each wing imports, as a Markdown list. Without counts, which would change with every other commit. */
export function importList(sources: Source[]): string {
  const imports = sources.flatMap(source => source.imports.filter(isOurs));
  const imported = (from: string): string[] => {
    const targets = new Set(imports.filter(one => wingOf(one.from) === from).map(one => wingOf(one.to)));
    return WINGS.filter(wing => wing !== from && targets.has(wing));
  };
  return LAYERS.map(from => `- ${from}: ${imported(from).join(', ') || 'none'}`).join('\n');
}

const LIST = /(<!-- imports: npm run architecture -->\n)[\s\S]*?(<!-- \/imports -->)/;

/** The text of ARCHITECTURE.md with the list of imports as it is now. */
export const withImportList = (text: string, sources: Source[]): string =>
  text.replace(LIST, (_, start, end) => `${start}\n${importList(sources)}\n\n${end}`);

const ENTRY_FILES = ['app.ts', 'main.ts', 'server.ts', 'writers.ts'].flatMap(file => [
  `../${file}`,
  `../../${file}`,
  `../../../${file}`,
]);

/**
 * biome.imports.json: the rules about a single import as configuration of the linter, so that an editor shows a violation. It is
 * generated because Biome does not combine the options of a rule: every kind of file needs the complete list.
 */
export function lintConfigText(): string {
  const plane = PLANE_WINGS.map((wing, index) => {
    const higher = PLANE_WINGS.slice(index + 1).map(name => `**/${name.replace('plane/', '')}/**`);
    const message = 'plane/ imports only itself and lower wings, no database and nothing from the server.';
    const group = [...higher, '**/server/**', ...DATABASE_PACKAGES];
    return restrict([`${placeOf(wing)}/**/*.ts`, '!**/*.test.ts'], [{ group, message }]);
  });
  const server = SERVER_WINGS.flatMap((wing, index) => {
    const direction = {
      group: [...SERVER_WINGS.slice(index + 1).map(name => `**/${name}/**`), ...ENTRY_FILES],
      message: `${wing}/ imports only itself, plane/ and lower wings: ${SERVER_WINGS.slice(0, index).join(', ') || 'there are none'}.`,
    };
    const stores = {
      group: SERVER_WINGS.filter(name => name !== wing).map(name => `**/${name}/**/store.ts`),
      message: 'Only a store imports a store of another wing. Call a function of its module.',
    };
    const http = {
      group: ['**/platform/http/**', 'fastify', '**/routes.ts'],
      message: 'A store contains SQL and imports no HTTP.',
    };
    const files = `server/src/${wing}/**/*.ts`;
    return [
      restrict([files, '!**/store.ts', '!**/*.test.ts'], [direction, stores]),
      restrict([`server/src/${wing}/**/store.ts`], [direction, http]),
    ];
  });
  return `${JSON.stringify({ overrides: [...plane, ...server] }, undefined, 2)}\n`;
}

const restrict = (includes: string[], patterns: { group: string[]; message: string }[]) => ({
  includes,
  linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } } },
});
