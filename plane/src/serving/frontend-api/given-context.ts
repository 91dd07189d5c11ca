import { badData } from '../../platform/errors.ts';
import { type GivenContext, KNOWN_FIELDS } from '../evaluation/context.ts';

export const MAX_QUERY_CHARACTERS = 8_192;
export const MAX_CONTEXT_CHARACTERS = 16_384;
export const MAX_PROPERTIES = 100;
const LONGEST_NAME = 100;
/** Includes fields that are ignored, because looking at 20,000 of them takes 100 ms. */
const MAX_FIELDS = 1_000;

const PROPERTY = /^properties\[(.*)\]$/s;
const KNOWN: ReadonlySet<string> = new Set(KNOWN_FIELDS);
/** The token alone decides the environment. The SDK for JavaScript always sends one. */
const IGNORED = new Set(['environment', 'properties']);

/** The context in a query: `userId=1&properties[country]=DE`. The first value of a repeated parameter counts. */
export function contextInQuery(query: Record<string, unknown>, length: number): GivenContext {
  if (length > MAX_QUERY_CHARACTERS) {
    throw badData([
      {
        message: `The query has ${length.toLocaleString('en')} characters. At most ${MAX_QUERY_CHARACTERS.toLocaleString('en')} are allowed. Send a larger context by POST.`,
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
  return givenContext(fields, properties, '/query');
}

/** The context in a body: `{"context":{"userId":"1","properties":{"country":"DE"}}}`. */
export function contextInBody({ context = {} }: Record<string, unknown>): GivenContext {
  if (!isObject(context)) throw badData([{ message: 'context must be an object', path: '/body/context' }]);
  const { properties = {} } = context;
  rejectManyFields(context, properties);
  return givenContext(
    Object.entries(context),
    isObject(properties) ? Object.entries(properties) : [],
    '/body/context',
  );
}

export function rejectManyFields(...objects: unknown[]): void {
  const fields = objects.reduce<number>((sum, one) => sum + (isObject(one) ? Object.keys(one).length : 0), 0);
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

/** Unknown fields are properties. Strings, numbers and booleans are values; SDKs cannot compare anything else. */
export function givenContext(
  fields: [string, unknown][],
  propertyFields: [string, unknown][],
  path: string,
): GivenContext {
  const known: GivenContext['known'] = {};
  const properties = new Map<string, string>();
  for (const [name, value] of fields) {
    if (IGNORED.has(name) || !isValue(value)) continue;
    if (KNOWN.has(name)) known[name as keyof typeof known] = String(value);
    else properties.set(name, String(value));
  }
  for (const [name, value] of propertyFields) if (isValue(value)) properties.set(name, String(value));
  rejectLarge(Object.values(known), properties, path);
  return { known, properties: Object.fromEntries(properties) };
}

const isValue = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The messages contain neither names nor values from the context, because these can identify a person. */
function rejectLarge(known: string[], properties: Map<string, string>, path: string): void {
  const names = [...properties.keys()];
  const characters = [...known, ...names, ...properties.values()].reduce((sum, one) => sum + one.length, 0);
  const details = [
    ...(properties.size > MAX_PROPERTIES
      ? [`The context has ${properties.size} properties. At most ${MAX_PROPERTIES} are allowed.`]
      : []),
    ...(names.some(name => name.length > LONGEST_NAME)
      ? [`The name of a property has more than ${LONGEST_NAME} characters.`]
      : []),
    ...(characters > MAX_CONTEXT_CHARACTERS
      ? [
          `The context has ${characters.toLocaleString('en')} characters. At most ${MAX_CONTEXT_CHARACTERS.toLocaleString('en')} are allowed.`,
        ]
      : []),
  ];
  if (details.length > 0) throw badData(details.map(message => ({ message, path })));
}
