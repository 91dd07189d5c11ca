import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { lazyCompilers } from './compilers.ts';

const named = ($id: string, properties: Record<string, unknown>) => ({ $id, type: 'object', properties });
const text = { type: 'string' };

const INNER = named('Inner', { name: text });
const OUTER = named('Outer', { inners: { type: 'array', items: { $ref: 'Inner#' } } });
const VALUE = { inners: [{ name: 'a', secret: 'b' }], secret: 'c' };

test('serializes by schemas that a response names directly and indirectly', async () => {
  const app = Fastify({ schemaController: lazyCompilers });
  for (const schema of [INNER, OUTER]) app.addSchema(schema);
  app.get('/', { schema: { response: { 200: { $ref: 'Outer#' } } } }, async () => VALUE);

  expect((await app.inject('/')).body).toBe('{"inners":[{"name":"a"}]}');
});

test('does not read schemas that a response does not name', async () => {
  const app = Fastify({ schemaController: lazyCompilers });
  for (const schema of [INNER, OUTER, { ...named('Other', {}), type: 'nonsense' }]) app.addSchema(schema);
  app.get('/', { schema: { response: { 200: { $ref: 'Outer#' } } } }, async () => VALUE);

  expect((await app.inject('/')).statusCode).toBe(200);
});

test('reads the shared schemas once for the validators of all routes', async () => {
  let compilers = 0;
  const app = Fastify({ schemaController: lazyCompilers, ajv: { onCreate: () => compilers++ } });
  app.addSchema(named('Once', { name: text }));
  for (const path of ['/a', '/b'])
    app.post(path, { schema: { body: { $ref: 'Once#' } } }, async () => 'accepted');

  for (const url of ['/a', '/b']) {
    expect((await app.inject({ method: 'POST', url, body: { name: 'x' } })).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url, body: { name: {} } })).statusCode).toBe(400);
  }
  expect(compilers).toBe(1);
});

test('a part of an application has the schemas of the whole and keeps its own', async () => {
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

  expect(() => app.addSchema(INNER)).toThrow('There are two schemas with the name Inner');
});
