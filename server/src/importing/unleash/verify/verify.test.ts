import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createRecordedDatabase } from '../../../test/unleash-database.ts';
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
  const server = createServer(({ url }, reply) => {
    reply.statusCode = url?.startsWith('/missing/') ? 404 : 200;
    reply.end(text);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function findProblems(inHalyard: object | string): Promise<string[]> {
  const { url } = await createRecordedDatabase('4.19.5');
  const source = await openSource(url);
  onTestFinished(() => closeSource(source));
  const urls = { unleash: await serve(document()), halyard: await serve(inHalyard), secrets: [] };
  const { results } = await verifyImport(source, urls);
  expect(results.map(({ token }) => token)).toContain('client-development (alias)');
  return [...new Set(results.flatMap(({ problems }) => problems.map(({ text }) => text)))];
}

test('finds nothing if both servers send the same flags', async () => {
  expect(await findProblems(document())).toEqual([]);
});

const getStrategy = ({ features }: Document) => features[0]?.strategies[0] as Record<string, unknown>;

test.each<[string, (planted: Document) => void, string]>([
  [
    'strategy order',
    ({ features }) => features[0]?.strategies.reverse(),
    'checkout: the order of its strategies',
  ],
  [
    'weight',
    planted => Object.assign((getStrategy(planted).variants as object[])[0] ?? {}, { weight: 401 }),
    'checkout: variants of strategy 1',
  ],
  [
    'segment',
    planted => Object.assign(planted.segments[0] ?? {}, { constraints: [constraint('userId', ['4'])] }),
    'checkout: segments of strategy 1',
  ],
  [
    'context field',
    planted => Object.assign(getStrategy(planted), { constraints: [constraint('land', ['SE', 'NO'])] }),
    'checkout: constraints of strategy 1',
  ],
  ['token scope', ({ features }) => features.pop(), 'other: missing in Halyard'],
])('finds a planted difference: %s', async (_, plant, expected) => {
  const planted = document();
  plant(planted);

  expect(await findProblems(planted)).toContain(expected);
});

test('reports a server that does not serve SDKs', async () => {
  await expect(findProblems('<html>')).rejects.toThrow(
    /^Halyard responded to .* with something other than JSON/,
  );
  const { url } = await createRecordedDatabase('4.19.5');
  const source = await openSource(url);
  onTestFinished(() => closeSource(source));
  const unleash = await serve(document());
  const verification = verifyImport(source, { unleash, halyard: `${unleash}/missing`, secrets: [] });
  await expect(verification).rejects.toThrow(
    /^Halyard responded with 404 to .*\/missing\/api\/client\/features\. Check the URL\.$/,
  );
  await expect(findProblems('{}')).rejects.toThrow(
    /^Halyard responded to .* without flags\. Check the URL\.$/,
  );
});

test('names the environments that no token covers and the segments that no compared flag uses', async () => {
  const { url } = await createRecordedDatabase('4.19.5');
  const source = await openSource(url);
  onTestFinished(() => closeSource(source));
  const server = await serve(document());
  const verifyWith = async (...secrets: string[]) =>
    (await verifyImport(source, { unleash: server, halyard: server, secrets })).uncovered;

  expect(await verifyWith()).toEqual({
    environments: ['staging in project payments'],
    segments: ['nordics'],
  });
  expect((await verifyWith('payments:staging.a-secret')).environments).toEqual([]);
  expect((await verifyWith('default:staging.a-secret')).environments).toEqual([
    'staging in project payments',
  ]);
});
