import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createProject, unique } from './support/api.ts';
import { openPage, visitAndWait } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

const panel = (page: Page) => page.getByRole('dialog');
const expectProblem = (page: Page, problem: string) =>
  expect.poll(() => panel(page).getByRole('status').allTextContents()).toContain(problem);

testAsAdmin.for([
  { path: '/admin/users?edit=new', action: 'Create user', problem: 'Enter an email address or a username.' },
  { path: '/admin/service-accounts?edit=new', action: 'Create service account', problem: 'Enter a name.' },
  { path: '/admin/invitations?edit=new', action: 'Create invitation', problem: 'Enter a name.' },
  { path: '/admin/environments?edit=new', action: 'Create environment', problem: 'Enter a name.' },
  { path: '/admin/tags?edit=new', action: 'Create tag type', problem: 'Enter a name.' },
  { path: '/admin/edges?edit=new', action: 'Create enrolment', problem: 'Enter a name.' },
  { path: '/profile?edit=token', action: 'Create token', problem: 'Enter a description.' },
])('the panel at $path says why its button is disabled', async ({ path, action, problem }, { page }) => {
  await visitAndWait(page, path);

  await expectProblem(page, problem);
  expect(await panel(page).getByRole('button', { name: action, exact: true }).isDisabled()).toBe(true);
});

testAsAdmin('the panel of a new strategy type names the first problem, then the next', async ({ page }) => {
  await visitAndWait(page, '/admin/strategy-types?edit=new');
  await panel(page).getByRole('button', { name: 'Add a parameter' }).click();
  await expectProblem(page, 'Enter a name. 1 more problem.');

  await panel(page).getByRole('textbox', { name: 'Name', exact: true }).fill(`type-${unique()}`);
  await expectProblem(page, 'Every parameter needs a name.');

  await panel(page).getByLabel('Name of parameter 1').fill('region');
  const button = panel(page).getByRole('button', { name: 'Create strategy type' });
  await expect.poll(() => button.isEnabled()).toBe(true);
});

testAsAdmin('the panel of a new project says what is missing or must be changed', async ({ page, api }) => {
  const taken = await createProject(api);
  await visitAndWait(page, '/projects?edit=new');
  await expectProblem(page, 'Enter a name.');
  await expectAccessible(page);

  await panel(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Payments');
  await panel(page).getByRole('textbox', { name: 'ID' }).fill(taken);
  await expectProblem(page, 'Change the ID.');

  await panel(page).getByRole('textbox', { name: 'ID' }).fill('');
  await expectProblem(page, 'Enter an ID.');

  await panel(page).getByRole('textbox', { name: 'ID' }).fill(`payments-${unique()}`);
  const pattern = panel(page).getByRole('textbox', { name: 'Naming rule' });
  await pattern.fill('loy[');
  await expectProblem(page, 'Change the naming rule.');
  await panel(page).getByText('Not a valid regular expression.').waitFor();
  expect(await panel(page).getByText('Allows new-checkout.').count()).toBe(0);
  await expectAccessible(page);

  await pattern.fill('new-.+');
  await panel(page).getByText('Allows new-checkout.').waitFor();
  const button = panel(page).getByRole('button', { name: 'Create project' });
  await expect.poll(() => button.isEnabled()).toBe(true);
});

testAsAdmin('the panel of a new flag says what is wrong with the name', async ({ page, api }) => {
  const project = await createProject(api);
  await api.send('PUT', `/api/admin/projects/${project}`, {
    name: project,
    featureNaming: { pattern: 'pay-.+' },
  });
  await openPage(page, `/projects/${project}?edit=new`);
  await expectProblem(page, 'Enter a name.');

  await panel(page).getByRole('textbox', { name: 'Name', exact: true }).fill('checkout');
  await expectProblem(page, 'Change the name to match the naming rule.');

  await panel(page)
    .getByRole('textbox', { name: 'Name', exact: true })
    .fill(`pay-${'x'.repeat(100)}`);
  await expectProblem(page, 'Shorten the name.');
});
