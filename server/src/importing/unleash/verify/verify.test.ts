import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { recordedUnleash } from '../../../test/unleash-database.ts';
import { closeSource, openSource } from '../source/source.ts';
import { verifyImport } from './verify.ts';

type Document = ReturnType<typeof document>;

const constraint = (contextName: string, values: string[]) => ({ contextName, operator: 'IN', values });

/** What a server sends to an SDK. */
const document = () => ({
  version: 2,
  features: [
    {
      name: 'checkout',
      enabled: true,
      project: 'default',
      strategies: [
        {
          name: 'flexibleRollout',
          parameters: { rollout: '25', stickiness: 'userId', groupId: 'checkout' },
          constraints: [constraint('country', ['SE', 'NO'])],
          segments: [1],
          variants: [
            { name: 'blue', weight: 400, stickiness: 'userId' },
            { name: 'red', weight: 600, stickiness: 'userId' },
          ],
        },
        { name: 'userWithId', parameters: { userIds: '1,2' }, constraints: [] as object[] },
      ],
    },
    { name: 'other', enabled: true, project: 'payments', strategies: [{ name: 'default' }] },
  ],
  segments: [{ id: 1, constraints: [constraint('userId', ['1', '2', '3'])] }],
});

async function serve(body: object | string): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const server = createServer((_, reply) => void reply.end(text));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function problemsOf(here: object | string): Promise<string[]> {
  const { url } = await recordedUnleash('4.19.5');
  const source = await openSource(url);
  onTestFinished(() => closeSource(source));
  const urls = { unleash: await serve(document()), halyard: await serve(here), secrets: [] };
  const { results } = await verifyImport(source, urls);
  expect(results.map(({ token }) => token)).toContain('client-development (alias)');
  return [...new Set(results.flatMap(({ problems }) => problems))];
}

test('finds nothing if both servers send the same', async () => {
  expect(await problemsOf(document())).toEqual([]);
});

const strategyOf = ({ features }: Document) => features[0]?.strategies[0] as Record<string, unknown>;

test.each<[string, (planted: Document) => void, string]>([
  [
    'strategy order',
    ({ features }) => features[0]?.strategies.reverse(),
    'checkout: the order of its strategies',
  ],
  [
    'weight',
    planted => Object.assign((strategyOf(planted).variants as object[])[0] ?? {}, { weight: 401 }),
    'checkout: variants of strategy 1',
  ],
  [
    'segment',
    planted => Object.assign(planted.segments[0] ?? {}, { constraints: [constraint('userId', ['4'])] }),
    'checkout: segments of strategy 1',
  ],
  [
    'context field',
    planted => Object.assign(strategyOf(planted), { constraints: [constraint('land', ['SE', 'NO'])] }),
    'checkout: constraints of strategy 1',
  ],
  ['token scope', ({ features }) => features.pop(), 'other: only Unleash has it'],
])('finds a planted difference: %s', async (_, plant, expected) => {
  const planted = document();
  plant(planted);

  expect(await problemsOf(planted)).toContain(expected);
});

test('reports a server that does not serve SDKs', async () => {
  await expect(problemsOf('<html>')).rejects.toThrow(
    /^Halyard responded to .* with something other than JSON/,
  );
  await expect(problemsOf('{}')).rejects.toThrow(/^Halyard responded to .* without flags\. Check the URL\.$/);
});
