import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

/** Creates a flag that is enabled in development, with a rollout in each environment and a tag. */
async function createSource(api: Api, project: string): Promise<{ name: string; strategy: string }> {
  const name = await createFlag(api, project, { description: 'One-tap checkout' });
  let strategy = '';
  for (const environment of ['development', 'production'])
    strategy = (await addRollout(api, project, name, environment, '25')).id;
  await api.send('POST', `/api/admin/projects/${project}/features/${name}/environments/development/on`);
  await api.send('POST', `/api/admin/features/${name}/tags`, { type: 'simple', value: 'checkout' });
  return { name, strategy };
}

const addRollout = (api: Api, project: string, name: string, environment: string, rollout: string) =>
  api.send<{ id: string }>(
    'POST',
    `/api/admin/projects/${project}/features/${name}/environments/${environment}/strategies`,
    buildRollout(name, rollout),
  );

const buildRollout = (name: string, rollout: string) => ({
  name: 'flexibleRollout',
  parameters: { rollout, stickiness: 'default', groupId: name },
});

const planRegion = (page: Page) => page.getByRole('region', { name: 'Plan' });
const clonePath = (project: string, name: string) => `/projects/${project}/features/${name}/clone`;

testAsAdmin('clones a flag, and shows which parts are omitted and why', async ({ page, api }) => {
  const project = await createProject(api);
  const target = await createProject(api, { name: 'Search' });
  await api.send('DELETE', `/api/admin/projects/${target}/environments/production`);
  const { name } = await createSource(api, project);
  const copy = `copy-${unique()}`;
  await visit(page, `/projects/${project}/features/${name}`);

  await page.getByRole('link', { name: 'Clone…' }).click();
  await page.getByLabel('Name of the copy').fill(copy);
  await page.getByLabel('Project').selectOption(target);
  await page.getByLabel(/^Tags/).uncheck();

  const omittedParts = planRegion(page).locator('del');
  await expect
    .poll(() => omittedParts.allTextContents())
    .toEqual(['Environment production', 'Tags simple:checkout', 'Enabled in development']);
  await planRegion(page).getByText(`Project "${target}" does not have this environment.`).waitFor();
  await planRegion(page).getByText('25 % of users').waitFor();
  await planRegion(page).getByText('Add strategies').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clone', exact: true }).click();

  await page.waitForURL(`/projects/${target}/features/${copy}`);
  const createdFlag = await api.send<{ tags: unknown[]; environments: { strategies: unknown[] }[] }>(
    'GET',
    `/api/admin/projects/${target}/features/${copy}`,
  );
  expect(createdFlag.tags).toEqual([]);
  expect(createdFlag.environments.map(environment => environment.strategies.length)).toEqual([1]);
  await expectAccessible(page);
});

testAsAdmin('lists the obstacles, and disables cloning', async ({ page, api }) => {
  const project = await createProject(api);
  const { name } = await createSource(api, project);
  await visit(page, clonePath(project, name));

  await page.getByLabel('Name of the copy').fill(name);

  await page.getByRole('region', { name: 'Obstacles' }).getByText(name).waitFor();
  expect(await page.getByRole('button', { name: 'Clone', exact: true }).isDisabled()).toBe(true);
  await expectAccessible(page);
});

testAsAdmin('updates the plan and marks the differences when the source changes', async ({ page, api }) => {
  const project = await createProject(api);
  const { name, strategy } = await createSource(api, project);
  const copy = `copy-${unique()}`;
  await visit(page, clonePath(project, name));
  await page.getByLabel('Name of the copy').fill(copy);
  await planRegion(page).getByText(copy).waitFor();
  const cloneButton = page.getByRole('button', { name: 'Clone', exact: true });
  await expect.poll(() => cloneButton.isEnabled()).toBe(true);

  await api.send(
    'PUT',
    `/api/admin/projects/${project}/features/${name}/environments/production/strategies/${strategy}`,
    buildRollout(name, '60'),
  );
  await cloneButton.click();

  await page.getByRole('alert').getByText('The plan changed: 1 difference.').waitFor();
  await planRegion(page).getByText('60 % of users').waitFor();
  await planRegion(page).getByText('was 25 % of users').waitFor();
  await expectAccessible(page);
  await cloneButton.click();
  await page.waitForURL(`/projects/${project}/features/${copy}`);
});

