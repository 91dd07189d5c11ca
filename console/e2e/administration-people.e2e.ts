import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createPerson, createProject, unique } from './support/api.ts';
import { logIn } from './support/log-in.ts';
import { openPage, visit, visitAndWait } from './support/open-page.ts';
import { retry } from './support/retry.ts';
import { test, testAsAdmin, testBehindLoadBalancer } from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const administrationNavigation = (page: Page) => page.getByRole('navigation', { name: 'Administration' });
const mainNavigation = (page: Page) => page.getByRole('navigation', { name: 'Main' });
/** Opens the list filtered by a string, because the shared server has the users of many tests. */
const openUsers = (page: Page, text: string) =>
  openPage(page, `/admin/users?query=${encodeURIComponent(text)}`);

async function logInWithRootRole(api: Api, page: Page, permissions: string[]): Promise<void> {
  const { roles } = await api.send<{ roles: { id: number } }>('POST', '/api/admin/roles', {
    name: `Root ${unique()}`,
    type: 'root-custom',
    permissions: permissions.map(name => ({ name })),
  });
  const person = await createPerson(api);
  await api.send('PUT', `/api/admin/user-admin/${person.id}`, { rootRole: roles.id });
  await logIn(page, person);
}

/** Everyone may open these pages. */
const FOR_EVERYONE = [
  'Explain access',
  'Environments',
  'Segments',
  'Context fields',
  'Strategy types',
  'Feature types',
  'Tags',
];

