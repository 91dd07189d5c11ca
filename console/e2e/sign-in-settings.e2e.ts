import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { buildAccount, startProvider, startSso } from './support/identity-provider.ts';
import { test, testWithOwnServer } from './support/test.ts';

const testOnOwnServer = testWithOwnServer();

testOnOwnServer(
  'only tested single sign-on settings can be saved, and any edit clears the test',
  async ({ page, api, server, logInAs }) => {
    const { issuer, client } = await startProvider(server);
    await logInAs({ rootRole: 'Admin' });
    await page.goto('/admin/sign-in');
    const saveButton = page.getByRole('button', { name: /^Save/ });
    const testButton = page.getByRole('button', { name: /^Test/ });
    await page.getByLabel('Log in with OpenID Connect').check();
    await page.getByText('Test these settings to save them').waitFor();
    expect(await saveButton.isDisabled()).toBe(true);

    await testButton.click();
    await page.getByText('Is required to enable single sign-on').first().waitFor();
    await page.getByLabel('Issuer or discovery URL').fill(issuer);
    await page.getByLabel('Client ID').fill(client.clientId);
    await page.getByLabel('Client secret').fill('wrong');
    await testButton.click();
    await page.getByText('The provider does not accept the client ID').waitFor();
    await page.getByText('The test failed').waitFor();
    expect(await saveButton.isDisabled()).toBe(true);
    await expectAccessible(page);

    await page.getByLabel('Client secret').fill(client.secret);
    await page.getByText('The form has changed since this test.').waitFor();
    await testButton.click();
    await page.getByText('Tested as shown').waitFor();
    await page.getByLabel('Create an account at the first login').check();
    await page.getByText('Test these settings to save them').waitFor();
    await testButton.click();
    await page.getByText(/Is required with autoCreate/).waitFor();
    await page.getByLabel('Email domains').fill('example.com');
    await testButton.click();
    await page.getByText('Tested as shown').waitFor();
    // The input that the tab stores must not contain the secret.
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(client.secret);
    await saveButton.click();
    await page.getByText('Sign-in settings saved.').waitFor();
    expect(await api.send('GET', '/api/admin/auth/oidc/settings')).toMatchObject({
      enabled: true,
      clientId: client.clientId,
      emailDomains: 'example.com',
    });
    await page.getByLabel('Client secret').and(page.locator('[value="•••••••• stored"]')).waitFor();
    await expectAccessible(page);
  },
);

testOnOwnServer(
  'passwords stay enabled until an admin has logged in with single sign-on',
  async ({ page, newPage, server, logInAs }) => {
    const provider = await startSso(server);
    await logInAs({ rootRole: 'Admin' });
    await page.goto('/admin/sign-in/passwords');
    const disableButton = page.getByRole('button', { name: /^Disable passwords/ });
    await page.getByLabel('Log in with a password').uncheck();
    await page.getByText('No admin could log in afterwards.').waitFor();
    expect(await disableButton.isDisabled()).toBe(true);
    await expectAccessible(page);

    provider.setVisitor(buildAccount());
    const otherPage = await newPage();
    await otherPage.goto('/login');
    await otherPage.getByRole('link', { name: 'Log in with single sign-on' }).click();
    await otherPage.getByRole('button', { name: 'Dora' }).waitFor();
    await page.reload();
    await page.getByText('Keep passwords enabled for now.').waitFor();
    await page.getByText('Dora').waitFor();
    await disableButton.click();
    await page.getByText('Passwords disabled. Open sessions continue.').waitFor();

    // Somebody else enables passwords while this page is open.
    await page.getByLabel('Log in with a password').check();
    await otherPage.goto('/admin/sign-in/passwords');
    await otherPage.getByLabel('Log in with a password').check();
    await otherPage.getByRole('button', { name: /^Enable passwords/ }).click();
    await otherPage.getByText('Passwords enabled.').waitFor();
    await page.getByRole('button', { name: /^Enable passwords/ }).click();
    await page.getByText('Passwords enabled.').waitFor();
  },
);

test('origins of frontend SDKs are checked line by line, and a Viewer cannot open the page', async ({
  page,
  newPage,
  api,
  logInAs,
}) => {
  await logInAs({ rootRole: 'Admin' });
  await page.goto('/admin/sign-in/origins');
  const origins = page.getByLabel('Origins of your pages, one per line');
  const originsBefore = await origins.inputValue();
  await origins.fill('https://shop.example.com\nhttps://SHOP.example.com/cart');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText(/Line 2: .*must be \* or an origin/).waitFor();
  await expectAccessible(page);
  await origins.fill('https://shop.example.com');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('Origins saved.').waitFor();

  // Somebody else changes the list while it is edited here.
  await origins.fill('https://mine.example.com');
  await api.send('POST', '/api/admin/ui-config/cors', { frontendApiOrigins: ['https://theirs.example.com'] });
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText(/changed this list of origins/).waitFor();
  await page.getByRole('button', { name: 'Continue with mine' }).click();
  await origins.fill(originsBefore);
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect.poll(() => page.getByRole('button', { name: /^Save/ }).count()).toBe(0);

  const viewerPage = await newPage();
  await logInAs({ rootRole: 'Viewer' }, viewerPage);
  await viewerPage.goto('/admin/sign-in');
  await viewerPage.getByText('You need a different permission').waitFor();
  await viewerPage
    .getByText(/UPDATE_AUTH_CONFIGURATION/)
    .first()
    .waitFor();
});
