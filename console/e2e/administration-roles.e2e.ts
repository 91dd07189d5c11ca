import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createPerson, createProject, unique } from './support/api.ts';
import { logIn } from './support/log-in.ts';
import { openPage, visitAndWait } from './support/open-page.ts';
import { testAsAdmin, testWithOwnServer } from './support/test.ts';

type Role = { id: number; name: string; permissions: { name: string; environment?: string }[] };

const createRole = async (api: Api, permissions: object[], type = 'custom'): Promise<Role> =>
  (
    await api.send<{ roles: Role }>('POST', '/api/admin/roles', {
      name: `Role ${unique()}`,
      description: 'Releases flags',
      type,
      permissions,
    })
  ).roles;

const readPermissions = async (api: Api, id: number) =>
  (await api.send<Role>('GET', `/api/admin/roles/${id}`)).permissions.map(({ name, environment }) =>
    environment ? `${name} ${environment}` : name,
  );

/** Closes the focused control's tooltip, because tooltips are outside the page's landmarks, which `expectAccessible` would report. */
async function closeTooltip(page: Page): Promise<void> {
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
}

testAsAdmin('creates a role from an existing one, and changes it in the matrix', async ({ page, api }) => {
  const source = await createRole(api, [{ name: 'UPDATE_FEATURE' }]);
  const name = `Release ${unique()}`;
  await visitAndWait(page, `/admin/roles/${source.id}`);

  await page.getByRole('link', { name: 'Duplicate' }).click();
  await expect.poll(() => page.getByLabel('Name').first().inputValue()).toBe(`Copy of ${source.name}`);
  expect(await page.getByLabel('Description').inputValue()).toBe('');
  await page.getByLabel('Name').first().fill(name);
  expect(await page.getByLabel('Update: Flags').isChecked()).toBe(true);
  await page.getByLabel('Create: Flags').check();
  await page.getByLabel('Enable and disable flags in production').check();
  await closeTooltip(page);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create role' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));

  expect(await readPermissions(api, id)).toEqual([
    'CREATE_FEATURE',
    'UPDATE_FEATURE',
    'UPDATE_FEATURE_ENVIRONMENT production',
  ]);
  await page.getByLabel('Update: Flags').uncheck();
  await page.getByLabel('Enable and disable flags in all environments').check();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('Role saved.').waitFor();

  expect(await readPermissions(api, id)).toEqual(['CREATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT']);
  await closeTooltip(page);
  await expectAccessible(page);
});

testAsAdmin('compares two roles, and shows only the differences', async ({ page, api }) => {
  const role = await createRole(api, [{ name: 'UPDATE_FEATURE' }, { name: 'MOVE_FEATURE_TOGGLE' }]);
  const otherRole = await createRole(api, [{ name: 'UPDATE_FEATURE' }, { name: 'DELETE_PROJECT' }]);
  await visitAndWait(page, `/admin/roles/${role.id}`);

  await page.getByLabel('Compare with').selectOption(otherRole.name);
  await page.getByText(`not in ${otherRole.name}`).waitFor();
  await page.getByLabel('Move: Flags, only in this role').waitFor();
  await page.getByLabel('Delete: Project, only in the other role').waitFor();
  await expectAccessible(page);
  await page.getByText('Only differences 2').click();

  await page.getByRole('row', { name: 'API tokens' }).waitFor({ state: 'hidden' });
  expect(await page.getByRole('table', { name: 'In the project' }).getByRole('row').count()).toBe(3);
  expect(await page.getByRole('table', { name: 'In environments' }).count()).toBe(0);
});

testAsAdmin('shows who has a role, and deletes the role only if nobody has it', async ({ page, api }) => {
  const role = await createRole(api, [{ name: 'UPDATE_FEATURE' }]);
  const project = await createProject(api, { name: `Held ${unique()}` });
  const person = await createPerson(api, { projectRoles: { [project]: role.name } });
  await visitAndWait(page, `/admin/roles/${role.id}`);

  await page.getByRole('link', { name: person.username }).waitFor();
  await page.getByText('You cannot delete this role while').waitFor();
  const deleteButton = page.getByRole('button', { name: 'Delete role…' });
  expect(await deleteButton.getAttribute('aria-disabled')).toBe('true');
  await expectAccessible(page);
  await api.send('DELETE', `/api/admin/projects/${project}/users/${person.id}/roles`);
  await page.getByText('Nobody has this role. Choose a project').waitFor();
  await deleteButton.click();
  await page.getByRole('dialog').getByLabel(/^Type/).fill(role.name);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete role' }).click();

  await page.waitForURL('/admin/roles');
});

testAsAdmin(
  'a conflict stops a save, and the page is read-only for built-in roles and for users without ADMIN',
  async ({ page, newPage, api }) => {
    const role = await createRole(api, [{ name: 'UPDATE_FEATURE' }]);
    await visitAndWait(page, `/admin/roles/${role.id}`);
    await page.getByLabel('Create: Flags').check();
    await api.send('PUT', `/api/admin/roles/${role.id}`, {
      name: role.name,
      permissions: [{ name: 'DELETE_FEATURE' }],
    });
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText(/changed this role .*while you were editing it/).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await page.getByLabel('Delete: Flags').isChecked()).toBe(true);

    await visitAndWait(page, '/admin/roles/1');
    expect(await page.getByLabel('Create: Flags').isChecked()).toBe(true);
    expect(await page.getByLabel('Create: Flags').isDisabled()).toBe(true);
    const readerRole = await createRole(api, [{ name: 'READ_ROLE' }], 'root-custom');
    const person = await createPerson(api);
    await api.send('PUT', `/api/admin/user-admin/${person.id}`, { rootRole: readerRole.id });
    const readerPage = await newPage();
    await logIn(readerPage, person);
    await openPage(readerPage, `/admin/roles/${role.id}`);
    expect(await readerPage.getByLabel('Create: Flags').isDisabled()).toBe(true);
    await readerPage.getByRole('link', { name: 'Duplicate' }).focus();
    await readerPage.getByText('Requires the Admin role').first().waitFor();
    expect(await readerPage.getByText('Who has this role').count()).toBe(0);
  },
);

testWithOwnServer()(
  'the matrix with six environments fits into windows of 1,200 px and more',
  async ({ page, api, logInAs }) => {
    for (const name of ['integration', 'staging', 'canary', 'demonstration'])
      await api.send('POST', '/api/admin/environments', { name, type: 'test' });
    const role = await createRole(api, [{ name: 'UPDATE_FEATURE' }], 'root-custom');
    await logInAs({ rootRole: 'Admin' });
    await page.goto(`/admin/roles/${role.id}`);
    await page.getByRole('columnheader', { name: 'demonstration' }).waitFor();

    // Above 1,400 px, the list of users with the role is next to the matrix.
    for (const width of [1200, 1401, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const overflows = await page
        .getByRole('table')
        .evaluateAll(tables =>
          tables.map(({ parentElement: box }) => box && box.scrollWidth - box.clientWidth),
        );
      expect.soft(overflows, `${width} px`).toEqual([0, 0, 0]);
    }
  },
);
