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
 * Any JSON: the value of an operation of a JSON Patch, which is bounded as a whole (json-patch.ts), and the default value of a flag in an
 * OpenFeature manifest, which is ignored.
 */
const ANY_VALUE = /^PATCH .* body\[\]\.value$|\/openfeature\/v0\/.* body\.defaultValue$/;

/** Every place in a schema where a caller could send an unlimited amount. */
function* unbounded(schema: Schema, place: string): Generator<string> {
  const types = [schema.type ?? []].flat();
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  for (const part of parts) yield* unbounded(part, place);
  const chosen = schema.enum !== undefined || schema.const !== undefined;
  if (types.length === 0 && parts.length === 0 && !chosen && !ANY_VALUE.test(place))
    yield `${place}: no type`;
  if (types.includes('string') && !chosen && schema.maxLength === undefined && schema.format !== 'uuid')
    yield `${place}: no maxLength`;
  if (types.includes('array')) {
    if (schema.maxItems === undefined) yield `${place}: no maxItems`;
    yield* unbounded(schema.items ?? {}, `${place}[]`);
  }
  if (types.includes('object')) yield* unboundedObject(schema, place);
}

/** An object with fixed members ignores others, which the parser bounds; an open one needs its own limits. */
function* unboundedObject(schema: Schema, place: string): Generator<string> {
  const { properties = {}, additionalProperties: rest } = schema;
  for (const [name, member] of Object.entries(properties)) yield* unbounded(member, `${place}.${name}`);
  const isMap = typeof rest === 'object' || (rest !== false && Object.keys(properties).length === 0);
  if (!isMap) return;
  if (schema.maxProperties === undefined) yield `${place}: no maxProperties`;
  if (schema.propertyNames?.maxLength === undefined) yield `${place}: no propertyNames.maxLength`;
  if (typeof rest === 'object') yield* unbounded(rest, `${place}{}`);
}

test('every string, list and map of every request has a bound', () => {
  const found = listOperations().flatMap(({ method, path, parameters, bodySchema }) => [
    ...parameters.flatMap(one => [...unbounded(one.schema, `${method} ${path} ${one.in} ${one.name}`)]),
    ...(bodySchema ? unbounded(bodySchema, `${method} ${path} body`) : []),
  ]);

  expect(found).toEqual([]);
});

test.each<[string, Schema, number]>([
  ['a string', { type: 'string' }, 1],
  ['a string or null', { type: ['string', 'null'] }, 1],
  ['a string with a pattern only', { type: 'string', format: 'date-time' }, 1],
  ['a list', { type: 'array', items: { type: 'integer' } }, 1],
  ['items of a list', { type: 'array', maxItems: 1, items: { type: 'string' } }, 1],
  ['a map', { type: 'object', additionalProperties: { type: 'string', maxLength: 1 } }, 2],
  ['an object that is not described', { type: 'object' }, 2],
  ['a member of one of several', { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }] }, 1],
  ['anything', {}, 1],
  ['nothing', { type: 'object', properties: { a: { type: 'string', maxLength: 1 } } }, 0],
])('the check finds %s without a bound', (_name, schema, count) => {
  expect([...unbounded(schema, 'here')]).toHaveLength(count);
});
