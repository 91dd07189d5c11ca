import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createPerson, type Person, unique } from './support/api.ts';
import { waitForFocus } from './support/focus.ts';
import { buildAccount, startSso } from './support/identity-provider.ts';
import { test, testWithOwnServer } from './support/test.ts';

/** Fills in a form without saving it, and returns the description in the form. */
async function fillIntegration(page: Page): Promise<string> {
  const description = `Change log ${unique()}`;
  await page.goto('/integrations/new/webhook');
  await page.getByLabel('Description').fill(description);
  await page.getByLabel(/^URL/).fill('https://example.com/hook');
  return description;
}

const loginDialog = (page: Page) => page.getByRole('dialog', { name: 'Your session ended' });

async function logInAgain(page: Page, { username, password }: Person): Promise<void> {
  await loginDialog(page).getByLabel('Username or email address').fill(username);
  await loginDialog(page)
    .getByLabel(/^Password/)
    .fill(password);
  await loginDialog(page).getByRole('button', { name: 'Log in' }).click();
}

test('if the session ends while the user edits, the console asks for a login and keeps the input', async ({
  page,
  api,
  logInAs,
}) => {
  const person = await logInAs({ rootRole: 'Admin' });
  const description = await fillIntegration(page);
  await api.send('DELETE', `/api/admin/user-admin/${person.id}/sessions`);

  await page.getByRole('button', { name: 'Create integration' }).click();
  await loginDialog(page)
    .getByText('Your last change is not saved yet. It is saved as soon as you log in.')
    .waitFor();
  await page.keyboard.press('Escape');
  await loginDialog(page).getByLabel('Username or email address').waitFor();
  expect(await loginDialog(page).getByLabel('Username or email address').inputValue()).toBe(person.username);
  const password = loginDialog(page).getByLabel(/^Password/);
  await waitForFocus(password);
  await expectAccessible(page);
  await logInAgain(page, { ...person, password: 'wrong' });
  await loginDialog(page).getByText('The username or password is wrong.').waitFor();
  await logInAgain(page, person);

  // After the login, the page repeats the request that was rejected with 401.
  await page
    .getByRole('dialog', { name: 'Signing secret' })
    .getByText(/^whsec_/)
    .waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('heading', { name: description }).waitFor();
  const { addons } = await api.send<{ addons: { description: string }[] }>('GET', '/api/admin/addons');
  expect(addons.filter(addon => addon.description === description)).toHaveLength(1);
  await expectAccessible(page);
});

test("logging in as a different user does not send the first user's requests", async ({
  page,
  api,
  logInAs,
}) => {
  const person = await logInAs({ rootRole: 'Admin' });
  const otherPerson = await createPerson(api, { rootRole: 'Admin' });
  const description = await fillIntegration(page);
  await api.send('DELETE', `/api/admin/user-admin/${person.id}/sessions`);

  await page.getByRole('button', { name: 'Create integration' }).click();
  await logInAgain(page, otherPerson);

  const dialog = page.getByRole('dialog', { name: 'A different user is logged in' });
  await dialog.getByText(`The input on this page is from ${person.username}. It was not saved.`).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('link', { name: `Continue as ${otherPerson.username}` }).click();
  await page.waitForURL('/');
  await page.getByRole('button', { name: otherPerson.username }).waitFor();
  const { addons } = await api.send<{ addons: { description: string }[] }>('GET', '/api/admin/addons');
  expect(addons.map(addon => addon.description)).not.toContain(description);
});

test("logging in as a different user in a second tab does not send the first user's input", async ({
  page,
  api,
  logInAs,
}) => {
  const person = await logInAs({ rootRole: 'Admin' });
  const description = await fillIntegration(page);
  const secondTab = await page.context().newPage();
  const otherPerson = await logInAs({ rootRole: 'Admin' }, secondTab);
  await page.evaluate(() => dispatchEvent(new Event('focus')));

  await page.getByRole('button', { name: 'Create integration' }).click();

  const dialog = page.getByRole('dialog', { name: 'A different user is logged in' });
  await dialog.getByText(`The input on this page is from ${person.username}. It was not saved.`).waitFor();
  await dialog.getByRole('link', { name: `Continue as ${otherPerson.username}` }).waitFor();
  await expectAccessible(page);
  const { addons } = await api.send<{ addons: { description: string }[] }>('GET', '/api/admin/addons');
  expect(addons.map(addon => addon.description)).not.toContain(description);
});

test('the login page redirects a user with a session to the requested page', async ({ page, logInAs }) => {
  await logInAs();
  await page.goto('/login?to=/projects');
  await page.waitForURL('/projects');
  await page.goto('/login?to=/login');
  await page.waitForURL('/');
});

const testOnOwnServer = testWithOwnServer();

testOnOwnServer(
  'a login with single sign-on in a new window keeps the input',
  async ({ page, server, api }) => {
    const provider = await startSso(server);
    provider.setVisitor(buildAccount());
    await page.goto('/auth/oidc/login');
    await page.getByRole('button', { name: 'Dora' }).waitFor();
    const description = await fillIntegration(page);
    const { users } = await api.send<{ users: { id: number; name: string | null }[] }>(
      'GET',
      '/api/admin/user-admin',
    );
    const { id } = users.find(({ name }) => name === 'Dora') ?? {};
    await api.send('DELETE', `/api/admin/user-admin/${id}/sessions`);

    await page.getByRole('button', { name: 'Create integration' }).click();
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      loginDialog(page).getByRole('link', { name: 'Log in with single sign-on in a new window' }).click(),
    ]);
    await popup.getByRole('heading', { name: 'You are logged in' }).waitFor();
    await expectAccessible(popup);

    await page
      .getByRole('dialog', { name: 'Signing secret' })
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: description }).waitFor();
  },
);
