import { expectAccessible } from './support/accessible.ts';
import { createPerson } from './support/api.ts';
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
