import { badData, type Violation } from '../errors.ts';
import type { App } from './app.ts';
import { contentType } from './errors.ts';
import { hasControlCharacter } from './text.ts';

const MAX_DEPTH = 32;
// Half a million wrong items in one body cost 5 s and an answer of 36 MB to list; real bodies of 1 MiB have some 40,000.
const MAX_ITEMS_PER_MIB = 50_000;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Bodies are JSON or refused. Depth is bounded before parsing: JSON.parse takes a million nested arrays (1.7 s,
 * 139 MB measured) that JSON.stringify then fails on. Keys that reach for a prototype are refused by Fastify's parser.
 */
export function installJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Many clients name a content type on every request, also on a DELETE without a body.
    if (body === '' && request.routeOptions.schema?.body === undefined) return done(null, undefined);
    const mebibytes = (request.routeOptions.bodyLimit ?? 0) / 2 ** 20;
    const unbounded = boundsViolation(String(body), MAX_ITEMS_PER_MIB * mebibytes);
    if (unbounded !== undefined) return done(badData([{ message: unbounded }]));
    return parse(request, String(body), (error, value) => {
      const found = error ? [] : [...unstorable(value, '/body')];
      return found.length > 0 ? done(badData(found)) : done(error, value);
    });
  });

  // Without a body Fastify asks for no content type; a route that takes one does.
  app.addHook('preParsing', async request => {
    const takesBody =
      METHODS_WITH_BODY.has(request.method) && request.routeOptions.schema?.body !== undefined;
    if (takesBody && request.headers['content-type'] === undefined) throw contentType();
  });
}

/** Says what is too much about a text before it is parsed; one pass, no allocation. */
function boundsViolation(json: string, maxItems: number): string | undefined {
  let depth = 0;
  let items = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === ',') items++;
    else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    if (depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels.`;
    if (items > maxItems) return `The body has more than ${maxItems} items.`;
  }
  return undefined;
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. Depth is bounded by now, so recursion is safe. */
function* unstorable(value: unknown, path: string): Generator<Violation> {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      yield {
        message: `${path} holds a character that cannot be stored (NUL or half a surrogate pair)`,
        path,
      };
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unstorable(item, `${path}/${index}`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (hasControlCharacter(key) || !key.isWellFormed())
        yield { message: 'A key holds a control character', path };
      yield* unstorable(item, `${path}/${key}`);
    }
  }
}
