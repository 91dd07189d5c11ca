import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createPerson, createProject, unique } from './support/api.ts';
import { waitForFocus } from './support/focus.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin(
  "shows a flag's owner, finds flags without an owner, and hands over what somebody owns",
  async ({ page, api }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project);
    const otherFlag = await createFlag(api, project);
    const olga = `Olga ${unique()}`;
    const person = await createPerson(api, { name: olga });
    await visit(page, `/projects/${project}/features/${name}`);

    await page.getByText('No owners.').waitFor();
    await page.getByRole('button', { name: 'Change the owners' }).click();
    const panel = page.getByRole('dialog');
    const field = panel.getByRole('combobox', { name: 'Add a person or group' });
    await waitForFocus(field);
    // Searches by the display name, because people may not know the username.
    await field.fill(olga);
    await page.getByRole('option', { name: `${olga} (${person.username})` }).click();
    await panel.getByRole('button', { name: `Remove ${olga}` }).waitFor();
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Save owners' }).click();
    await panel.waitFor({ state: 'hidden' });
    const owner = page.getByRole('complementary').getByRole('listitem').filter({ hasText: olga });
    expect(await owner.getAttribute('title')).toBe(person.username);
    await expectAccessible(page);

    await visit(page, `/projects/${project}?owner=IS:none`);
    await page.getByText(otherFlag, { exact: true }).waitFor();
    expect(await page.getByText(name, { exact: true }).count()).toBe(0);
    await page.getByLabel('Select all flags').click();
    await page.getByRole('button', { name: 'Add an owner…' }).click();
    await panel.getByLabel('New owner').fill(olga);
    await page.getByRole('option', { name: `${olga} (${person.username})` }).click();
    await panel.getByRole('button', { name: 'Add an owner to 1 flag' }).click();
    await page.getByText('Added an owner to 1 flag.').waitFor();
    await page.getByText('No flags match.').waitFor();

    await visit(page, `/admin/users?user=${person.id}`);
    await page.getByRole('link', { name }).waitFor();
    await page.getByText('only owner').nth(1).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Deactivate…' }).click();
    const flagNames = [name, otherFlag].toSorted().join(' and ');
    await panel.getByText(`${olga} owns ${flagNames}, which may need a different owner.`).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });

    const paula = `Paula ${unique()}`;
    const successor = await createPerson(api, { name: paula });
    await page.getByRole('button', { name: 'Hand over 2 flags…' }).click();
    await panel.getByLabel('New owner').fill(paula);
    await page.getByRole('option', { name: `${paula} (${successor.username})` }).click();
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Hand over 2 flags' }).click();
    await page.getByText(`${paula} now owns ${olga}'s flags.`).waitFor();
    const { owners } = await api.send<{ owners: { id: number }[] }>(
      'GET',
      `/api/admin/projects/${project}/features/${name}/owners`,
    );
    expect(owners.map(({ id }) => id)).toEqual([successor.id]);
    await page.getByRole('button', { name: /^Hand over 2 flags/ }).waitFor({ state: 'hidden' });
  },
);

testAsAdmin('the flag list suggests people as owners', async ({ page, api }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await createFlag(api, project);
  const olga = `Olga ${unique()}`;
  const { id, username } = await createPerson(api, { name: olga });
  await api.send('PUT', `/api/admin/projects/${project}/features/${name}/owners`, {
    owners: [{ type: 'user', id }],
  });
  await visit(page, `/projects/${project}`);
  const input = page.getByRole('combobox', { name: 'Add a filter' });

  await input.fill(`owner:${olga}`);
  await page.getByRole('option', { name: `${olga} (${username})` }).waitFor();
  await input.press('Enter');

  await page.waitForURL(`/projects/${project}?owner=IS:user:${id}`);
  await page.getByRole('button', { name: `Owner is ${olga} (${username})`, exact: true }).waitFor();
  await page.getByText('1 flag', { exact: true }).first().waitFor();
  await page.getByRole('link', { name }).waitFor();
});

testAsAdmin(
  'Enter adds the first match as an owner, and saves only if no text is typed',
  async ({ page, api }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project);
    const [olga, paula] = [`Olga ${unique()}`, `Paula ${unique()}`];
    await createPerson(api, { name: olga });
    await createPerson(api, { name: paula });
    await visit(page, `/projects/${project}/features/${name}?edit=owners`);
    const panel = page.getByRole('dialog');
    const field = panel.getByRole('combobox', { name: 'Add a person or group' });
    await waitForFocus(field);

    for (const owner of [olga, paula]) {
      await field.fill(owner);
      await page.getByRole('option', { name: owner }).waitFor();
      await field.press('Enter');
      await panel.getByRole('button', { name: `Remove ${owner}` }).waitFor();
      expect(await field.inputValue()).toBe('');
    }
    await field.fill('nobody has this name');
    await page.getByText('Nobody else matches').waitFor();
    await field.press('Enter');
    await field.press('Escape');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('nobody has this name');
    await field.fill('');
    await field.press('Enter');

    await panel.waitFor({ state: 'hidden' });
    const owners = page.getByRole('complementary').getByRole('listitem');
    await owners.filter({ hasText: olga }).waitFor();
    await owners.filter({ hasText: paula }).waitFor();
  },
);

testAsAdmin('Enter chooses the first match as the new owner of several flags', async ({ page, api }) => {
  const project = await createProject(api);
  await createFlag(api, project);
  const [olga, paula] = [`Olga ${unique()}`, `Paula ${unique()}`];
  await createPerson(api, { name: olga });
  await createPerson(api, { name: paula });
  await visit(page, `/projects/${project}`);
  await page.getByLabel('Select all flags').click();
  await page.getByRole('button', { name: 'Add an owner…' }).click();
  const field = page.getByRole('dialog').getByLabel('New owner');

  for (const owner of [olga, paula]) {
    await field.fill(owner);
    await page.getByRole('option', { name: owner }).waitFor();
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toContain(`${owner} (`);
  }
  await field.press('Enter');

  await page.getByText('Added an owner to 1 flag.').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});
