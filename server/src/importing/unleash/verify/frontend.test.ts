import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { compareFrontend } from './frontend.ts';

const CONTEXT = {
  userId: '1',
  sessionId: 's1',
  remoteAddress: '10.0.0.1',
  appName: 'verify',
  environment: 'production',
  currentTime: '2026-11-18T00:00:00.000Z',
  properties: {},
};

type Toggle = { name: string; variant: { name: string; enabled: boolean } };

const toggle = (name: string, variant?: string): Toggle => ({
  name,
  variant: { name: variant ?? 'disabled', enabled: variant !== undefined },
});

async function serve(toggles: Toggle[]): Promise<string> {
  const server = createServer((_, reply) => void reply.end(JSON.stringify({ toggles })));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function findProblems(inUnleash: Toggle[], inHalyard: Toggle[]): Promise<string[]> {
  const urls = { unleash: await serve(inUnleash), halyard: await serve(inHalyard) };
  const { problems } = await compareFrontend(urls, 'token', [CONTEXT], () => false);
  return problems.map(({ text, detail }) => `${text}${detail}`);
}

test('finds nothing if browsers get the same results', async () => {
  const toggles = [toggle('checkout', 'red'), toggle('search')];

  expect(await findProblems(toggles, toggles)).toEqual([]);
});

test('reports a different variant, and names the older hash of Unleash 4 as the likely cause', async () => {
  const [problem, ...otherProblems] = await findProblems(
    [toggle('checkout', 'red')],
    [toggle('checkout', 'blue')],
  );

  expect(otherProblems).toEqual([]);
  expect(problem).toContain('checkout: variant red null in Unleash and variant blue null in Halyard');
  expect(problem).toContain('with an older hash');
});

test('does not blame the hash if only one server enables the flag', async () => {
  const [problem] = await findProblems([toggle('checkout', 'red')], []);

  expect(problem).toContain('checkout: variant red null in Unleash and disabled in Halyard');
  expect(problem).not.toContain('hash');
});
