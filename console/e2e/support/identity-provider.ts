import { onTestFinished } from 'vitest';
import {
  type Account,
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../../../server/src/test/identity-provider.ts';
import { createApi, unique } from './api.ts';

/** Starts an OpenID provider on this machine, in which the server is registered as a client. */
export async function startProvider(server: {
  url: string;
}): Promise<{ issuer: string; client: { clientId: string; secret: string } }> {
  const { issuer, close } = await startIdentityProvider({ publicUrl: server.url });
  onTestFinished(close);
  return { issuer, client: CLIENT };
}

/** Starts an OpenID provider on this machine, and configures the server to use the provider for single sign-on. */
export async function startSso(
  server: { url: string; adminToken: string },
  fields: object = {},
): Promise<Pick<IdentityProvider, 'setVisitor'>> {
  const provider = await startIdentityProvider({ publicUrl: server.url });
  onTestFinished(() => provider.close());
  await createApi(server).send('POST', '/api/admin/auth/oidc/settings', {
    enabled: true,
    discoverUrl: provider.issuer,
    ...CLIENT,
    autoCreate: true,
    emailDomains: 'example.com',
    defaultRootRole: 'Admin',
    ...fields,
  });
  return provider;
}

/** Builds an account at the identity provider. */
export const buildAccount = (fields: object = {}): Account => {
  const sub = `person-${unique()}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Dora', ...fields };
};
