import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin("suggests a flag's events first if the user types its exact name", async ({ page, api }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project, { name: `checkout-${unique()}` });
  await createFlag(api, project, { name: `${name}-b2b` });
  await visit(page, `/projects/${project}/events`);
  const input = page.getByRole('combobox', { name: 'Add a filter' });
  const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');

  await input.fill(name);
  await expect
    .poll(() => options.allTextContents())
    .toEqual([`flag:${name}`, `flag:${name}-b2b`, `"${name}"text`]);
  await expectAccessible(page);
  await input.press('Enter');

  await page.waitForURL(`/projects/${project}/events?feature=IS:${name}`);
});

testAsAdmin(
  'Enter completes the name of a filter, and a second search string replaces the first',
  async ({ page, api }) => {
    const project = await createProject(api);
    await createFlag(api, project, { name: `fl-${unique()}` });
    await visit(page, `/projects/${project}/events?query=checkout`);
    const input = page.getByRole('combobox', { name: 'Add a filter' });

    await input.fill('fl');
    // Waits until flags whose names contain the string are suggested, because they must not change what Enter does.
    await page
      .getByRole('option', { name: /^flag:./ })
      .first()
      .waitFor();
    await input.press('Enter');
    await expect.poll(() => input.inputValue()).toBe('flag:');

    await input.fill('rollout');
    await page.getByRole('option', { name: '"rollout" text, replaces "checkout"' }).waitFor();
    await input.press('Enter');
    await page.waitForURL(`/projects/${project}/events?query=rollout`);
  },
);

testAsAdmin('the flag list suggests tags and segments', async ({ page, api }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  const value = `q4-${unique()}`;
  await api.send('POST', `/api/admin/features/${name}/tags`, { type: 'simple', value });
  const segment = `merchants-${unique()}`;
  await api.send('POST', '/api/admin/segments', { name: segment, constraints: [] });
  await visit(page, `/projects/${project}`);
  const input = page.getByRole('combobox', { name: 'Add a filter' });

  await input.fill(`segment:${segment.slice(0, -1)}`);
  await page.getByRole('option', { name: segment }).waitFor();
  await input.fill('tag:simple:q4-');
  await page.getByRole('option', { name: `simple:${value}` }).click();

  await page.waitForURL(`/projects/${project}?tag=INCLUDE:simple:${value}`);
  await page.getByRole('link', { name }).waitFor();
});

testAsAdmin('suggests flag list filters for the words "stale" and "disabled"', async ({ page, api }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await createFlag(api, project);
  await api.send('POST', `/api/admin/projects/${project}/stale`, { features: [name], stale: true });
  await visit(page, `/projects/${project}`);
  const input = page.getByRole('combobox', { name: 'Add a filter' });

  await input.fill('disabled');
  await page.getByRole('option', { name: 'production:disabled' }).waitFor();
  await input.fill('stale');
  await page.getByRole('option', { name: 'state:stale', selected: true }).waitFor();
  await input.fill('potentially');
  await page.getByRole('option', { name: 'state:potentially stale' }).waitFor();
  await input.fill('stale');
  await page.getByRole('option', { name: 'state:stale', selected: true }).waitFor();
  await expectAccessible(page);
  await input.press('Enter');

  await page.waitForURL(`/projects/${project}?state=IS:stale`);
  await page.getByText('1 flag', { exact: true }).first().waitFor();
  await page.getByRole('link', { name }).waitFor();
  for (const column of ['State', 'Lifecycle'])
    await page.getByRole('columnheader', { name: column }).waitFor();
  await page.getByText('StaleInitial').waitFor();
});
