import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The layers of the plane workspace. All of them are below the server's layers, so nothing in the plane imports the server. */
const PLANE_LAYERS = ['plane/platform', 'plane/serving', 'plane/counting', 'plane/snapshot', 'plane/feed'];

/** The layers of server/src, lowest first. A layer imports itself and the layers before it, including types. */
const SERVER_LAYERS = [
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

const LAYERS: readonly string[] = [...PLANE_LAYERS, ...SERVER_LAYERS];

/** Files directly in server/src (main.ts, server.ts, app.ts, writers.ts). They are above all layers. */
const ENTRY = 'entry files';

const ORDER: readonly string[] = [...LAYERS, ENTRY];

/**
 * One import statement. A path within the server is relative to server/src, and a path within the plane starts with `plane/` instead
 * of plane/src. `values` are the imported names that are not types.
 */
type Import = { from: string; to: string; values: string[] };

/** A source file. `writes` are the functions it exports that write to the database. */
export type Source = { path: string; imports: Import[]; writes: string[] };

const STATIC_IMPORT = /^(?:import|export) (?:(type) )?(?:(\{[^}]*\}|\* as \w+|\*|\w+) from )?'([^']+)'/gm;
const DYNAMIC_IMPORT = /\bimport\('([^']+)'\)/g;

/** A function that writes takes a transaction or the pool. One that only reads takes a `Reader`, or a `Tx` to lock rows. */
const WRITE =
  /^export (?:async function|const) (\w+)(?: = async )?(?:<[^(]*>)?\(\s*(?:\w+|\{[^}]*\}): (?:Tx|Db)\b/gm;
const READ = /^(find|list|count|is|has|read|lock)[A-Z]/;

/** Returns the path of a file in the repository. */
const toRepositoryPath = (path: string): string =>
  /^(plane|edge)\//.test(path) ? path.replace('/', '/src/') : `server/src/${path}`;

/** Reverses `toRepositoryPath`. */
const toModulePath = (path: string): string =>
  /^(plane|edge)\/src\//.test(path) ? path.replace('/src/', '/') : path.replace('server/src/', '');

const PLANE_PACKAGE = '@halyard/plane/';

/** Resolves an import in the file at `path` to a source file or a package. */
function resolveImport(path: string, specifier: string): string {
  if (specifier.startsWith(PLANE_PACKAGE)) return `plane/${specifier.slice(PLANE_PACKAGE.length)}`;
  return specifier.startsWith('.')
    ? toModulePath(posix.join(dirname(toRepositoryPath(path)), specifier))
    : specifier;
}

export function parseSource(path: string, text: string): Source {
  const statements = [
    ...[...text.matchAll(STATIC_IMPORT)].map(([, type, names, to = '']) => ({
      to,
      values: type ? [] : listImportedValues(names),
    })),
    ...[...text.matchAll(DYNAMIC_IMPORT)].map(([, to = '']) => ({ to, values: ['*'] })),
  ];
  return {
    path,
    imports: statements.map(({ to, values }) => ({
      from: path,
      to: resolveImport(path, to),
      values,
    })),
    writes: [...text.matchAll(WRITE)].map(([, name = '']) => name).filter(name => !READ.test(name)),
  };
}

function listImportedValues(names = ''): string[] {
  if (!names.startsWith('{')) return ['*'];
  return names
    .slice(1, -1)
    .split(',')
    .map(name => name.trim().split(' as ')[0] ?? '')
    .filter(name => name !== '' && !name.startsWith('type '));
}

/**
 * Returns every source file of the server, the plane and the edge. Tests and their helpers may import everything, so they are
 * excluded.
 */
export function readSources(): Source[] {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  return ['plane/src', 'edge/src', 'server/src']
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path => `${folder}/${path}`),
    )
    .filter(
      path => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^(server|edge)\/src\/test\//.test(path),
    )
    .sort()
    .map(path => parseSource(toModulePath(path), readFileSync(join(root, path), 'utf8')));
}

const getLayer = (path: string): string =>
  LAYERS.find(layer => path.startsWith(`${layer}/`)) ?? (path.includes('/') ? path : ENTRY);

