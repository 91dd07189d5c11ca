import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { makeTurns } from '../../admission/turns.ts';
import { ApiError, badData, MAX_LISTED, type Violation } from '../../errors.ts';
import { ellipsize, truncate } from '../../text.ts';
import type { App } from '../app.ts';
import { contentTypeError } from '../output/error-body.ts';
import { hasControlCharacter, isStorable } from './text.ts';

const MAX_DEPTH = 32;
// Listing 500,000 invalid items of one body took 5 s and a response of 36 MB. Real bodies of 1 MiB have about 40,000.
const MAX_ITEMS_PER_MIB = 50_000;
// JSON.parse took 110 ms of CPU time for 400,000 items; it takes 30 ms for 100,000.
const MAX_ITEMS = 100_000;
const MAX_KEY_LENGTH = 1_000;
const MAX_PATH_LENGTH = 500;
/** Above this size, each parsing step (up to 40 ms) runs in a separate turn of the event loop, one at a time for all callers. */
const LARGE_BODY_CHARACTERS = 262_144;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Parses JSON bodies and rejects all others. Depth is limited before parsing: JSON.parse accepts a million nested arrays (1.7 s,
 * 139 MB), and JSON.stringify then fails. Fastify's parser rejects keys that would change a prototype.
 */
export function installJsonBodies(app: App): void {
  const parser = app.getDefaultJsonParser('error', 'error');
  const runInTurn = makeTurns();
  const parse = (request: FastifyRequest, json: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // The parser calls back synchronously, although its type allows a promise.
      void parser(request, json, (error, value) =>
        error ? reject(badData([{ message: describeJsonProblem(json) }])) : resolve(value),
      );
    });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: string | Buffer) => {
      // Decoding would replace invalid bytes, and two different keys could become one.
      if (Buffer.isBuffer(body) && !isUtf8(body))
        throw badData([{ message: 'The body is not valid UTF-8.' }]);
      const json = String(body);
      // Many clients name a content type on every request, even on a DELETE without a body.
      if (json === '' && request.routeOptions.schema?.body === undefined) return undefined;
      const step = <T>(work: () => T): T | Promise<T> =>
        json.length > LARGE_BODY_CHARACTERS ? runInTurn(request.caller, work) : work();
      const mebibytes = (request.routeOptions.bodyLimit ?? 0) / 2 ** 20;
      const maxItems = Math.min(MAX_ITEMS, MAX_ITEMS_PER_MIB * mebibytes);
      const violation = await step(() => findBoundsViolation(json, maxItems));
      if (violation !== undefined) throw badData([{ message: violation }]);
      const value = await step(() => parse(request, json));
      if (!(await step(() => isClean(value)))) throw await step(() => makeViolationsError(value));
      return value;
    },
  );

  // Fastify does not check the content type of an empty body, so routes that require a body check it here.
  app.addHook('preParsing', async request => {
    const takesBody =
      METHODS_WITH_BODY.has(request.method) && request.routeOptions.schema?.body !== undefined;
    if (takesBody && request.headers['content-type'] === undefined) throw contentTypeError(hasBody(request));
    if (hasBody(request)) rejectEncodings(request);
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

function rejectEncodings({ headers }: FastifyRequest): void {
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset))
    throw unsupported(`The body must be UTF-8. The charset "${truncate(charset, 100)}" is not supported.`);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw unsupported(
      `The body must not be compressed. The Content-Encoding "${truncate(encoding, 100)}" is not supported.`,
    );
  }
}

const unsupported = (message: string): ApiError => new ApiError('ContentTypeerror', message);

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Says why the parser rejected a body. V8 gives the position of some errors. The rest of its message may quote a secret. */
function describeJsonProblem(json: string): string {
  if (json === '') return 'A JSON body is required.';
  try {
    JSON.parse(json);
    return 'The body contains a key that is not allowed: __proto__ or constructor.prototype.';
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(String(error)) ?? [];
    return line === undefined
      ? 'The body is not valid JSON.'
      : `The body is not valid JSON: line ${line}, column ${column}.`;
  }
}

const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map(char => char.charCodeAt(0));
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = ['[', ']', '{', '}'].map(char =>
  char.charCodeAt(0),
);

/** Describes the limit that a body exceeds. Runs before parsing, in one pass and without allocations. */
export function findBoundsViolation(json: string, maxItems: number): string | undefined {
  let depth = 0;
  let itemCount = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const char = json.charCodeAt(index);
    if (inString) {
      if (char === BACKSLASH) index++;
      else if (char === QUOTE) inString = false;
    } else if (char === QUOTE) inString = true;
    else if (char === COMMA) {
      if (++itemCount > maxItems) return `The body has more than ${maxItems} items.`;
    } else if (char === OPEN_LIST || char === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels.`;
    } else if (char === CLOSE_LIST || char === CLOSE_OBJECT) depth--;
  }
  return undefined;
}

const isValidKey = (key: string): boolean =>
  key.length <= MAX_KEY_LENGTH && !hasControlCharacter(key) && key.isWellFormed();

/** Returns whether a value has no violation. The depth of the value is already limited, so recursion is safe. */
function isClean(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (Array.isArray(value)) return value.every(isClean);
  if (typeof value !== 'object' || value === null) return true;
  for (const key in value)
    if (!isValidKey(key) || !isClean((value as Record<string, unknown>)[key])) return false;
  return true;
}

/** Creates an error with the first violations and the total number. 49,000 paths with long keys took 6 MB and 0.3 s. */
function makeViolationsError(value: unknown): ApiError {
  const firstViolations: Violation[] = [];
  for (const violation of violationsIn(value, '/body')) {
    firstViolations.push(violation);
    if (firstViolations.length === MAX_LISTED) break;
  }
  return badData(firstViolations, countViolations(value));
}

function countViolations(value: unknown): number {
  if (typeof value === 'string') return isStorable(value) ? 0 : 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countViolations(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (isValidKey(key) ? countViolations(item) : 1),
    0,
  );
}

/** Shortens the path, because 100 full paths of 32 levels with keys of 1,000 characters took 6 MB together with their messages. */
const childPath = (path: string, part: string | number): string =>
  ellipsize(`${path}/${part}`, MAX_PATH_LENGTH);

/** Yields the violations that `isClean` checks for, with their paths. */
function* violationsIn(value: unknown, path: string): Generator<Violation> {
  if (typeof value === 'string') {
    if (!isStorable(value)) {
      yield {
        message: `${path} contains a character that cannot be stored (NUL or an unpaired surrogate)`,
        path,
      };
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* violationsIn(item, childPath(path, index));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (isValidKey(key)) yield* violationsIn(item, childPath(path, key));
      else if (key.length > MAX_KEY_LENGTH)
        yield { message: `A key has more than ${MAX_KEY_LENGTH} characters`, path };
      else yield { message: 'A key contains a control character', path };
    }
  }
}
