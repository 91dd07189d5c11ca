/** JSON as a page shows it: `…` matches any part of a string, further fields of an object, or further items of a list. */
export type Shown = string | number | boolean | null | Shown[] | { [field: string]: Shown };

const REST = '…';
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|…|[^\s"{}[\]…]+/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The JSON documents in a string, one after the other. */
export function parseShown(text: string): Shown[] {
  const documents: Shown[] = [];
  const open: string[] = [];
  let json = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(token);
    if (token === '}' || token === ']') open.pop();
    json += token !== REST ? token : open.at(-1) === '{' ? `"${REST}":true` : `"${REST}"`;
    if (open.length === 0) {
      documents.push(JSON.parse(json));
      json = '';
    }
  }
  return documents;
}

/**
 * The actual output, with the shown value wherever the two match. A comparison with the shown output then fails only at the
 * places that really differ. Ids and times always match.
 */
export function alignWith(shown: Shown | undefined, actual: Shown, field = ''): Shown {
  if (typeof shown === 'string' && typeof actual === 'string') {
    return patternOf(shown).test(actual) ? shown : actual;
  }
  if (typeof shown === 'number' && typeof actual === 'number')
    return /^id$|Id$|^next$/.test(field) ? shown : actual;
  if (Array.isArray(shown) && Array.isArray(actual)) return alignLists(shown, actual, field);
  if (isObject(shown) && isObject(actual)) {
    const fields = REST in shown ? Object.keys(shown).filter(name => name in actual) : Object.keys(actual);
    const aligned = fields.map(name => [name, alignWith(shown[name], actual[name] as Shown, name)]);
    return { ...Object.fromEntries(aligned), ...(REST in shown ? { [REST]: true } : {}) };
  }
  return actual;
}

function alignLists(shown: Shown[], actual: Shown[], field: string): Shown[] {
  const rest = shown.indexOf(REST);
  if (rest < 0) return actual.map((item, n) => alignWith(shown[n], item, field));
  const last = shown.length - rest - 1;
  const head = actual.slice(0, rest).map((item, n) => alignWith(shown[n], item, field));
  const tail = last === 0 ? [] : actual.slice(-last);
  return [...head, REST, ...tail.map((item, n) => alignWith(shown[rest + 1 + n], item, field))];
}

const isObject = (value: Shown | undefined): value is { [field: string]: Shown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares what a string represents: any time matches a time, any id an id, and anything matches `…`. */
export function patternOf(shown: string): RegExp {
  const escaped = shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = escaped
    .replace(new RegExp(TIME.source.replace('(?:\\.\\d+)?', '(?:\\\\\\.\\d+)?'), 'g'), TIME.source)
    .replace(UUID, UUID.source)
    .replaceAll(REST, '[^]*');
  return new RegExp(`^${pattern}$`);
}
