import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

test('the forms of the API page start empty, and the examples are in the descriptions', async () => {
  const get = async (path: string) => (await call(harness.app, 'GET', path, { token: null })).body;
  const document = await get('/docs/openapi.json');
  type Parameter = { name: string; example?: unknown; description: string };
  type Shown = {
    servers: { url: string }[];
    paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
    components: { parameters: Record<string, Parameter> };
  };
  const { promise, resolve } = Promise.withResolvers<Shown>();

  runInNewContext(await get('/docs/js/start.js'), {
    URL,
    location: { href: 'https://flags.example.com/halyard/docs/#tag/events' },
    fetch: async () => ({ json: async () => structuredClone(document) }),
    Scalar: { createApiReference: (_: string, { content }: { content: Shown }) => resolve(content) },
  });

  const shown = await promise;
  const ofOperations = Object.values(shown.paths)
    .flatMap(path => Object.values(path))
    .flatMap(operation => operation.parameters ?? []);
  const parameters = [...ofOperations, ...Object.values(shown.components.parameters)];
  expect(ofOperations.length).toBeGreaterThan(100);
  expect(parameters.filter(parameter => 'example' in parameter)).toEqual([]);
  expect(shown.components.parameters.EventProjectFilter?.description).toContain(
    'Example: `IS_ANY_OF:default,payments`',
  );
  expect(shown.components.parameters.ProjectId?.description).toContain('Example: `default`');
  expect(shown.servers).toEqual([{ url: 'https://flags.example.com/halyard' }]);
});
