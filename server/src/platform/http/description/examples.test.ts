import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { useHarness } from '../../../test/harness.ts';

const harness = useHarness();

// The Ajv version that Fastify bundles.
const requireFromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const { default: Ajv } = requireFromFastify('ajv/dist/2020');
const { default: addFormats } = requireFromFastify('ajv-formats');

type MediaType = { schema: { type?: string }; example?: unknown };
type Operation = {
  responses: Record<string, { content?: Record<string, MediaType> }>;
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

const OPERATIONS = {
  search: ['/api/admin/search/events', 'get'],
  report: ['/api/admin/projects/{projectId}/health-report', 'get'],
  integrationEvents: ['/api/admin/addons/{id}/events', 'get'],
  clone: ['/api/admin/projects/{projectId}/features/{featureName}/clone', 'post'],
} as const;

const readDocument = () => harness.app.swagger() as unknown as Document;
const findOperation = ([path, method]: readonly [string, string]) => readDocument().paths[path]?.[method];
const getExample = (name: keyof typeof OPERATIONS, status: number) =>
  findOperation(OPERATIONS[name])?.responses[status]?.content?.['application/json']?.example as Record<
    string,
    unknown
  >;

test('every successful response with a body has an example that matches its schema', () => {
  const { paths, components } = readDocument();
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats(ajv);
  ajv.addSchema({ $id: 'document', components });
  const violations: string[] = [];
  let checkedCount = 0;

  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const [status, { content }] of Object.entries(responses)) {
        const mediaType = content?.['application/json'];
        if (!mediaType || Number(status) >= 400) continue;
        const schema = JSON.parse(
          JSON.stringify(mediaType.schema).replaceAll('"#/components', '"document#/components'),
        );
        const validate = ajv.compile(schema);
        checkedCount++;
        if (!validate(mediaType.example))
          violations.push(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`);
      }
    }
  }

  expect(violations).toEqual([]);
  expect(checkedCount).toBeGreaterThan(100);
});

test('the document describes the four operations that Unleash clients depend on', () => {
  expect(getExample('search', 200)).toMatchObject({
    events: [{ createdBy: 'ada', type: 'feature-environment-disabled' }],
    total: expect.any(Number),
  });
  expect(getExample('report', 200)).toMatchObject({
    version: 1,
    features: [{ name: 'pay.gift-cards' }, { name: 'pay.invoices' }],
  });
  expect(getExample('integrationEvents', 200)).toMatchObject({
    integrationEvents: [{ event: { createdBy: 'ada' } }],
  });
  expect(getExample('clone', 200)).toMatchObject({
    name: 'pay.invoices-b2b',
    environments: [{ name: 'development' }, { name: 'staging' }],
  });
  expect(getExample('clone', 409).message).toBe(
    'Feature "checkout-v3" already exists in project "default". Choose another name.',
  );
  expect(findOperation(OPERATIONS.clone)).toMatchObject({
    'x-permission': ['CREATE_FEATURE'],
    description: expect.stringContaining('CREATE_FEATURE_STRATEGY in each environment that gets strategies'),
  });
  expect(Object.keys(findOperation(OPERATIONS.report)?.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '429',
    '503',
  ]);
  expect(readDocument().components.schemas.Feature?.properties).toMatchObject({
    lastSeenAt: { deprecated: true },
    variants: { deprecated: true },
    children: { 'x-experimental': true },
  });
});