testAsAdmin('shows the differences between a copy and its source', async ({ page, api }) => {
  const project = await createProject(api);
  const { name, strategy } = await createSource(api, project);
  const copy = `copy-${unique()}`;
  await api.send('POST', `/api/admin/projects/${project}/features/${name}/clone`, { name: copy });
  await visit(page, `/projects/${project}/features/${copy}`);
  const section = page.getByRole('region', { name: 'Copy of' });
  await section.getByText('in sync').waitFor();

  await api.send(
    'PUT',
    `/api/admin/projects/${project}/features/${name}/environments/production/strategies/${strategy}`,
    buildRollout(name, '60'),
  );
  await page.reload();
  await section.getByRole('link', { name: '1 difference' }).click();

  const panel = page.getByRole('dialog');
  await panel.getByText('Changed').waitFor();
  await panel.getByText('60 %').waitFor();
  await panel.getByText('25 %').waitFor();
  await expectAccessible(page);
  await page.goBack();
  await panel.waitFor({ state: 'hidden' });
});

testAsAdmin(
  'a long name from the source is shortened with a note, but a name that the user types is not',
  async ({ page, api }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project, { name: `${unique()}-`.padEnd(100, 'x') });
    await visit(page, clonePath(project, name));

    const field = page.getByLabel('Name of the copy');
    await page.getByText("The source's name is shortened").waitFor();
    expect(await field.inputValue()).toBe(`${name.slice(0, 95)}-copy`);
    const cloneButton = page.getByRole('button', { name: 'Clone', exact: true });
    await expect.poll(() => cloneButton.isEnabled()).toBe(true);
    await field.fill(`${name}-2`);
    await page.getByText('A name can have at most 100 characters. This one has 102.').waitFor();
    expect(await field.inputValue()).toBe(`${name}-2`);
    await expect.poll(() => cloneButton.isDisabled()).toBe(true);
    await expectAccessible(page);
  },
);

testAsAdmin('lists the copies of a flag with their differences', async ({ page, api }) => {
  const project = await createProject(api);
  const target = await createProject(api, { name: 'Search' });
  const { name } = await createSource(api, project);
  const [unchangedCopy, changedCopy] = [`copy-${unique()}`, `copy-${unique()}`];
  for (const copy of [unchangedCopy, changedCopy])
    await api.send('POST', `/api/admin/projects/${project}/features/${name}/clone`, {
      name: copy,
      project: target,
    });
  await api.send('PUT', `/api/admin/projects/${target}/features/${changedCopy}`, { description: 'Other' });
  await visit(page, `/projects/${project}/features/${name}`);

  const rail = page.getByRole('complementary', { name: 'About this flag' });
  await rail.getByRole('region', { name: 'Copies' }).getByText('in sync').waitFor();
  await expectAccessible(page);
  await rail.getByRole('link', { name: 'All 2' }).click();
  await page.waitForURL(`/projects/${project}/features/${name}/copies`);
  await page.getByRole('listitem', { name: unchangedCopy }).getByText('In sync').waitFor();
  const row = page.getByRole('listitem', { name: changedCopy });
  await row.getByText(`in ${target}`).waitFor();
  await expectAccessible(page);
  await row.getByRole('button', { name: '1 difference' }).click();
  await page.getByRole('dialog').getByText('Description').first().waitFor();
  await expectAccessible(page);
  await page.goBack();

  await row.getByRole('link', { name: changedCopy }).click();
  await page.getByRole('link', { name: 'Copies', exact: true }).click();
  await page.getByRole('region', { name: 'Source' }).getByRole('link', { name }).waitFor();
  await expectAccessible(page);
});
