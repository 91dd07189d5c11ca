import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Schema = {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

const { schemas } = (
  JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
    components: { schemas: Record<string, Schema> };
  }
).components;

const alternatives = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];

/** Described itself, or by the component that it, its items or one of its alternatives refers to. */
const isDescribed = (schema: Schema): boolean =>
  Boolean(schema.description) ||
  [schema, schema.items ?? {}, ...alternatives(schema)].some(
    ({ $ref }) => $ref !== undefined && Boolean(schemas[$ref.replace(/^.*\//, '')]?.description),
  );

function* undescribed(schema: Schema, at: string): Generator<string> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!isDescribed(property)) yield `${at}.${name}`;
    yield* undescribed(property, `${at}.${name}`);
  }
  for (const part of [schema.items, schema.additionalProperties, ...alternatives(schema)])
    if (typeof part === 'object') yield* undescribed(part, at);
}

test('every property in the API document is described', () => {
  const found = Object.entries(schemas).flatMap(([name, schema]) => [...undescribed(schema, name)]);

  expect(Object.keys(schemas).length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});
