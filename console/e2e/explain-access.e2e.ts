import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createPerson, createProject } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { test, testAsAdmin } from './support/test.ts';

testAsAdmin(
  'explains why somebody lacks a permission, and updates when it is granted',
  async ({ page, api }) => {
    const project = await createProject(api);
    const person = await createPerson(api, {});
    await visit(page, '/admin');

    await page.getByRole('link', { name: 'Explain access' }).click();
    await page.getByRole('heading', { name: 'Explain access', level: 1 }).waitFor();
    await page.getByLabel('Person').selectOption({ label: person.username });
    // Permissions have the same labels as on the roles page. Choosing a project permission preselects a project.
    await page.getByLabel('may', { exact: true }).selectOption({ label: 'Create flags' });
    await expect.poll(() => page.getByLabel('in project').inputValue()).not.toBe('');
    await page.getByLabel('in project').selectOption(project);

    const verdict = page.getByRole('status').filter({ hasText: person.username });
    await verdict.filter({ hasText: 'No.' }).waitFor();
    await page.getByText('Missing: Create flags').waitFor();
    const change = page.getByRole('listitem').filter({ hasText: `Grant ${person.username} the Member role` });
    await change.waitFor();
    expect(await change.getByRole('link', { name: 'Grant role…' }).getAttribute('href')).toBe(
      `/projects/${project}/settings/access?edit=new&user=${person.id}&role=5`,
    );
    await expectAccessible(page);

    await api.send('POST', `/api/admin/projects/${project}/users/${person.id}/roles/5`);
    await verdict.filter({ hasText: 'Yes.' }).waitFor();
    await page.getByText(`${person.username} has the Member role`).waitFor();
    await page.getByText('This is the only path').waitFor();
    await expectAccessible(page);

    const url = new URL(page.url());
    expect(Object.fromEntries(url.searchParams)).toEqual({
      user: String(person.id),
      permission: 'CREATE_FEATURE',
      project,
    });
    await page.reload();
    await verdict.filter({ hasText: 'Yes.' }).waitFor();
  },
);

test('explains to a viewer what access they have, and treats a hidden project like a missing one', async ({
  page,
  api,
  logInAs,
  tolerated,
}) => {
  tolerated.push(/404/);
  const hiddenProject = await createProject(api);
  await api.send('PUT', `/api/admin/projects/${hiddenProject}/settings`, { mode: 'private' });
  const person = await logInAs({});

  await page.goto('/admin/explain-access?permission=ADMIN');
  await page.getByText(`${person.username} may not do everything on the instance.`).waitFor();
  await page.getByText('Grants every permission on the whole instance').waitFor();
  expect(await page.getByLabel('may', { exact: true }).inputValue()).toBe('ADMIN');
  // There is no link, because only somebody else can grant the permission.
  expect(await page.getByRole('link', { name: /^Open / }).count()).toBe(0);
  expect(await page.getByLabel('Person').locator('option').count()).toBe(1);

  for (const project of [hiddenProject, 'no-such-project']) {
    await page.goto(`/admin/explain-access?project=${project}`);
    await page.getByText(`Project "${project}" does not exist.`).waitFor();
  }
});
