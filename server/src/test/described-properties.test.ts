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

type Parameter = { name: string; in: string; schema: { type?: string; default?: unknown } };

const { components, paths } = JSON.parse(
  readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
) as {
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
  paths: Record<string, Record<string, { parameters?: (Parameter | { $ref: string })[] }>>;
};
const { schemas } = components;

const alternatives = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];

/**
 * Returns whether a property is described, either itself or by the component that the property, its items or one of its
 * alternatives refers to.
 */
const isDescribed = (schema: Schema): boolean =>
  Boolean(schema.description) ||
  [schema, schema.items ?? {}, ...alternatives(schema)].some(
    ({ $ref }) => $ref !== undefined && Boolean(schemas[$ref.replace(/^.*\//, '')]?.description),
  );

function* findUndescribed(schema: Schema, path: string): Generator<string> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!isDescribed(property)) yield `${path}.${name}`;
    yield* findUndescribed(property, `${path}.${name}`);
  }
  for (const part of [schema.items, schema.additionalProperties, ...alternatives(schema)])
    if (typeof part === 'object') yield* findUndescribed(part, path);
}

test('every property in the API document is described', () => {
  const undescribedProperties = Object.entries(schemas).flatMap(([name, schema]) => [
    ...findUndescribed(schema, name),
  ]);

  expect(Object.keys(schemas).length).toBeGreaterThan(200);
  expect(undescribedProperties).toEqual([]);
});

test('query parameters with a numeric default are integers, so that generated clients accept numbers', () => {
  const query = [
    ...Object.values(components.parameters),
    ...Object.values(paths)
      .flatMap(methods => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters)
      .filter((parameter): parameter is Parameter => 'schema' in parameter),
  ].filter(parameter => parameter.in === 'query');

  const numeric = query.filter(({ schema }) => /^\d+$/.test(String(schema.default)));

  expect(new Set(numeric.map(({ name }) => name))).toEqual(new Set(['limit', 'offset', 'hoursBack', 'days']));
  expect(numeric.filter(({ schema }) => schema.type !== 'integer')).toEqual([]);
});

test('the lists of a default strategy and the parts of an event are documented as they are sent', () => {
  const { constraints, variants } = schemas.DefaultStrategy?.properties ?? {};
  const { parts } = schemas.Event?.properties ?? {};

  expect([constraints?.items?.$ref, variants?.items?.$ref]).toEqual([
    '#/components/schemas/Constraint',
    '#/components/schemas/StrategyVariant',
  ]);
  expect(parts?.description).toContain('if the request has `parts=true`, and in every delivery record');
});
