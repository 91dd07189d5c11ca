import { expectAccessible } from './support/accessible.ts';
import { createPerson, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin('deactivates and reactivates a user', async ({ page, api }) => {
  const person = await createPerson(api, {});
  await visit(page, `/admin/users?user=${person.id}`);

  await page.getByRole('button', { name: 'Deactivate…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('cannot log in until somebody reactivates the account').waitFor();
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Reactivate…' }).waitFor();
  await page.getByText('Deactivated', { exact: false }).first().waitFor();
  await expectAccessible(page);

  await visit(page, `/admin/users?filter=deactivated&user=${person.id}`);
  await page.getByRole('button', { name: 'Reactivate…' }).click();
  await dialog.getByRole('button', { name: 'Reactivate' }).click();
  await page.getByRole('button', { name: 'Deactivate…' }).waitFor();
});

testAsAdmin(
  'deactivating an invited user revokes the link, and reactivating offers a new one',
  async ({ page, api }) => {
    const username = `invited-${unique()}`;
    const { id } = await api.send<{ id: number }>('POST', '/api/admin/user-admin', { username, rootRole: 3 });
    await visit(page, `/admin/users?user=${id}`);

    await page.getByRole('button', { name: 'Deactivate…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The invitation link stops working.').waitFor();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: 'Reactivate…' }).click();
    await dialog.getByText(`${username} has no password`).waitFor();
    await dialog.getByRole('button', { name: 'Reactivate' }).click();
    await page.getByText(`${username} is active again but has no password.`).waitFor();
    await page
      .getByRole('region', { name: 'Notifications' })
      .getByRole('button', { name: 'New link…' })
      .click();
    await dialog.getByRole('button', { name: 'Create link' }).click();

    await page.getByRole('dialog', { name: `Password link for ${username}` }).waitFor();
  },
);