test('lists only the pages that the user may open', async ({ page, newPage, api, logInAs }) => {
  const viewerPage = await newPage();
  await logInAs({ rootRole: 'Viewer' }, viewerPage);
  await openPage(viewerPage, '/');
  await mainNavigation(viewerPage).getByRole('link', { name: 'Administration' }).click();
  await viewerPage.waitForURL('/admin/explain-access');
  await expect
    .poll(() => administrationNavigation(viewerPage).getByRole('link').allTextContents())
    .toEqual(FOR_EVERYONE);

  await logInWithRootRole(api, page, ['READ_ROLE']);
  await openPage(page, '/');
  await mainNavigation(page).getByRole('link', { name: 'Administration' }).click();
  await page.waitForURL('/admin/roles');
  await expect
    .poll(() => administrationNavigation(page).getByRole('link').allTextContents())
    .toEqual(['Roles', ...FOR_EVERYONE]);
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('roles');
  await page.getByRole('button', { name: /^Roles/ }).waitFor();
  await page.keyboard.type('users');
  expect(await page.getByRole('button', { name: /^Users/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await openPage(page, '/admin/users');
  await page.getByText('requires the permission ADMIN').waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'the command palette finds people, segments, environments, tokens, and pages by alternative names',
  async ({ page, api }) => {
    const word = `zebra${unique()}`;
    const { id } = await createPerson(api, { name: `Pat ${word}` });
    await api.send('POST', '/api/admin/segments', { name: `segment-${word}`, constraints: [] });
    await api.send('POST', '/api/admin/api-tokens', {
      tokenName: `token-${word}`,
      type: 'client',
      environment: 'development',
      projects: ['*'],
    });
    await visitAndWait(page, '/admin/instance');
    const palette = page.getByRole('dialog', { name: 'Search or run' });
    const type = async (text: string) => {
      await page.keyboard.press('ControlOrMeta+k');
      await palette.getByRole('textbox').fill(text);
    };

    await type('cors');
    await palette.getByRole('button', { name: /^Sign-in/ }).waitFor();
    await page.keyboard.press('Escape');
    await type('rotate');
    await palette.getByRole('button', { name: /^API tokens/ }).waitFor();
    await palette.getByRole('button', { name: /^Service accounts/ }).waitFor();
    await page.keyboard.press('Escape');
    await type('require reason default');
    await palette.getByRole('button', { name: 'Default: Rules and limits' }).waitFor();
    await page.keyboard.press('Escape');
    await type('productio');
    await palette.getByRole('button', { name: /^production/ }).waitFor();
    await page.keyboard.press('Escape');
    await type(word);
    await palette.getByRole('button', { name: `segment-${word}` }).waitFor();
    await palette.getByRole('button', { name: `token-${word}` }).waitFor();
    await expectAccessible(page);
    await palette.getByRole('button', { name: `Pat ${word}` }).click();

    await page.waitForURL(`/admin/users?user=${id}`);
    await page.getByRole('complementary', { name: `Pat ${word}` }).waitFor();
  },
);

test('a narrow window shows the navigation as a select instead of a column', async ({ newPage, logInAs }) => {
  const page = await newPage({ viewport: { width: 360, height: 740 } });
  await logInAs({ rootRole: 'Admin' }, page);

  await openPage(page, '/admin/users?query=none');
  expect(await administrationNavigation(page).isVisible()).toBe(false);
  await page.getByRole('combobox', { name: 'Administration' }).selectOption('Groups');

  await page.waitForURL('/admin/groups');
  await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'creates a user, shows the invitation link once, and lists the user as invited',
  async ({ page, api }) => {
    const name = `Farid ${unique()}`;
    const email = `${unique()}@example.com`;
    await openUsers(page, name);
    await page.getByText('No users match.').waitFor();

    await page.keyboard.press('n');
    const panel = page.getByRole('dialog', { name: 'New user' });
    await panel.getByLabel('Name', { exact: true }).fill(name);
    expect(await panel.getByRole('button', { name: 'Create user' }).isDisabled()).toBe(true);
    await panel.getByLabel('Username').fill('dora@example.com');
    await panel.getByRole('button', { name: 'Create user' }).click();
    await panel.getByText('Must not contain an @ unless it equals email').waitFor();
    await expectAccessible(page);
    await panel.getByLabel('Username').fill('');
    await panel.getByLabel('Email address').fill(email);
    await panel.getByLabel('Role').selectOption('Editor');
    await panel.getByRole('button', { name: 'Create user' }).click();
    const dialog = page.getByRole('dialog', { name: `Invitation link for ${name}` });
    const link = (await dialog.locator('code').textContent()) ?? '';
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I have sent it' }).click();

    await row(page, name).getByText('Invited').waitFor();
    const details = page.getByRole('complementary', { name });
    await details.getByText(`${name} does not have a project role.`).waitFor();
    await details.getByRole('combobox', { name: 'Grant a role in a project' }).waitFor();
    await details.getByRole('link', { name: 'a group that has roles' }).waitFor();
    expect(new URL(link).pathname).toBe('/new-user');
    const { users } = await api.send<{ users: { email: string; rootRole: number }[] }>(
      'GET',
      '/api/admin/user-admin',
    );
    expect(users.find(user => user.email === email)?.rootRole).toBe(2);
    await page.getByText('Invited', { exact: false }).first().click();
    await row(page, name).waitFor();
  },
);

testAsAdmin('asks before it discards a new user', async ({ page }) => {
  await visit(page, '/admin/users?query=none&edit=new');
  const panel = page.getByRole('dialog', { name: 'New user' });
  await panel.getByLabel('Name', { exact: true }).fill('Farid');

  await expectDiscardConfirmation(page, panel.getByLabel('Name', { exact: true }), [
    () => page.keyboard.press('Escape'),
  ]);
});

testAsAdmin(
  "shows the user's role in every project with its reasons, and the projects without access",
  async ({ page, api }) => {
    const id = unique();
    const payments = await createProject(api, { name: `Payments ${id}` });
    const hiddenProject = await createProject(api, { name: `Hidden ${id}`, mode: 'private' });
    const openProject = await createProject(api, { name: `Open ${id}` });
    const person = await createPerson(api, {
      name: `Dora ${id}`,
      rootRole: 'Editor',
      projectRoles: { [payments]: 'Member' },
    });
    const group = await api.send<{ id: number }>('POST', '/api/admin/groups', {
      name: `on-call-${id}`,
      users: [{ user: { id: person.id } }],
    });
    await api.send('POST', `/api/admin/projects/${payments}/groups/${group.id}/roles/4`);

    await openUsers(page, id);
    await row(page, `on-call-${id}`).getByRole('link').click();
    await page.getByText(/^\d+ other projects?/).click();
    const projects = page.getByRole('complementary').getByRole('listitem');
    const project = (name: string) => projects.filter({ hasText: `${name} ${id}` });

    await project('Payments').getByText('Owner', { exact: true }).waitFor();
    await project('Payments').getByText(`Group on-call-${id} has the role Owner`).waitFor();
    await project('Payments').getByText(`Dora ${id} has the role Member`).waitFor();
    await project('Open').getByText('Everyone can read a project that is not private').waitFor();
    await projects.filter({ hasText: 'Default' }).getByText('Editor on this instance').waitFor();
    await project('Hidden').getByText('no access').waitFor();
    await project('Hidden').getByText('is not a member').waitFor();
    expect([hiddenProject, openProject]).toHaveLength(2);
    await expectAccessible(page);
  },
);

testAsAdmin('edits a user, and resolves a conflict between two editors', async ({ page, api }) => {
  const { id, username } = await createPerson(api, { name: `Ben ${unique()}` });
  await openUsers(page, username);
  const details = page.getByRole('complementary', { name: /^Ben / });
  await page.keyboard.press('j');
  await details.waitFor();
  await page.keyboard.press('Enter');
  // J has already opened the details, so Enter only moves focus into them.
  await expect.poll(() => details.evaluate(element => element.contains(document.activeElement))).toBe(true);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Edit…' }).click();
  const panel = page.getByRole('dialog');
  const nameField = panel.getByLabel('Name', { exact: true });
  await nameField.fill('Ben Lindqvist');

  await api.send('PUT', `/api/admin/user-admin/${id}`, { name: 'Benjamin' });
  await panel.getByRole('button', { name: /^Save/ }).click();
  await panel.getByText(/changed this user .*while you were editing it/).waitFor();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Continue with mine' }).click();
  await panel.getByRole('button', { name: /^Save/ }).click();

  await panel.waitFor({ state: 'hidden' });
  await row(page, 'Ben Lindqvist').waitFor();
  expect(await api.send('GET', `/api/admin/user-admin/${id}`)).toMatchObject({ name: 'Ben Lindqvist' });
});

testAsAdmin(
  'changes a role in the list, and asks before somebody becomes an admin',
  async ({ page, api }) => {
    const { id, username } = await createPerson(api);
    const readRole = async () =>
      (await api.send<{ rootRole: number }>('GET', `/api/admin/user-admin/${id}`)).rootRole;
    await openUsers(page, username);
    const select = page.getByLabel(`Role of ${username}`);

    await select.selectOption('Editor');
    await page.getByText(`${username} now has the role Editor.`).waitFor();
    expect(await readRole()).toBe(2);
    await select.selectOption('Admin');
    const dialog = page.getByRole('dialog', { name: `Make ${username} an admin?` });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await readRole()).toBe(2);
    await select.selectOption('Admin');
    await dialog.getByRole('button', { name: 'Make admin' }).click();

    await expect.poll(readRole).toBe(1);
  },
);

testAsAdmin(
  'resets a password, ends sessions, and deletes a user after their name is typed',
  async ({ page, newPage, api }) => {
    const person = await createPerson(api);
    const personPage = await newPage();
    await logIn(personPage, person);
    await visitAndWait(page, `/admin/users?query=${person.username}&user=${person.id}`);
    const dialog = page.getByRole('dialog');

    await page.getByRole('button', { name: 'Reset password…' }).click();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    expect(await dialog.locator('code').textContent()).toContain('/reset-password?token=');
    await dialog.getByRole('button', { name: 'I have sent it' }).click();
    await page.getByRole('button', { name: 'End sessions…' }).click();
    await dialog.getByRole('button', { name: 'End 1 session' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await personPage.request.get('/api/admin/user')).status()).toBe(401);

    await page.getByRole('button', { name: 'Delete user…' }).click();
    const deleteButton = dialog.getByRole('button', { name: 'Delete user' });
    expect(await deleteButton.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type/).fill(person.username);
    await expectAccessible(page);
    await deleteButton.click();

    await page.getByText('No users match.').waitFor();
  },
);

testAsAdmin('renders only a few rows of 10,000 users, and finds a user', async ({ page }) => {
  const user = (id: number) => ({
    id,
    name: `Person ${id}`,
    username: `person-${id}`,
    email: null,
    rootRole: 3,
    isAPI: false,
    imageUrl: '',
    accountType: 'User',
    createdAt: '2026-01-01T00:00:00.000Z',
    seenAt: null,
    hasPassword: true,
    hasSingleSignOn: false,
    invitedUntil: null,
    groups: [],
  });
  const users = Array.from({ length: 10_000 }, (_, n) => user(n + 1));
  const rootRoles = [{ id: 3, name: 'Viewer', type: 'root', description: '' }];
  await page.route('**/api/admin/user-admin', route => route.fulfill({ json: { users, rootRoles } }));
  await visitAndWait(page, '/admin/users');

  await page.getByText('10,000 users').first().waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  await page.keyboard.press('/');
  await page.keyboard.type('person 9999');
  await row(page, 'Person 9999').waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
});

testBehindLoadBalancer('shows a server error, and retries', async ({ page, server, logInAs, tolerated }) => {
  tolerated.push(/responded with (a status of )?500/);
  await logInAs({ rootRole: 'Admin' });
  server.loadBalancer.broken = { paths: /^\/api\/admin\/user-admin$/, status: 500 };
  await page.goto('/admin/users?query=none');
  await page.getByText('This part did not load').waitFor();
  await expectAccessible(page);

  delete server.loadBalancer.broken;
  await retry(page, page.getByText('No users match.'));
});

testAsAdmin(
  'opens the panel that grants a role from the user page, with the user already chosen',
  async ({ page, api }) => {
    const name = `Payments ${unique()}`;
    const project = await createProject(api, { name });
    const { id, username } = await createPerson(api);
    await visit(page, `/admin/users?query=${username}&user=${id}`);

    await page.getByRole('combobox', { name: 'Grant a role in a project' }).fill(name);
    await page.getByRole('option', { name }).click();
    const panel = page.getByRole('dialog', { name: 'Grant a role' });
    await panel.getByRole('list', { name: 'Chosen' }).getByText(username).waitFor();
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Grant role' }).click();

    await page.getByText(`Granted Member to ${username}.`).waitFor();
    const { users } = await api.send<{ users: { id: number; roles: number[] }[] }>(
      'GET',
      `/api/admin/projects/${project}/access`,
    );
    expect(users.find(user => user.id === id)?.roles).toEqual([5]);
  },
);
