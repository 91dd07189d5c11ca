import { expect, test } from 'vitest';
import { UNGATED } from '../../../access/gate.ts';
import { dereference } from '../../../test/api-document.ts';
import { useHarness } from '../../../test/harness.ts';
import { shareComponents } from './components.ts';
import { openApiText } from './openapi.ts';

const harness = useHarness();

type Schema = Record<string, unknown> & { $ref?: string; properties?: Record<string, Schema> };
type Content = { content?: Record<string, { schema?: Schema }>; $ref?: string };
type Operation = {
  operationId: string;
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<'schemas' | 'parameters' | 'responses', Record<string, Schema>>;
};

const readDocument = () => JSON.parse(openApiText(harness.app)) as Document;
const listOperations = () => Object.values(readDocument().paths).flatMap(path => Object.values(path));

test('the document is at most 1.63 MB', () => {
  expect(Buffer.byteLength(openApiText(harness.app))).toBeLessThanOrEqual(1_630_000);
});

test('every operation except probes and metrics declares 429 and 503', () => {
  const { paths } = readDocument();

  const undeclared = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ responses }) => !('429' in responses && '503' in responses))
      .map(() => path),
  );

  expect(undeclared.toSorted()).toEqual([...UNGATED].toSorted());
});

test('every body of a request or response is a component', () => {
  const inline = listOperations().flatMap(({ operationId, requestBody = {}, responses }) =>
    Object.entries({ request: requestBody, ...responses }).flatMap(([part, { content = {} }]) =>
      Object.entries(content)
        .filter(([type, { schema }]) => type === 'application/json' && schema?.$ref === undefined)
        .map(() => `${operationId} ${part}`),
    ),
  );

  expect(inline).toEqual([]);
});

test('every object with properties is a component', () => {
  const inline: string[] = [];
  const walk = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return;
    const { properties } = part as Schema;
    if (/\/(items|anyOf\/\d+|properties\/[^/]+|additionalProperties)$/.test(path) && properties) {
      if (Object.keys(properties).length > 0) inline.push(path);
    }
    for (const [key, value] of Object.entries(part)) walk(value, `${path}/${key}`);
  };
  for (const [name, schema] of Object.entries(readDocument().components.schemas)) walk(schema, name);

  expect(inline).toEqual([]);
});

test('component names are unique, PascalCase and without numbers', () => {
  const { schemas, parameters, responses } = readDocument().components;
  const names = [schemas, parameters, responses].flatMap(Object.keys);

  expect(names.length).toBeGreaterThan(250);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter(name => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
});

test('every component is used', () => {
  const { components } = readDocument();
  const text = openApiText(harness.app);
  const unusedComponents = Object.entries(components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, named]) => Object.keys(named).map(name => `#/components/${kind}/${name}`))
    .filter(reference => !text.includes(`"${reference}"`));

  expect(unusedComponents).toEqual([]);
});

test('operations outside OFREP share their error responses, with three exceptions', () => {
  // OFREP defines the errors of its operations.
  const otherOperations = listOperations().filter(({ operationId }) => !operationId.includes('Ofrep'));
  const inlineErrors = otherOperations.flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status, { $ref }]) => Number(status) >= 400 && $ref === undefined)
      .map(([status]) => `${operationId} ${status}`),
  );

  expect(inlineErrors).toEqual(['getReady 503', 'cloneFeature 409', 'cloneFeatures 409']);
});

const Named = (title: string, properties: Record<string, unknown>) => ({ title, type: 'object', properties });
const text = { type: 'string' };
const project = { name: 'projectId', in: 'path', schema: text };
const buildDocument = (...bodies: object[]) => ({
  paths: Object.fromEntries(
    bodies.map((schema, index) => [
      `/${index}/{projectId}`,
      {
        put: {
          parameters: [project],
          requestBody: { content: { 'application/json': { schema } } },
          responses: { 200: { description: 'Done' }, 404: { description: 'Not there' } },
        },
      },
    ]),
  ),
  components: {},
});

test('sharing schemas as components does not change the meaning of the document', () => {
  const member = Named('Member', { name: text });
  const [one, two] = [Named('Team', { members: { type: 'array', items: member } }), member];

  const sharedDocument = dereference(shareComponents(buildDocument(one, two, two)));

  const { title: _, ...untitled } = member;
  const team = { type: 'object', properties: { members: { type: 'array', items: untitled } } };
  expect(sharedDocument.paths).toEqual(buildDocument(team, untitled, untitled).paths);
});

test('two different schemas cannot share a name', () => {
  const conflicting = buildDocument(Named('Team', { name: text }), Named('Team', { id: text }));

  expect(() => shareComponents(conflicting)).toThrow(
    'Two different schemas in the API document are called Team.',
  );
});
