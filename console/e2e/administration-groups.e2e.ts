import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createPerson, createProject, unique } from './support/api.ts';
import { visitAndWait } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin(
  'creates a group with members, grants the group a role in a project, and deletes the group',
  async ({ page, api }) => {
    const name = `Crew ${unique()}`;
    const person = await createPerson(api);
    const projectName = `Project ${unique()}`;
    const project = await createProject(api, { name: projectName });
    await visitAndWait(page, '/admin/groups/new');

    await page.getByLabel('Name', { exact: false }).first().fill(name);
    await page.getByLabel('Members (0)').fill(person.username);
    await page.getByRole('button', { name: `Add ${person.username}` }).click();
    await page.getByRole('button', { name: `Remove ${person.username}` }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const groupPath = new URL(page.url()).pathname;
    await page.getByRole('combobox', { name: 'Grant a role in a project' }).fill(projectName);
    await page.getByRole('option', { name: projectName }).click();
    const panel = page.getByRole('dialog', { name: `Grant a role in ${projectName}` });
    await panel.getByRole('list', { name: 'Chosen' }).getByText(name).waitFor();
    await panel.getByRole('button', { name: 'Grant role' }).click();
    await page.getByText(`Granted Member to ${name}.`).waitFor();
    await visitAndWait(page, groupPath);
    await page.getByText('Member, since').waitFor();
    await expectAccessible(page);
    const { users } = await api.send<{ users: unknown[]; groups: { name: string; roles: number[] }[] }>(
      'GET',
      `/api/admin/projects/${project}/access`,
    );
    expect(users).toHaveLength(0);

    await page.getByRole('button', { name: 'Delete group…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 member loses what they have through this group').waitFor();
    await dialog.getByLabel(/^Type/).fill(name);
    await dialog.getByRole('button', { name: 'Delete group' }).click();

    await page.waitForURL('/admin/groups');
    await visitAndWait(page, `/admin/groups?query=${encodeURIComponent(name)}`);
    await page.getByText('No groups match.').waitFor();
  },
);

testAsAdmin('names with bidi characters do not reorder the words around them', async ({ page, api }) => {
  const [name, projectName] = [`Crew \u202E${unique()}`, `Project \u202E${unique()}`];
  const project = await createProject(api, { name: projectName });
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/groups', { name });
  const { roles } = await api.send<{ roles: { id: number; name: string }[] }>('GET', '/api/admin/roles');
  const role = roles.find(candidate => candidate.name === 'Member');
  await api.send('PUT', `/api/admin/projects/${project}/groups/${id}/roles`, { roles: [role?.id] });
  await visitAndWait(page, `/admin/groups/${id}`);

  const link = page.getByRole('list').getByRole('link', { name: projectName }).last();
  expect(await link.evaluate(element => getComputedStyle(element).unicodeBidi)).toBe('isolate');
  await page.getByRole('button', { name: `Revoke the roles in ${projectName}` }).click();

  const [escapedName, escapedProjectName] = [name, projectName].map(text =>
    text.replace('\u202E', '\\u202E'),
  );
  await page
    .getByRole('dialog')
    .getByText(`Members of ${escapedName} are no longer Member in ${escapedProjectName}, unless`)
    .waitFor();
});

testAsAdmin(
  'edits a group, adopts a concurrent change after a conflict, and rejects a taken name',
  async ({ page, api }) => {
    const [name, takenName] = [`Team ${unique()}`, `Taken ${unique()}`];
    const { id } = await api.send<{ id: number }>('POST', '/api/admin/groups', { name });
    await api.send('POST', '/api/admin/groups', { name: takenName });
    await visitAndWait(page, `/admin/groups/${id}`);
    const description = page.getByLabel('Description');

    await description.fill('Mine');
    await api.send('PUT', `/api/admin/groups/${id}`, { name, description: 'Theirs' });
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText(/changed this group .*while you were editing it/).waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await description.inputValue()).toBe('Theirs');
    await page.getByLabel('Name').first().fill(takenName);
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText(/already exists/).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Discard' }).click();

    expect(await page.getByLabel('Name').first().inputValue()).toBe(name);
  },
);

testAsAdmin(
  'creates a service account and its token, shows the secret once, and deletes both',
  async ({ page, api, server }) => {
    const name = `Pipeline ${unique()}`;
    await visitAndWait(page, '/admin/service-accounts');
    await page.keyboard.press('n');
    const panel = page.getByRole('dialog', { name: 'New service account' });
    await panel.getByLabel('Name').first().fill(name);
    await panel.getByLabel('Role on this instance').selectOption('Editor');
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Create service account' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));

    await page.getByText('No tokens yet').waitFor();
    await page.getByRole('button', { name: 'New token…' }).click();
    const dialog = page.getByRole('dialog');
    const createButton = dialog.getByRole('button', { name: 'Create token' });
    const problem = dialog.getByRole('status');
    await problem.getByText('Enter a description.').waitFor();
    expect(await createButton.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByLabel('Description').fill('Build server');
    await dialog.getByLabel('Expires').selectOption('On a date…');
    await problem.getByText('Enter a date.').waitFor();
    expect(await createButton.isDisabled()).toBe(true);
    const date = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
    await dialog.getByLabel('Date').fill(date);
    await createButton.click();
    const secret = (await dialog.locator('code').textContent()) ?? '';
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    const meResponse = await fetch(`${server.url}/api/admin/user`, { headers: { authorization: secret } });
    expect(await meResponse.json()).toMatchObject({ user: { name, isAPI: true } });
    expect(await page.getByText(secret).count()).toBe(0);
    const { serviceAccounts } = await api.send<{
      serviceAccounts: { id: number; tokens: { expiresAt: string }[] }[];
    }>('GET', '/api/admin/service-account');
    const [token] = serviceAccounts.find(account => account.id === id)?.tokens ?? [];
    expect(token?.expiresAt).toBe(`${date}T00:00:00.000Z`);

    await page.getByLabel('Name').first().fill(`${name} 2`);
    await api.send('PUT', `/api/admin/service-account/${id}`, { name: 'Theirs' });
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText(/changed this service account .*while you were editing it/).waitFor();
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByRole('heading', { level: 1, name: `${name} 2` }).waitFor();
    await page.getByRole('button', { name: 'Delete… Build server' }).click();
    await dialog.getByRole('button', { name: 'Delete token' }).click();
    await page.getByText('No tokens yet').waitFor();
    await page.getByRole('button', { name: 'Delete service account…' }).click();
    await dialog.getByLabel(/^Type/).fill(name);
    await dialog.getByRole('button', { name: 'Delete service account' }).click();

    await page.waitForURL('/admin/service-accounts');
    await expect.poll(() => page.getByRole('row').filter({ hasText: name }).count()).toBe(0);
  },
);

testAsAdmin(
  'changes when a token of a service account expires, and rotates its secret with the same scope',
  async ({ page, api, server }) => {
    const toDate = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const { id } = await api.send<{ id: number }>('POST', '/api/admin/service-account', {
      name: `Pipeline ${unique()}`,
      rootRole: 2,
    });
    const path = `/api/admin/service-account/${id}/token`;
    const { secret } = await api.send<{ secret: string }>('POST', path, {
      description: 'Build server',
      expiresAt: `${toDate(100)}T00:00:00.000Z`,
      scope: { readOnly: true },
    });
    const listTokens = async () =>
      (await api.send<{ pats: { description: string; expiresAt: string; scope: unknown }[] }>('GET', path))
        .pats;
    await visitAndWait(page, `/admin/service-accounts/${id}`);

    await page.getByRole('button', { name: 'Change the expiry… Build server' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Date').inputValue()).toBe(toDate(100));
    await dialog.getByLabel('Date').fill('2020-01-01');
    await dialog.getByRole('button', { name: 'Save the expiry' }).click();
    await expect.poll(() => dialog.getByLabel('Date').getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await dialog.getByLabel('Date').fill(toDate(200));
    await dialog.getByRole('button', { name: 'Save the expiry' }).click();
    await page.getByText('Expiry saved.').waitFor();
    expect((await listTokens()).map(({ expiresAt }) => expiresAt)).toEqual([`${toDate(200)}T00:00:00.000Z`]);

    const rotateButton = page.getByRole('button', { name: 'Rotate the secret… Build server', exact: true });
    await rotateButton.click();
    await expect.poll(() => dialog.getByLabel('Date').inputValue()).toBe(toDate(200));
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Build server 2');
    expect(await dialog.getByLabel('Access').count()).toBe(0);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const newSecret = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Rotate the secret… Build server 2' }).waitFor();
    await page.getByRole('listitem').getByText('created token Build server 2').waitFor();
    await expectAccessible(page);

    const [oldToken, newToken] = await listTokens();
    expect(newToken).toMatchObject({
      description: 'Build server 2',
      expiresAt: oldToken?.expiresAt,
      scope: oldToken?.scope,
    });
    for (const authorization of [secret, newSecret]) {
      const response = await fetch(`${server.url}/api/admin/user`, { headers: { authorization } });
      expect(response.status).toBe(200);
    }
  },
);

testAsAdmin(
  "grants and revokes a service account's access to the secrets of its API tokens",
  async ({ page, api }) => {
    const name = `Terraform ${unique()}`;
    const canReadSecrets = async (id: number) =>
      (await api.send<{ readsTokenSecrets: boolean }>('GET', `/api/admin/service-account/${id}`))
        .readsTokenSecrets;
    await visitAndWait(page, '/admin/service-accounts?edit=new');
    const panel = page.getByRole('dialog', { name: 'New service account' });
    await panel.getByLabel('Name').first().fill(name);
    await panel.getByLabel('Can read the secrets').check();
    await panel.getByRole('button', { name: 'Create service account' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));
    const checkbox = page.getByLabel('Can read the secrets');
    expect(await checkbox.isChecked()).toBe(true);
    expect(await canReadSecrets(id)).toBe(true);

    await checkbox.uncheck();
    await page.getByText('Saving permanently deletes the stored secrets').waitFor();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('Service account saved.').waitFor();
    await expectAccessible(page);

    expect(await canReadSecrets(id)).toBe(false);
  },
);

testAsAdmin(
  'creates an invitation, signs up with its link, disables the invitation, and changes its expiry',
  async ({ page, newPage, server }) => {
    const name = `Interns ${unique()}`;
    const person = `Ines ${unique()}`;
    await visitAndWait(page, `/admin/invitations?query=${encodeURIComponent(name)}`);
    await page.keyboard.press('n');
    const panel = page.getByRole('dialog', { name: 'New invitation' });
    await panel.getByLabel('Name').fill(name);
    await panel.getByLabel('Expires').selectOption('30 days from now');
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Create invitation' }).click();
    const dialog = page.getByRole('dialog', { name: `Link for ${name}` });
    const link = new URL((await dialog.locator('code').textContent()) ?? '');
    await dialog.getByRole('button', { name: 'I have sent it' }).click();
    const detail = page.getByRole('complementary', { name });
    await detail.getByText('Nobody has used the link yet.').waitFor();

    const guestPage = await newPage();
    const signupResponse = await guestPage.request.post(`/invite/${link.searchParams.get('token')}/signup`, {
      data: {
        email: `${unique()}@example.com`,
        name: person,
        password: 'correct horse battery staple',
      },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(signupResponse.status(), `${server.url} ${await signupResponse.text()}`).toBe(201);
    await detail.getByText(person).waitFor();
    await detail.getByRole('link', { name: 'a group that has roles' }).waitFor();
    await expectAccessible(page);
    await detail.getByRole('button', { name: 'Disable' }).click();
    await detail.getByText('Disabled').waitFor();
    await page.getByRole('row').filter({ hasText: name }).getByText('Disabled').waitFor();

    await detail.getByRole('button', { name: 'Enable' }).click();
    await detail.getByText('Open', { exact: true }).waitFor();
    const expiry = detail.getByRole('region', { name: 'Expires' });
    const expiryBefore = await expiry.locator('time').textContent();
    await expiry.getByLabel('Expires in').selectOption('1 day from now');
    await expect.poll(() => expiry.locator('time').textContent()).not.toBe(expiryBefore);
  },
);
