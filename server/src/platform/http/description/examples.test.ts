import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { useHarness } from '../../../test/harness.ts';

const harness = useHarness();

// Ajv as bundled with Fastify.
const fromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { default: Ajv } = fromFastify('ajv/dist/2020');
const { default: addFormats } = fromFastify('ajv-formats');

type Json = { schema: { type?: string }; example?: unknown };
type Operation = {
  responses: Record<string, { content?: Record<string, Json> }>;
  'x-permission'?: unknown;
  description: string;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<
      string,
      { properties: Record<string, { deprecated?: boolean; 'x-experimental'?: boolean }> }
    >;
  };
};

const FOUR = {
  search: ['/api/admin/search/events', 'get'],
  report: ['/api/admin/projects/{projectId}/health-report', 'get'],
  records: ['/api/admin/addons/{id}/events', 'get'],
  clone: ['/api/admin/projects/{projectId}/features/{featureName}/clone', 'post'],
} as const;

const document = () => harness.app.swagger() as unknown as Document;
const operation = ([path, method]: readonly [string, string]) => document().paths[path]?.[method];
const exampleOf = (name: keyof typeof FOUR, status: number) =>
  operation(FOUR[name])?.responses[status]?.content?.['application/json']?.example as Record<string, unknown>;

test('every successful response with a body has an example that fits its schema', () => {
  const { paths, components } = document();
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats(ajv);
  ajv.addSchema({ $id: 'document', components });
  const wrong: string[] = [];
  let checked = 0;

  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const [status, { content }] of Object.entries(responses)) {
        const json = content?.['application/json'];
        if (!json || Number(status) >= 400) continue;
        const schema = JSON.parse(
          JSON.stringify(json.schema).replaceAll('"#/components', '"document#/components'),
        );
        const validate = ajv.compile(schema);
        checked++;
        if (!validate(json.example))
          wrong.push(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`);
      }
    }
  }

  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(100);
});

test('the document describes the four operations of the contract', () => {
  expect(exampleOf('search', 200)).toMatchObject({
    events: [{ createdBy: 'ada', type: 'feature-environment-disabled' }],
    total: expect.any(Number),
  });
  expect(exampleOf('report', 200)).toMatchObject({
    version: 1,
    features: [{ name: 'pay.gift-cards' }, { name: 'pay.invoices' }],
  });
  expect(exampleOf('records', 200)).toMatchObject({ integrationEvents: [{ event: { createdBy: 'ada' } }] });
  expect(exampleOf('clone', 200)).toMatchObject({
    name: 'pay.invoices-b2b',
    environments: [{ name: 'development' }, { name: 'staging' }],
  });
  expect(exampleOf('clone', 409).message).toBe(
    'Feature "checkout-v3" already exists in project "default". Choose another name.',
  );
  expect(operation(FOUR.clone)).toMatchObject({
    'x-permission': ['CREATE_FEATURE'],
    description: expect.stringContaining('CREATE_FEATURE_STRATEGY in each environment that gets strategies'),
  });
  expect(Object.keys(operation(FOUR.report)?.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '429',
    '503',
  ]);
  expect(document().components.schemas.Feature?.properties).toMatchObject({
    lastSeenAt: { deprecated: true },
    variants: { deprecated: true },
    children: { 'x-experimental': true },
  });
});
