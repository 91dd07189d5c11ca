import { badData } from '../../platform/errors.ts';
import { KNOWN_FIELDS, type RequestContext } from '../evaluation/context.ts';

export const MAX_QUERY_CHARACTERS = 8_192;
export const MAX_CONTEXT_CHARACTERS = 16_384;
export const MAX_PROPERTIES = 100;
const MAX_NAME_LENGTH = 100;
/** Ignored fields count too, because examining 20,000 of them takes 100 ms. */
const MAX_FIELDS = 1_000;

const PROPERTY = /^properties\[(.*)\]$/s;
const KNOWN_NAMES: ReadonlySet<string> = new Set(KNOWN_FIELDS);
/**
 * The JavaScript SDK always sends an environment, which is ignored because the token determines it. `properties` is read
 * separately.
 */
const IGNORED_FIELDS = new Set(['environment', 'properties']);

/** Reads the context from a query: `userId=1&properties[country]=DE`. The first value of a repeated parameter counts. */
export function parseQueryContext(query: Record<string, unknown>, queryLength: number): RequestContext {
  if (queryLength > MAX_QUERY_CHARACTERS) {
    throw badData([
      {
        message: `The query has ${queryLength.toLocaleString('en')} characters. At most ${MAX_QUERY_CHARACTERS.toLocaleString('en')} are allowed. Use POST for larger contexts.`,
        path: '/query',
      },
    ]);
  }
  const fields: [string, unknown][] = [];
  const properties: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const first = Array.isArray(value) ? value[0] : value;
    const [, property] = PROPERTY.exec(name) ?? [];
    if (property === undefined) fields.push([name, first]);
    else properties.push([property, first]);
  }
  return buildRequestContext(fields, properties, '/query');
}

/** Reads the context from a body: `{"context":{"userId":"1","properties":{"country":"DE"}}}`. */
export function parseBodyContext({ context = {} }: Record<string, unknown>): RequestContext {
  if (!isObject(context)) throw badData([{ message: 'context must be an object', path: '/body/context' }]);
  const { properties = {} } = context;
  rejectTooManyFields(context, properties);
  return buildRequestContext(
    Object.entries(context),
    isObject(properties) ? Object.entries(properties) : [],
    '/body/context',
  );
}

export function rejectTooManyFields(...objects: unknown[]): void {
  const fields = objects.reduce<number>(
    (sum, object) => sum + (isObject(object) ? Object.keys(object).length : 0),
    0,
  );
  if (fields <= MAX_FIELDS) return;
  throw badData([
    {
      message: `The context has ${fields} fields. At most ${MAX_FIELDS} are allowed.`,
      path: '/body/context',
    },
  ]);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Treats unknown fields as properties, and ignores values other than strings, numbers and booleans, which SDKs cannot compare. */
export function buildRequestContext(
  fields: [string, unknown][],
  propertyFields: [string, unknown][],
  path: string,
): RequestContext {
  const knownFields: RequestContext['knownFields'] = {};
  const properties = new Map<string, string>();
  for (const [name, value] of fields) {
    if (IGNORED_FIELDS.has(name) || !isComparable(value)) continue;
    if (KNOWN_NAMES.has(name)) knownFields[name as keyof typeof knownFields] = String(value);
    else properties.set(name, String(value));
  }
  for (const [name, value] of propertyFields) if (isComparable(value)) properties.set(name, String(value));
  rejectOversizedContext(Object.values(knownFields), properties, path);
  return { knownFields, properties: Object.fromEntries(properties) };
}

const isComparable = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The messages contain neither names nor values from the context, because these can identify a person. */
function rejectOversizedContext(knownFields: string[], properties: Map<string, string>, path: string): void {
  const names = [...properties.keys()];
  const characters = [...knownFields, ...names, ...properties.values()].reduce(
    (sum, text) => sum + text.length,
    0,
  );
  const details = [
    ...(properties.size > MAX_PROPERTIES
      ? [`The context has ${properties.size} properties. At most ${MAX_PROPERTIES} are allowed.`]
      : []),
    ...(names.some(name => name.length > MAX_NAME_LENGTH)
      ? [`A property name is longer than ${MAX_NAME_LENGTH} characters.`]
      : []),
    ...(characters > MAX_CONTEXT_CHARACTERS
      ? [
          `The context has ${characters.toLocaleString('en')} characters. At most ${MAX_CONTEXT_CHARACTERS.toLocaleString('en')} are allowed.`,
        ]
      : []),
  ];
  if (details.length > 0) throw badData(details.map(message => ({ message, path })));
}
