import { accessible } from './support/accessible.ts';
import { createPerson } from './support/api.ts';
import { test } from './support/test.ts';

test('deactivates and reactivates a user', async ({ page, api, logInAs }) => {
  const person = await createPerson(api, {});
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/admin/users?user=${person.id}`);

  await page.getByRole('button', { name: 'Deactivate…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('cannot log in until somebody reactivates them').waitFor();
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Reactivate…' }).waitFor();
  await page.getByText('Deactivated', { exact: false }).first().waitFor();
  await accessible(page);

  await page.goto(`/admin/users?filter=deactivated&user=${person.id}`);
  await page.getByRole('button', { name: 'Reactivate…' }).click();
  await dialog.getByRole('button', { name: 'Reactivate' }).click();
  await page.getByRole('button', { name: 'Deactivate…' }).waitFor();
});
