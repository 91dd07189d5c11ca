import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** Describes the first mismatch between data and a schema as a sentence without a period. Returns undefined if the data matches. */
export function findShapeProblem(data: unknown, schema: TSchema): string | undefined {
  const [problem] = Value.Errors(schema, data);
  if (!problem) return undefined;
  const path = problem.instancePath
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const subject = describePath(data, path);
  return problem.keyword === 'required'
    ? `${subject} has no ${problem.params.requiredProperties.map(name => `"${name}"`).join(' and no ')}`
    : `${subject} ${problem.message}`;
}

const isIndex = (part: string): boolean => /^\d+$/.test(part);

/**
 * Describes `/flags/2/rules/0` as `entry 3 of "flags" ("new-checkout"), in rules[0],`. A path that begins with an index belongs to a
 * file with several documents.
 */
function describePath(data: unknown, path: string[]): string {
  const [first = '', ...rest] = path;
  if (isIndex(first)) {
    const label = `document ${Number(first) + 1}`;
    return rest.length === 0 ? label : `${label}: ${describePath(readPath(data, [first]), rest)}`;
  }
  const position = path.findIndex(isIndex);
  if (position < 0) return path.length === 0 ? 'it' : `"${path.join('.')}"`;
  const entryPath = path.slice(0, position + 1);
  const list = path.slice(0, position).join('.');
  const entry = `entry ${Number(path[position]) + 1} of "${list}"${nameEntry(readPath(data, entryPath))}`;
  const innerPath = path
    .slice(position + 1)
    .reduce(
      (text, part) => (isIndex(part) ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
      '',
    );
  return innerPath === '' ? entry : `${entry}, in ${innerPath},`;
}

const readPath = (data: unknown, path: string[]): unknown =>
  path.reduce((value, part) => (value as Record<string, unknown>)[part], data);

/** Returns the name of an entry in parentheses. The products use different fields for it. */
function nameEntry(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return '';
  const { key, id, name, feature } = entry as Record<string, unknown>;
  const entryName = [key, name, (feature as { name?: unknown } | undefined)?.name, id].find(
    value => typeof value === 'string' && value !== '',
  );
  return entryName === undefined ? '' : ` ("${entryName}")`;
}
