import { expect, test } from 'vitest';
import { listOperations } from '../../../test/operations.ts';

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  propertyNames?: Schema;
};

/**
 * Values that can be any JSON: the value in a JSON Patch operation, whose total size is limited (json-patch.ts), and a flag's
 * default value in an OpenFeature manifest, which is ignored.
 */
const ANY_VALUE = /^PATCH .* body\[\]\.value$|\/openfeature\/v0\/.* body\.defaultValue$/;

/** Yields every path in a schema where a caller could send an unlimited amount of data. */
function* findUnbounded(schema: Schema, path: string): Generator<string> {
  const types = [schema.type ?? []].flat();
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  for (const part of parts) yield* findUnbounded(part, path);
  const isFixed = schema.enum !== undefined || schema.const !== undefined;
  if (types.length === 0 && parts.length === 0 && !isFixed && !ANY_VALUE.test(path)) yield `${path}: no type`;
  if (types.includes('string') && !isFixed && schema.maxLength === undefined && schema.format !== 'uuid')
    yield `${path}: no maxLength`;
  if (types.includes('array')) {
    if (schema.maxItems === undefined) yield `${path}: no maxItems`;
    yield* findUnbounded(schema.items ?? {}, `${path}[]`);
  }
  if (types.includes('object')) yield* findUnboundedInObject(schema, path);
}

/**
 * Yields the unlimited paths in an object. An object with fixed members ignores all others, whose size the parser limits, but an
 * open object needs its own limits.
 */
function* findUnboundedInObject(schema: Schema, path: string): Generator<string> {
  const { properties = {}, additionalProperties: rest } = schema;
  for (const [name, member] of Object.entries(properties)) yield* findUnbounded(member, `${path}.${name}`);
  const isMap = typeof rest === 'object' || (rest !== false && Object.keys(properties).length === 0);
  if (!isMap) return;
  if (schema.maxProperties === undefined) yield `${path}: no maxProperties`;
  if (schema.propertyNames?.maxLength === undefined) yield `${path}: no propertyNames.maxLength`;
  if (typeof rest === 'object') yield* findUnbounded(rest, `${path}{}`);
}

test('every string, list and map of every request has a limit', () => {
  const unlimited = listOperations().flatMap(({ method, path, parameters, bodySchema }) => [
    ...parameters.flatMap(parameter => [
      ...findUnbounded(parameter.schema, `${method} ${path} ${parameter.in} ${parameter.name}`),
    ]),
    ...(bodySchema ? findUnbounded(bodySchema, `${method} ${path} body`) : []),
  ]);

  expect(unlimited).toEqual([]);
});

test.each<[string, Schema, number]>([
  ['a string', { type: 'string' }, 1],
  ['a string or null', { type: ['string', 'null'] }, 1],
  ['a string with a pattern only', { type: 'string', format: 'date-time' }, 1],
  ['a list', { type: 'array', items: { type: 'integer' } }, 1],
  ['items of a list', { type: 'array', maxItems: 1, items: { type: 'string' } }, 1],
  ['a map', { type: 'object', additionalProperties: { type: 'string', maxLength: 1 } }, 2],
  ['an object without properties', { type: 'object' }, 2],
  ['a member of an alternative', { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }] }, 1],
  ['anything', {}, 1],
  ['nothing', { type: 'object', properties: { a: { type: 'string', maxLength: 1 } } }, 0],
])('the check finds %s without a limit', (_name, schema, count) => {
  expect([...findUnbounded(schema, 'here')]).toHaveLength(count);
});
