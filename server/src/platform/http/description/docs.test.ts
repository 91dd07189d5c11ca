import { runInNewContext } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

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

test.each(['/docs/openapi.json', '/docs/js/scalar.js', '/docs/js/start.js', '/docs/'])(
  '%s is compressed once, however many ask for it at a time, and is not sent to a client that has it',
  async url => {
    const get = async (headers: Record<string, string>) => await harness.app.inject({ url, headers });
    const plain = await get({});

    const all = await Promise.all(Array.from({ length: 20 }, () => get({ 'accept-encoding': 'br' })));

    const [first] = all;
    const etag = String(first?.headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(etag).not.toBe(plain.headers.etag);
    for (const { headers, rawPayload } of all) {
      expect(headers).toMatchObject({ 'content-encoding': 'br', etag, vary: 'accept-encoding' });
      expect(rawPayload.equals(first?.rawPayload ?? Buffer.alloc(0))).toBe(true);
    }
    expect(brotliDecompressSync(first?.rawPayload ?? '').equals(plain.rawPayload)).toBe(true);
    expect((await get({ 'accept-encoding': 'br', 'if-none-match': etag })).statusCode).toBe(304);
  },
);
