import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { lazyCompilers } from './compilers.ts';

const namedSchema = ($id: string, properties: Record<string, unknown>) => ({
  $id,
  type: 'object',
  properties,
});
const text = { type: 'string' };

const INNER = namedSchema('Inner', { name: text });
const OUTER = namedSchema('Outer', { inners: { type: 'array', items: { $ref: 'Inner#' } } });
const VALUE = { inners: [{ name: 'a', secret: 'b' }], secret: 'c' };

test('serializes with schemas that a response references directly or indirectly', async () => {
  const app = Fastify({ schemaController: lazyCompilers });
  for (const schema of [INNER, OUTER]) app.addSchema(schema);
  app.get('/', { schema: { response: { 200: { $ref: 'Outer#' } } } }, async () => VALUE);

  expect((await app.inject('/')).body).toBe('{"inners":[{"name":"a"}]}');
});

test('does not compile schemas that no response references', async () => {
  const app = Fastify({ schemaController: lazyCompilers });
  for (const schema of [INNER, OUTER, { ...namedSchema('Other', {}), type: 'nonsense' }])
    app.addSchema(schema);
  app.get('/', { schema: { response: { 200: { $ref: 'Outer#' } } } }, async () => VALUE);

  expect((await app.inject('/')).statusCode).toBe(200);
});

test('compiles the shared schemas once for the validators of all routes', async () => {
  let compilerCount = 0;
  const app = Fastify({ schemaController: lazyCompilers, ajv: { onCreate: () => compilerCount++ } });
  app.addSchema(namedSchema('Once', { name: text }));
  for (const path of ['/a', '/b'])
    app.post(path, { schema: { body: { $ref: 'Once#' } } }, async () => 'accepted');

  for (const url of ['/a', '/b']) {
    expect((await app.inject({ method: 'POST', url, body: { name: 'x' } })).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url, body: { name: {} } })).statusCode).toBe(400);
  }
  expect(compilerCount).toBe(1);
});

test("a plugin inherits the application's schemas and keeps its own to itself", async () => {
  const app = Fastify({ schemaController: lazyCompilers });
  app.addSchema(INNER);
  await app.register((part, _options, done) => {
    part.addSchema(OUTER);
    part.get('/', { schema: { response: { 200: { $ref: 'Outer#' } } } }, async () => VALUE);
    done();
  });

  expect((await app.inject('/')).body).toBe('{"inners":[{"name":"a"}]}');
  expect(Object.keys(app.getSchemas())).toEqual(['Inner']);
});

test('rejects a second schema with the same name', () => {
  const app = Fastify({ schemaController: lazyCompilers });
  app.addSchema(INNER);

  expect(() => app.addSchema(INNER)).toThrow('Two schemas are named "Inner"');
});
