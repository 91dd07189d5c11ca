import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '@halyard/plane/platform/http/app.ts';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFeature, makePerson, makeProject } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { type Browser, logIn, makeBrowser } from '../test/login.ts';
import { approveAuthorization } from '../test/oauth-client.ts';
import { type Receiver, startReceiver } from '../test/receiver.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from './test-client.ts';

const harness = useHarness();
let app: App;
let url: string;
let browser: Browser;
let userId: number;
let metadataHost: Receiver;

beforeAll(async () => {
  // The metadata contains the server's URL, so the port is chosen before the server listens.
  const portHolder = createServer().listen(0, '127.0.0.1');
  await once(portHolder, 'listening');
  const { port } = portHolder.address() as AddressInfo;
  await new Promise(resolve => portHolder.close(resolve));
  url = `http://127.0.0.1:${port}`;
  app = await harness.secondServer({ publicUrl: url });
  await app.listen({ host: '127.0.0.1', port });
  metadataHost = await startReceiver();
  await makeProject(harness.db, { id: 'shop' });
  await makeFeature(harness.db, 'shop', { name: 'checkout' });
  const person = await makePerson(harness.db, 'Admin', 'anna');
  userId = person.id;
  browser = makeBrowser(app, (await logIn(harness.app, person.username)).cookie);
});
afterAll(async () => await metadataHost.close());

const REDIRECT_URL = 'http://127.0.0.1:50999/callback';

type SavedTokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** Creates the storage of an MCP client, including the authorization URL it would open in a browser. */
function makeProvider(clientId?: string) {
  const store = {
    client: clientId === undefined ? undefined : { client_id: clientId, issuer: url },
    tokens: undefined as SavedTokens,
    verifier: '',
    discovery: undefined as unknown,
    authorizationUrl: undefined as URL | undefined,
  };
  const provider = {
    redirectUrl: REDIRECT_URL,
    clientMetadata: { client_name: 'Reference client', redirect_uris: [REDIRECT_URL] },
    state: () => 'a state',
    clientInformation: () => store.client,
    saveClientInformation: (client: { client_id: string; issuer: string }) => {
      store.client = client;
    },
    tokens: () => store.tokens,
    saveTokens: (tokens: NonNullable<SavedTokens>) => {
      store.tokens = tokens;
    },
    redirectToAuthorization: (authorizationUrl: URL) => {
      store.authorizationUrl = authorizationUrl;
    },
    saveCodeVerifier: (verifier: string) => {
      store.verifier = verifier;
    },
    codeVerifier: () => store.verifier,
    saveDiscoveryState: (state: unknown) => {
      store.discovery = state;
    },
    discoveryState: () => store.discovery,
    // The interface has more optional members than this test needs.
  } as unknown as OAuthClientProvider;
  return { provider, store };
}

async function connectTo(provider: OAuthClientProvider, protocolVersion: ProtocolVersion) {
  const client = new Client(
    { name: 'reference', version: '1' },
    { versionNegotiation: { mode: protocolVersion === '2026-07-28' ? { pin: protocolVersion } : 'legacy' } },
  );
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider: provider });
  return { client, transport, connection: client.connect(transport) };
}

const findNewestEvent = async (project: string) =>
  (
    await sql`select type, created_by, created_by_kind from events where project = ${project} order by id desc limit 1`.execute(
      harness.db,
    )
  ).rows[0];

test.each(PROTOCOL_VERSIONS)(
  'the reference client for protocol version %s registers, gets a token through the browser, and refreshes it',
  async protocolVersion => {
    const { provider, store } = makeProvider();
    const firstClient = await connectTo(provider, protocolVersion);
    await expect(firstClient.connection).rejects.toThrow(UnauthorizedError);
    expect(store.authorizationUrl?.origin).toBe(url);
    expect(store.authorizationUrl?.searchParams.get('resource')).toBe(`${url}/mcp`);

    const callbackParameters = await approveAuthorization(
      browser,
      store.authorizationUrl?.search.slice(1) ?? '',
      {
        description: `Reference client ${protocolVersion}`,
        scope: { projects: ['shop'], maxChanges: 5 },
      },
    );
    expect(callbackParameters.get('state')).toBe('a state');
    await firstClient.transport.finishAuth(callbackParameters);
    const secondClient = await connectTo(provider, protocolVersion);
    await secondClient.connection;

    const result = await secondClient.client.callTool({
      name: 'find_flags',
      arguments: { query: 'checkout' },
    });
    expect(result.structuredContent).toMatchObject({ flags: [{ name: 'checkout' }] });
    const name = `by-${protocolVersion}`;
    await secondClient.client.callTool({ name: 'create_flag', arguments: { name, project: 'shop' } });
    expect(await findNewestEvent('shop')).toMatchObject({ created_by: 'anna', created_by_kind: 'agent' });

    const tokensBefore = store.tokens;
    await sql`update personal_access_tokens set secret_expires_at = now() where user_id = ${userId}`.execute(
      harness.db,
    );
    const repeatedResult = await secondClient.client.callTool({
      name: 'find_flags',
      arguments: { query: 'checkout' },
    });
    expect(repeatedResult.structuredContent).toMatchObject({ flags: [{ name: 'checkout' }] });
    expect(store.tokens?.access_token).not.toBe(tokensBefore?.access_token);
    expect(store.tokens?.refresh_token).not.toBe(tokensBefore?.refresh_token);
    await secondClient.client.close();
  },
);

test('the reference client gets a token using a client metadata document', async () => {
  const clientId = `${metadataHost.url}/client.json`;
  metadataHost.respondWith((_, response) =>
    response.end(
      JSON.stringify({
        client_id: clientId,
        client_name: 'Documented client',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
      }),
    ),
  );
  const { provider, store } = makeProvider(clientId);
  const firstClient = await connectTo(provider, '2026-07-28');
  await expect(firstClient.connection).rejects.toThrow(UnauthorizedError);

  const callbackParameters = await approveAuthorization(
    browser,
    store.authorizationUrl?.search.slice(1) ?? '',
    {
      scope: { projects: ['shop'], readOnly: true },
    },
  );
  await firstClient.transport.finishAuth(callbackParameters);
  const secondClient = await connectTo(provider, '2026-07-28');
  await secondClient.connection;

  const { tools } = await secondClient.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('find_flags');
  expect(tools.map(({ name }) => name)).not.toContain('apply_plan');
  await secondClient.client.close();
});
