// Finds where the console calls each API operation. `npm run api-types` writes the result to console/operations.md.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OMISSION_REASONS } from './left-out.ts';

export type Operation = { id: string; method: string; path: string };

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Lists the operations of openapi.json. */
export const listOperations = (document: { paths: object }): Operation[] =>
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
const URL_PATH = /["'`](\/(?:api|auth|invite|logout)[^"'`]*)["'`]/g;

/** Returns the calls in a source, such as `GET /api/admin/user`. URLs outside of calls, such as in links, count as GET. */
export function findCalls(source: string): Set<string> {
  const constants = new Map<string, string>();
  const resolveLiteral = (literal: string): string =>
    /^['"`]/.test(literal)
      ? literal.slice(1, -1).replaceAll(/\$\{(\w+)\}/g, (match, name) => constants.get(name) ?? match)
      : (constants.get(literal) ?? '');
  for (const [, name = '', literal = ''] of source.matchAll(CONSTANT))
    constants.set(name, resolveLiteral(literal));
  const calls = [...source.matchAll(CALL)].map(
    ([, method, literal, name]) => `${method} ${resolveLiteral(literal ?? name ?? '')}`,
  );
  const otherText = source
    .replaceAll(CONSTANT, '')
    .replaceAll(CALL, '')
    .replaceAll(/`\$\{([A-Z_]+)\}/g, (match, name) =>
      constants.has(name) ? `\`${constants.get(name)}` : match,
    );
  const otherCalls = [...otherText.matchAll(URL_PATH)].map(
    ([, path = '']) => `GET ${path.split(/\$\{|\?/, 1)[0]}`,
  );
  return new Set([...calls, ...otherCalls]);
}

/** Returns the sources that call each operation, by operation id. */
export function findCallers(operations: readonly Operation[]): Map<string, string[]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !/\.(test|gen)\.tsx?$/.test(name))
    .toSorted()
    .map(name => ({ name, calls: findCalls(readFileSync(SOURCES + name, 'utf8')) }));
  return new Map(
    operations.map(({ id, method, path }) => [
      id,
      files.filter(({ calls }) => calls.has(`${method} ${path}`)).map(({ name }) => name),
    ]),
  );
}

/** Returns the contents of console/operations.md. */
export function renderOperations(document: { paths: object }): string {
  const operations = listOperations(document);
  const callers = findCallers(operations);
  const rows = operations.map(({ id, method, path }) => {
    const files = callers.get(id) ?? [];
    const sources =
      files.length > 0 ? files.map(name => `\`${name}\``).join(', ') : (OMISSION_REASONS[id] ?? '');
    return `| \`${id}\` | \`${method} ${path}\` | ${sources} |`;
  });
  const calledOperationCount = operations.filter(({ id }) => (callers.get(id) ?? []).length > 0).length;
  return [
    '# Operations in the console',
    '',
    `The console calls ${calledOperationCount} of the ${operations.length} operations in \`openapi.json\`. The table lists the callers of each operation, or why there`,
    'are none. `npm run api-types` writes it from the calls in `console/src` and the reasons in `console/scripts/left-out.ts`.',
    '',
    '| Operation | Route | Called in `console/src`, or why not |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