/** Returns the module of a file. A module is a folder of a layer with everything below it, or a file directly in a layer. */
const getModule = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('plane/') ? 3 : 2)
    .join('/');

/** Returns the folder whose files may call the writes of a store. */
const getOwnerFolder = (store: string): string => `${getModule(dirname(store))}/`;

const isOurs = ({ to }: Import): boolean => to.endsWith('.ts');
const isStore = (path: string): boolean => path.endsWith('/store.ts');

/** A rule returns one line for each violation. */
type Rule = (sources: Source[]) => string[];

const importRule =
  (isViolation: (statement: Import, sources: Source[]) => boolean): Rule =>
  sources =>
    sources
      .flatMap(({ imports }) => imports)
      .filter(statement => isViolation(statement, sources))
      .map(({ from, to }) => `${from} -> ${to}`);

/**
 * Returns the position of a file in the order of the layers. A file of ours outside plane/src and server/src, such as a script, is
 * above everything.
 */
const getRank = (path: string): number => {
  const rank = ORDER.indexOf(getLayer(path));
  return rank < 0 ? ORDER.length : rank;
};

const isInEdge = (path: string): boolean => path.startsWith('edge/');

const upwardImports = importRule(
  statement =>
    isOurs(statement) &&
    !isInEdge(statement.from) &&
    ORDER.indexOf(getLayer(statement.from)) < getRank(statement.to),
);

const cycles: Rule = sources => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of sources.flatMap(({ imports }) => imports.filter(isOurs))) {
    if (getModule(from) !== getModule(to)) {
      edges.set(getModule(from), (edges.get(getModule(from)) ?? new Set()).add(getModule(to)));
    }
  }
  const cyclePaths = [...edges.keys()].flatMap(module => shortestCycle(edges, module));
  return [...new Set(cyclePaths)].sort();
};

/** Returns the shortest cycle through a module, starting with the cycle's alphabetically first module. */
function shortestCycle(edges: Map<string, Set<string>>, start: string): string[] {
  const paths = [[start]];
  const visited = new Set<string>();
  for (const path of paths) {
    for (const next of edges.get(path.at(-1) ?? '') ?? []) {
      if (next === start) {
        const first = path.indexOf([...path].sort()[0] ?? '');
        return [[...path.slice(first), ...path.slice(0, first), path[first]].join(' -> ')];
      }
      if (!visited.has(next)) paths.push([...path, next]);
      visited.add(next);
    }
  }
  return [];
}

const foreignWrites = importRule(
  ({ from, to, values }, sources) =>
    isStore(to) &&
    !from.startsWith(getOwnerFolder(to)) &&
    values.some(
      name => name === '*' || sources.find(({ path }) => path === to)?.writes.includes(name) === true,
    ),
);

const foreignStores = importRule(
  ({ from, to }) => isStore(to) && !isStore(from) && getLayer(from) !== getLayer(to),
);

