import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../plane/src/platform/http/app.ts';
import { allow } from '../test/authorized-program.ts';
import { makeFeature, makePerson, makeProject } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { type Browser, browserWith, logIn } from '../test/login.ts';
import { type Receiver, startReceiver } from '../test/receiver.ts';
import { ERAS, type Era } from './test-client.ts';

const harness = useHarness();
let app: App;
let url: string;
let browser: Browser;
let userId: number;
let publisher: Receiver;

beforeAll(async () => {
  // The metadata has the URL of the server, so its port must be known before it listens.
  const reserved = createServer().listen(0, '127.0.0.1');
  await once(reserved, 'listening');
  const { port } = reserved.address() as AddressInfo;
  await new Promise(resolve => reserved.close(resolve));
  url = `http://127.0.0.1:${port}`;
  app = await harness.secondServer({ publicUrl: url });
  await app.listen({ host: '127.0.0.1', port });
  publisher = await startReceiver();
  await makeProject(harness.db, { id: 'shop' });
  await makeFeature(harness.db, 'shop', { name: 'checkout' });
  const person = await makePerson(harness.db, 'Admin', 'anna');
  userId = person.id;
  browser = browserWith(app, (await logIn(harness.app, person.username)).cookie);
});
afterAll(async () => await publisher.close());

const REDIRECT_URL = 'http://127.0.0.1:50999/callback';

type Kept = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** What an MCP client stores, and the authorization URL that it would open in a browser. */
function makeProvider(clientId?: string) {
  const kept = {
    client: clientId === undefined ? undefined : { client_id: clientId, issuer: url },
    tokens: undefined as Kept,
    verifier: '',
    discovery: undefined as unknown,
    opened: undefined as URL | undefined,
  };
  const provider = {
    redirectUrl: REDIRECT_URL,
    clientMetadata: { client_name: 'Reference client', redirect_uris: [REDIRECT_URL] },
    state: () => 'a state',
    clientInformation: () => kept.client,
    saveClientInformation: (client: { client_id: string; issuer: string }) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: NonNullable<Kept>) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (opened: URL) => {
      kept.opened = opened;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state: unknown) => {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery,
    // The client has more optional members than it uses here.
  } as unknown as OAuthClientProvider;
  return { provider, kept };
}

async function connectTo(provider: OAuthClientProvider, era: Era) {
  const client = new Client(
    { name: 'reference', version: '1' },
    { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider: provider });
  return { client, transport, connected: client.connect(transport) };
}

const events = async (project: string) =>
  (
    await sql`select type, created_by, created_by_kind from events where project = ${project} order by id desc limit 1`.execute(
      harness.db,
    )
  ).rows;

test.each(ERAS)(
  'the reference client of %s registers, gets a token through the browser, and refreshes it',
  async era => {
    const { provider, kept } = makeProvider();
    const first = await connectTo(provider, era);
    await expect(first.connected).rejects.toThrow(UnauthorizedError);
    expect(kept.opened?.origin).toBe(url);
    expect(kept.opened?.searchParams.get('resource')).toBe(`${url}/mcp`);

    const back = await allow(browser, kept.opened?.search.slice(1) ?? '', {
      description: `Reference client ${era}`,
      scope: { projects: ['shop'], maxChanges: 5 },
    });
    expect(back.get('state')).toBe('a state');
    await first.transport.finishAuth(back);
    const second = await connectTo(provider, era);
    await second.connected;

    const found = await second.client.callTool({ name: 'find_flags', arguments: { query: 'checkout' } });
    expect(found.structuredContent).toMatchObject({ flags: [{ name: 'checkout' }] });
    const name = `by-${era}`;
    await second.client.callTool({ name: 'create_flag', arguments: { name, project: 'shop' } });
    expect(await events('shop')).toMatchObject([{ created_by: 'anna', created_by_kind: 'agent' }]);

    const before = kept.tokens;
    await sql`update personal_access_tokens set secret_expires_at = now() where user_id = ${userId}`.execute(
      harness.db,
    );
    const again = await second.client.callTool({ name: 'find_flags', arguments: { query: 'checkout' } });
    expect(again.structuredContent).toMatchObject({ flags: [{ name: 'checkout' }] });
    expect(kept.tokens?.access_token).not.toBe(before?.access_token);
    expect(kept.tokens?.refresh_token).not.toBe(before?.refresh_token);
    await second.client.close();
  },
);

test('the reference client with a client metadata document', async () => {
  const clientId = `${publisher.url}/client.json`;
  publisher.respondWith((_, response) =>
    response.end(
      JSON.stringify({
        client_id: clientId,
        client_name: 'Documented client',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
      }),
    ),
  );
  const { provider, kept } = makeProvider(clientId);
  const first = await connectTo(provider, '2026-07-28');
  await expect(first.connected).rejects.toThrow(UnauthorizedError);

  const back = await allow(browser, kept.opened?.search.slice(1) ?? '', {
    scope: { projects: ['shop'], readOnly: true },
  });
  await first.transport.finishAuth(back);
  const second = await connectTo(provider, '2026-07-28');
  await second.connected;

  const { tools } = await second.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('find_flags');
  expect(tools.map(({ name }) => name)).not.toContain('apply_plan');
  await second.client.close();
});
