import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PUBLIC_URL } from './public-url.ts';

export const CLIENT = { clientId: 'halyard', secret: 'a-client-secret-for-tests-0123456789' };

/** What the provider claims about a user. */
export type Account = { sub: string; [claim: string]: unknown };

export type IdentityProvider = {
  issuer: string;
  /** Sets the user whom the provider logs in, no matter which browser visits it. With null, the user cancels. */
  setVisitor: (account: Account | null) => void;
  /** Logs a user in at the provider and returns the URL to which it redirects the browser. With null, the user cancels. */
  visit: (authorizationUrl: string, account: Account | null) => Promise<URL>;
  close: () => Promise<void>;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export async function listen(handler: Handler): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

export async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
}

/** Starts a real OpenID provider on this machine. It logs the current visitor in without showing a form. */
export async function startIdentityProvider(
  options: { claimsInIdToken?: boolean; publicUrl?: string } = {},
): Promise<IdentityProvider> {
  const publicUrl = options.publicUrl ?? PUBLIC_URL;
  let visitor: Account | null = null;
  const accounts = new Map<string, Account>();
  let handle: Handler = (_request, response) => response.end();
  const { url: issuer, server } = await listen((request, response) => handle(request, response));

  // The package has no types, so this declares what we use.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const { Provider } = (await import('oidc-provider' as string)) as { Provider: any };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.secret,
        redirect_uris: [`${publicUrl}/auth/oidc/callback`],
        post_logout_redirect_uris: [`${publicUrl}/`],
      },
    ],
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }],
    },
    cookies: { keys: [randomUUID()] },
    acrValues: ['phr', 'pwd'],
    claims: {
      acr: null,
      openid: ['sub', 'roles'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    conformIdTokenClaims: !options.claimsInIdToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/visit/${uid}` },
    findAccount: async (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => accounts.get(sub),
    }),
    // biome-ignore lint/suspicious/noExplicitAny: the package's context
    loadExistingGrant: async (ctx: any) => {
      const grant = new provider.Grant({
        clientId: ctx.oidc.client.clientId,
        accountId: ctx.oidc.session.accountId,
      });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  });
  handle = (request, response) => {
    if (!request.url?.startsWith('/visit/')) return provider.callback()(request, response);
    const result = visitor
      ? { login: { accountId: visitor.sub, ...(visitor.acr ? { acr: visitor.acr } : {}) } }
      : { error: 'access_denied' };
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };

  const setVisitor = (account: Account | null) => {
    visitor = account;
    if (account) accounts.set(account.sub, account);
  };
  return {
    issuer,
    setVisitor,
    visit: async (authorizationUrl, account) => {
      setVisitor(account);
      return await followRedirects(`${publicUrl}/`, authorizationUrl);
    },
    close: () => stop(server),
  };
}

/** Follows redirects with a separate cookie jar until one leads away from the provider. */
async function followRedirects(targetPrefix: string, startUrl: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = startUrl;
  for (let steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`The provider responded ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
    if (url.startsWith(targetPrefix)) return new URL(url);
  }
  throw new Error('The provider never sent the browser back');
}
