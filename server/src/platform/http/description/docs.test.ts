import { createHook } from 'node:async_hooks';
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
  type ShownDocument = {
    servers: { url: string }[];
    paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
    components: { parameters: Record<string, Parameter> };
  };
  const { promise, resolve } = Promise.withResolvers<ShownDocument>();

  runInNewContext(await get('/docs/js/start.js'), {
    URL,
    location: { href: 'https://flags.example.com/halyard/docs/#tag/events' },
    fetch: async () => ({ json: async () => structuredClone(document) }),
    Scalar: { createApiReference: (_: string, { content }: { content: ShownDocument }) => resolve(content) },
  });

  const shownDocument = await promise;
  const operationParameters = Object.values(shownDocument.paths)
    .flatMap(path => Object.values(path))
    .flatMap(operation => operation.parameters ?? []);
  const parameters = [...operationParameters, ...Object.values(shownDocument.components.parameters)];
  expect(operationParameters.length).toBeGreaterThan(100);
  expect(parameters.filter(parameter => 'example' in parameter)).toEqual([]);
  expect(shownDocument.components.parameters.EventProjectFilter?.description).toContain(
    'Example: `IS_ANY_OF:default,payments`',
  );
  expect(shownDocument.components.parameters.ProjectId?.description).toContain('Example: `default`');
  expect(shownDocument.servers).toEqual([{ url: 'https://flags.example.com/halyard' }]);
});

const URLS = ['/docs/openapi.json', '/docs/js/scalar.js', '/docs/js/start.js', '/docs/'];

test.each(URLS)(
  '%s has the same compressed bytes for clients that request it simultaneously, and is not sent to a client that already has it',
  async url => {
    const get = async (headers: Record<string, string>) => await harness.app.inject({ url, headers });
    const uncompressed = await get({});

    const responses = await Promise.all(Array.from({ length: 20 }, () => get({ 'accept-encoding': 'br' })));

    const [first] = responses;
    const etag = String(first?.headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(etag).not.toBe(uncompressed.headers.etag);
    for (const { headers, rawPayload } of responses) {
      expect(headers).toMatchObject({ 'content-encoding': 'br', etag, vary: 'accept-encoding' });
      expect(rawPayload.equals(first?.rawPayload ?? Buffer.alloc(0))).toBe(true);
    }
    expect(brotliDecompressSync(first?.rawPayload ?? '').equals(uncompressed.rawPayload)).toBe(true);
    expect((await get({ 'accept-encoding': 'br', 'if-none-match': etag })).statusCode).toBe(304);
  },
);

test('compresses each file once per encoding, even if clients request it simultaneously', async () => {
  // A server that has sent no files yet.
  const app = await harness.secondServer();
  const counts: number[] = [];

  for (const url of URLS) {
    const get = async (encoding: string) =>
      await app.inject({ url, headers: { 'accept-encoding': encoding } });
    const encodings = ['br', 'gzip', 'identity'];
    counts.push(
      await countCompressions(async () => {
        await Promise.all([...encodings, ...encodings].map(get));
        await Promise.all(encodings.map(get));
      }),
    );
  }

  // One compression with Brotli and one with gzip.
  expect(counts).toEqual(URLS.map(() => 2));
});

/** Counts the compressions that start during `run`. Node creates a resource of type ZLIB for each, including Brotli. */
async function countCompressions(run: () => Promise<void>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ZLIB') count++;
    },
  }).enable();
  try {
    await run();
    return count;
  } finally {
    hook.disable();
  }
}
