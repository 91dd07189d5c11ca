import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createPerson, unique } from './support/api.ts';
import { buildAccount, startSso } from './support/identity-provider.ts';
import { logIn } from './support/log-in.ts';
import { test, testWithOwnServer } from './support/test.ts';

const PASSWORD = 'correct horse battery staple';
const testOnOwnServer = testWithOwnServer();

testOnOwnServer(
  'single sign-on opens the requested page, or explains its failure',
  async ({ page, server, api }) => {
    const provider = await startSso(server);
    const ssoButton = page.getByRole('link', { name: 'Log in with single sign-on' });
    const failure = page.getByRole('alert');
    await page.goto('/flags?query=checkout');
    await ssoButton.waitFor();
    await page.getByText('Forgot your password?').waitFor();
    await expectAccessible(page);
    await api.send('POST', '/api/admin/auth/simple/settings', { disabled: true });
    await page.reload();
    await ssoButton.waitFor();
    expect(await page.getByText(/password/i).count()).toBe(0);
    await api.send('POST', '/api/admin/auth/simple/settings', { disabled: false });

    provider.setVisitor(null);
    await ssoButton.click();
    await failure.getByText('The login was cancelled').waitFor();
    expect(new URL(page.url()).searchParams.get('failed')).toBe('cancelled');
    await expectAccessible(page);

    provider.setVisitor(buildAccount({ email: 'dora@elsewhere.example' }));
    await ssoButton.click();
    await failure.getByText('Ask an admin to create an account for you.').waitFor();

    // Without this, the provider's cookie would log in the previous visitor.
    await page.context().clearCookies({ domain: '127.0.0.1' });
    provider.setVisitor(buildAccount());
    await ssoButton.click();
    await page.waitForURL('/flags?query=checkout');
    await page.getByRole('button', { name: 'Dora' }).waitFor();
    await expectAccessible(page);

    await api.send('POST', '/api/admin/auth/oidc/settings', { enabled: false });
    await page.goto('/auth/oidc/login');
    await failure.getByText('Single sign-on is disabled. Log in with a password').waitFor();
    await expectAccessible(page);
  },
);

test('the login page shows no text from the URL', async ({ page }) => {
  await page.goto('/login?failed=error&id=Call%20us');
  await page.getByRole('alert').getByText('The login failed on the server.').waitFor();
  expect(await page.getByText('Call us').count()).toBe(0);

  await page.goto('/login?failed=Call%20us');
  await page.getByLabel('Username or email address').waitFor();
  expect(await page.getByText('Call us').count()).toBe(0);
});

test('an invitation link creates an account that can log in', async ({ page, api }) => {
  const { url } = await api.send<{ url: string }>('POST', '/api/admin/invite-link/tokens', {
    name: `Interns ${unique()}`,
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const email = `emil-${unique()}@example.com`;
  await page.goto(new URL(url).pathname + new URL(url).search);
  await page.getByRole('heading', { name: 'Sign up for Halyard' }).waitFor();

  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Name', { exact: true }).fill('Emil');
  await page.getByLabel('New password').fill('password1234');
  await page.getByText('easy to guess').waitFor();
  await expectAccessible(page);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByText('Your account is ready. Log in with your password.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Username or email address').fill(email);
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();

  await page.getByRole('button', { name: 'Emil' }).waitFor();
  await expectAccessible(page);
});

test('an invitation link that an admin disabled does not work', async ({ page, api }) => {
  const { secret, url } = await api.send<{ secret: string; url: string }>(
    'POST',
    '/api/admin/invite-link/tokens',
    { name: `Interns ${unique()}`, expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
  );
  await api.send('PUT', `/api/admin/invite-link/tokens/${secret}`, { enabled: false });

  await page.goto(new URL(url).pathname + new URL(url).search);

  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  await page.getByRole('link', { name: 'Go to the login page' }).waitFor();
  await expectAccessible(page);
});

test('a reset link sets a password, and works only once', async ({ page, api }) => {
  const { id, username } = await createPerson(api, { rootRole: 'Editor' });
  const { resetPasswordUrl } = await api.send<{ resetPasswordUrl: string }>(
    'POST',
    '/api/admin/user-admin/reset-password',
    { id },
  );
  const { pathname, search } = new URL(resetPasswordUrl);
  const newPassword = `${PASSWORD}, changed`;

  await page.goto(pathname + search);
  await page.getByText(`Choose a password for ${username}.`).waitFor();
  await expectAccessible(page);
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('Your password is set. Log in with it.').waitFor();
  await expectAccessible(page);
  await logIn(page, { username, password: newPassword });
  await page.goto(pathname + search);

  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  await page.getByText('The link has expired or was already used. Ask an admin for a new one.').waitFor();
  await expectAccessible(page);
});
