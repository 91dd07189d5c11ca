import querystring from 'node:querystring';
import { badData, type Violation } from '../../errors.ts';
import { truncate } from '../../text.ts';
import type { App } from '../app.ts';
import { MAX_FILTER_LENGTH } from './filter.ts';
import { hasControlCharacter, isStorable } from './text.ts';

const MAX_URL_LENGTH = 12_288;
/** The limit of one path parameter. The router enforces it. */
export const MAX_PARAM_LENGTH = 512;

/** Only this many parameters with invalid encoding are reported, because finding them is slow. */
const MAX_REPORTED = 20;

type ParameterSchema = { type?: unknown; enum?: unknown; maxLength?: number };

/** Limits the length of a URL and what its parameters may contain, before anything else reads them. */
export function installInputLimits(app: App): void {
  app.addHook('onRoute', ({ schema }) => {
    limitStrings(schema?.params, MAX_PARAM_LENGTH);
    limitStrings(schema?.querystring, MAX_FILTER_LENGTH);
  });
  app.addHook('onRequest', async request => {
    if (request.url.length > MAX_URL_LENGTH)
      throw badData([{ message: `The URL is longer than ${MAX_URL_LENGTH} characters.` }]);
    const { host } = request.headers;
    if (host === undefined && request.raw.httpVersion === '1.1')
      throw badData([{ message: 'The request has no Host header.' }]);
    const details = [
      ...findEncodingViolations(request.url),
      // The parameters of an unknown path are not checked, so that a browser gets the console's "not found" page.
      ...(request.is404 ? [] : findParamViolations(request.params)),
      ...findQueryViolations(request.query),
    ];
    if (details.length > 0) throw badData(details);
  });
}

/** Gives a parameter without its own limit the default limit, so that the OpenAPI document and the validator have it. */
function limitStrings(schema: unknown, maxLength: number): void {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, ParameterSchema> };
  for (const [name, parameter] of Object.entries(properties)) {
    if (parameter.type !== 'string' || parameter.enum !== undefined || parameter.maxLength !== undefined)
      continue;
    properties[name] = { ...parameter, maxLength };
  }
}

/** Finds invalid bytes in the query, which decoding would replace. The router already rejects them in the path. */
function findEncodingViolations(url: string): Violation[] {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? [];
  // Checks the whole query first, because checking 1,900 parameters one by one took 4 ms.
  if (isDecodable(query)) return [];
  const violations: Violation[] = [];
  for (const part of query.split('&')) {
    if (violations.length === MAX_REPORTED || isDecodable(part)) continue;
    const name = makePrintable(querystring.unescape(part.split('=')[0] ?? ''));
    violations.push({ message: `${name} is not valid UTF-8`, path: `/query/${name}` });
  }
  return violations;
}

/** Whether all escaped bytes are valid UTF-8. A percent sign that escapes nothing counts as text. */
function isDecodable(text: string): boolean {
  // Escaped ASCII is valid.
  if (!/%[89a-f]/i.test(text)) return true;
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '_'));
    return true;
  } catch {
    return false;
  }
}

function findParamViolations(params: unknown): Violation[] {
  return Object.entries((params ?? {}) as Record<string, string>)
    .filter(([, value]) => hasControlCharacter(value) || !isStorable(value))
    .map(([name]) =>
      name === '*'
        ? { message: 'The path must not contain control characters.' }
        : { message: `${name} must not contain control characters`, path: `/params/${name}` },
    );
}

/** Checks names as well, because an operation may read a parameter that the schema does not describe. */
function findQueryViolations(query: unknown): Violation[] {
  return Object.entries((query ?? {}) as Record<string, string | string[]>)
    .filter(([name, value]) => ![name, value].flat().every(isStorable))
    .map(([name]) => {
      const printableName = makePrintable(name);
      return {
        message: `${printableName} must not contain a NUL character or an unpaired surrogate`,
        path: `/query/${printableName}`,
      };
    });
}

const makePrintable = (name: string): string => truncate(name.toWellFormed().replaceAll('\0', '\ufffd'), 100);
