import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createFlag, createPerson, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin(
  'names the owner of a flag, finds flags by owner, and shows what somebody owns',
  async ({ page, api }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project);
    const other = await createFlag(api, project);
    const olga = `Olga ${unique()}`;
    const person = await createPerson(api, { name: olga });
    await visit(page, `/projects/${project}/features/${name}`);

    await page.getByText('No owner.').waitFor();
    await page.getByRole('button', { name: 'Change the owners' }).click();
    const panel = page.getByRole('dialog');
    // By the name that people know, which is not the username.
    await panel.getByLabel('Add a person or group').fill(olga);
    await page.getByRole('option', { name: `${olga} (${person.username})` }).click();
    await panel.getByRole('button', { name: `Remove ${olga}` }).waitFor();
    await accessible(page);
    await panel.getByRole('button', { name: 'Save owners' }).click();
    await panel.waitFor({ state: 'hidden' });
    await page.getByRole('complementary').getByText(person.username).first().waitFor();
    await accessible(page);

    await visit(page, `/projects/${project}?owner=IS:none`);
    await page.getByText(other, { exact: true }).waitFor();
    expect(await page.getByText(name, { exact: true }).count()).toBe(0);

    await visit(page, `/admin/users?user=${person.id}`);
    await page.getByRole('link', { name }).waitFor();
    await page.getByText('only owner').waitFor();
    await accessible(page);
    await page.getByRole('button', { name: 'Deactivate…' }).click();
    await panel.getByText(`${olga} owns ${name}, which may need a different owner.`).waitFor();
  },
);