const httpInStores = importRule(
  ({ from, to }) =>
    isStore(from) &&
    (/^(plane\/)?platform\/http\//.test(to) || to === 'fastify' || to.endsWith('/routes.ts')),
);

/** Packages that only a server with a database needs. */
const DATABASE_PACKAGES = new Set(['pg', 'pg-boss', 'kysely']);

/** An edge is built on the plane and has no database, so not even a type that the plane imports may lead to the database. */
const databaseInPlane: Rule = sources => {
  const imports = new Map(sources.map(source => [source.path, source.imports.map(({ to }) => to)]));
  return sources
    .filter(({ path }) => path.startsWith('plane/'))
    .flatMap(({ path }) => findPathTo(imports, path, to => DATABASE_PACKAGES.has(to)))
    .sort();
};

/** An edge consists of the plane and little else, so it contains no server code, and no package that only a server needs. */
const importsOutsideEdge = importRule(
  ({ from, to }) =>
    isInEdge(from) &&
    (DATABASE_PACKAGES.has(to) || (to.endsWith('.ts') && !isInEdge(to) && !to.startsWith('plane/'))),
);

/** Returns the shortest chain of imports from a file to the target, if there is one. */
function findPathTo(
  imports: Map<string, string[]>,
  start: string,
  isFound: (to: string) => boolean,
): string[] {
  const paths = [[start]];
  const visited = new Set([start]);
  for (const path of paths) {
    for (const next of imports.get(path.at(-1) ?? '') ?? []) {
      if (isFound(next)) return [[...path, next].join(' -> ')];
      if (!visited.has(next)) paths.push([...path, next]);
      visited.add(next);
    }
  }
  return [];
}

export const RULES = {
  'imports run from a higher layer to a lower one': upwardImports,
  'modules do not import each other in a cycle': cycles,
  'a write of a store is imported only inside its module': foreignWrites,
  'only stores import a store in a different layer': foreignStores,
  'a store imports no HTTP': httpInStores,
  'the plane does not depend on the database': databaseInPlane,
  'the edge imports only the plane': importsOutsideEdge,
} satisfies Record<string, Rule>;

/**
 * Formats the layers that each layer imports as a Markdown list. The list has no counts, because they would change with every
 * second commit.
 */
export function formatImportList(sources: Source[]): string {
  const imports = sources.flatMap(source => source.imports.filter(isOurs));
  const importedLayers = (from: string): string[] => {
    const targets = new Set(
      imports.filter(statement => getLayer(statement.from) === from).map(statement => getLayer(statement.to)),
    );
    return LAYERS.filter(layer => layer !== from && targets.has(layer));
  };
  return ORDER.map(from => `- ${from}: ${importedLayers(from).join(', ') || 'none'}`).join('\n');
}

const IMPORT_LIST = /(<!-- imports: npm run architecture -->\n)[\s\S]*?(<!-- \/imports -->)/;

/** Returns the text of ARCHITECTURE.md with the current list of imports. */
export const insertImportList = (text: string, sources: Source[]): string =>
  text.replace(IMPORT_LIST, (_, start, end) => `${start}\n${formatImportList(sources)}\n\n${end}`);

const ENTRY_FILES = ['app.ts', 'main.ts', 'server.ts', 'writers.ts'].flatMap(file => [
  `../${file}`,
  `../../${file}`,
  `../../../${file}`,
]);

/**
 * Formats biome.imports.json, which configures the linter with the rules about single imports, so that editors show violations. The
 * file is generated, because Biome does not merge a rule's options, so every kind of file needs the complete list.
 */
export function formatLintConfig(): string {
  const plane = PLANE_LAYERS.map((layer, index) => {
    const higher = PLANE_LAYERS.slice(index + 1).map(name => `**/${name.replace('plane/', '')}/**`);
    const message = 'plane/ imports only itself and lower layers, no database and nothing from the server.';
    const group = [...higher, '**/server/**', ...DATABASE_PACKAGES];
    return restrict([`${toRepositoryPath(layer)}/**/*.ts`, '!**/*.test.ts'], [{ group, message }]);
  });
  const server = SERVER_LAYERS.flatMap((layer, index) => {
    const direction = {
      group: [...SERVER_LAYERS.slice(index + 1).map(name => `**/${name}/**`), ...ENTRY_FILES],
      message: `${layer}/ imports only itself, plane/ and lower layers: ${SERVER_LAYERS.slice(0, index).join(', ') || 'there are none'}.`,
    };
    const stores = {
      group: SERVER_LAYERS.filter(name => name !== layer).map(name => `**/${name}/**/store.ts`),
      message: 'Only a store imports a store in a different layer. Call a function of its module.',
    };
    const http = {
      group: ['**/platform/http/**', 'fastify', '**/routes.ts'],
      message: 'A store contains SQL and imports no HTTP.',
    };
    const files = `server/src/${layer}/**/*.ts`;
    return [
      restrict([files, '!**/store.ts', '!**/*.test.ts'], [direction, stores]),
      restrict([`server/src/${layer}/**/store.ts`], [direction, http]),
    ];
  });
  return `${JSON.stringify({ overrides: [...plane, ...server] }, undefined, 2)}\n`;
}

const restrict = (includes: string[], patterns: { group: string[]; message: string }[]) => ({
  includes,
  linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } } },
});
