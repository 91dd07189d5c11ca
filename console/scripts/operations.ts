// Which operations of the API the console calls, and where. `npm run api-types` writes console/operations.md from it.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LEFT_OUT } from './left-out.ts';

export type Operation = { id: string; method: string; path: string };

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** All operations of openapi.json. */
export const operationsOf = (document: { paths: object }): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { operationId?: string }>).flatMap(
      ([method, { operationId }]) =>
        METHODS.includes(method.toUpperCase()) && operationId !== undefined
          ? [{ id: operationId, method: method.toUpperCase(), path }]
          : [],
    ),
  );

const LITERAL = '(\'[^\'\\n]*\'|"[^"\\n]*"|`[^`]*`|[A-Z][A-Z_]*)';
const CONSTANT = new RegExp(`const (\\w+) =\\s*${LITERAL}(?: as const)?;`, 'g');
const CALL = new RegExp(`api\\s*\\.(${METHODS.join('|')})\\(\\s*(?:${LITERAL}|(\\w+))`, 'g');
const ADDRESS = /["'`](\/(?:api|auth|invite|logout)[^"'`]*)["'`]/g;

/** The calls of a source: `GET /api/admin/user`. A URL that is used in another way, for a link or a stream, is a GET. */
export function callsOf(source: string): Set<string> {
  const constants = new Map<string, string>();
  const textOf = (literal: string): string =>
    /^['"`]/.test(literal)
      ? literal.slice(1, -1).replaceAll(/\$\{(\w+)\}/g, (all, name) => constants.get(name) ?? all)
      : (constants.get(literal) ?? '');
  for (const [, name = '', literal = ''] of source.matchAll(CONSTANT)) constants.set(name, textOf(literal));
  const calls = [...source.matchAll(CALL)].map(
    ([, method, literal, name]) => `${method} ${textOf(literal ?? name ?? '')}`,
  );
  const others = source
    .replaceAll(CONSTANT, '')
    .replaceAll(CALL, '')
    .replaceAll(/`\$\{([A-Z_]+)\}/g, (all, name) => (constants.has(name) ? `\`${constants.get(name)}` : all));
  const addresses = [...others.matchAll(ADDRESS)].map(
    ([, address = '']) => `GET ${address.split(/\$\{|\?/, 1)[0]}`,
  );
  return new Set([...calls, ...addresses]);
}

/** The sources that call each operation, by its id. */
export function callersOf(operations: readonly Operation[]): Map<string, string[]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !/\.(test|gen)\.tsx?$/.test(name))
    .toSorted()
    .map(name => ({ name, calls: callsOf(readFileSync(SOURCES + name, 'utf8')) }));
  return new Map(
    operations.map(({ id, method, path }) => [
      id,
      files.filter(({ calls }) => calls.has(`${method} ${path}`)).map(({ name }) => name),
    ]),
  );
}

/** The page console/operations.md. */
export function writeOperations(document: { paths: object }): string {
  const operations = operationsOf(document);
  const callers = callersOf(operations);
  const rows = operations.map(({ id, method, path }) => {
    const files = callers.get(id) ?? [];
    const where = files.length > 0 ? files.map(name => `\`${name}\``).join(', ') : (LEFT_OUT[id] ?? '');
    return `| \`${id}\` | \`${method} ${path}\` | ${where} |`;
  });
  const called = operations.filter(({ id }) => (callers.get(id) ?? []).length > 0).length;
  return [
    '# Operations in the console',
    '',
    `The console calls ${called} of the ${operations.length} operations in \`openapi.json\`. For each of the others, the table says why it does`,
    'not. `npm run api-types` writes this page from the calls in `console/src` and the reasons in `console/scripts/left-out.ts`.',
    '',
    '| Operation | Route | Called in `console/src`, or why not |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
