/** JSON as a page shows it, in which `…` matches any part of a string, further fields of an object, or further items of a list. */
export type ShownJson = string | number | boolean | null | ShownJson[] | { [field: string]: ShownJson };

const ELLIPSIS = '…';
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|…|[^\s"{}[\]…]+/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Returns the JSON documents in a string, one after the other. */
export function parseShown(text: string): ShownJson[] {
  const documents: ShownJson[] = [];
  const openBrackets: string[] = [];
  let json = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') openBrackets.push(token);
    if (token === '}' || token === ']') openBrackets.pop();
    json += token !== ELLIPSIS ? token : openBrackets.at(-1) === '{' ? `"${ELLIPSIS}":true` : `"${ELLIPSIS}"`;
    if (openBrackets.length === 0) {
      documents.push(JSON.parse(json));
      json = '';
    }
  }
  return documents;
}

/**
 * Returns the actual output, with the shown value wherever the two match. A comparison with the shown output then fails only where
 * the two really differ. Ids and times always match.
 */
export function alignWith(shown: ShownJson | undefined, actual: ShownJson, field = ''): ShownJson {
  if (typeof shown === 'string' && typeof actual === 'string') {
    return toPattern(shown).test(actual) ? shown : actual;
  }
  if (typeof shown === 'number' && typeof actual === 'number')
    return /^id$|Id$|^next$/.test(field) ? shown : actual;
  if (Array.isArray(shown) && Array.isArray(actual)) return alignLists(shown, actual, field);
  if (isObject(shown) && isObject(actual)) {
    const fields =
      ELLIPSIS in shown ? Object.keys(shown).filter(name => name in actual) : Object.keys(actual);
    const alignedEntries = fields.map(name => [
      name,
      alignWith(shown[name], actual[name] as ShownJson, name),
    ]);
    return { ...Object.fromEntries(alignedEntries), ...(ELLIPSIS in shown ? { [ELLIPSIS]: true } : {}) };
  }
  return actual;
}

function alignLists(shown: ShownJson[], actual: ShownJson[], field: string): ShownJson[] {
  const restIndex = shown.indexOf(ELLIPSIS);
  if (restIndex < 0) return actual.map((item, n) => alignWith(shown[n], item, field));
  const tailLength = shown.length - restIndex - 1;
  const head = actual.slice(0, restIndex).map((item, n) => alignWith(shown[n], item, field));
  const tail = tailLength === 0 ? [] : actual.slice(-tailLength);
  return [...head, ELLIPSIS, ...tail.map((item, n) => alignWith(shown[restIndex + 1 + n], item, field))];
}

const isObject = (value: ShownJson | undefined): value is { [field: string]: ShownJson } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a pattern in which any time matches a time, any id matches an id, and `…` matches anything. */
export function toPattern(shown: string): RegExp {
  const escaped = shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = escaped
    .replace(new RegExp(TIME.source.replace('(?:\\.\\d+)?', '(?:\\\\\\.\\d+)?'), 'g'), TIME.source)
    .replace(UUID, UUID.source)
    .replaceAll(ELLIPSIS, '[^]*');
  return new RegExp(`^${pattern}$`);
}
