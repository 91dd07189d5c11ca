import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { retry } from './support/retry.ts';
import {
  test,
  testAsAdmin,
  testAsEditor,
  testAsViewer,
  testBehindLoadBalancer,
  testWithOwnServer,
} from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const saveButton = (page: Page) => page.getByRole('button', { name: /^Save/ });

/** Confirms a deletion, and types the name if the confirmation requires it. */
async function confirmDeletion(page: Page, action: string, typedName?: string): Promise<void> {
  await page.getByRole('button', { name: `${action}…` }).click();
  const confirmation = page.getByRole('dialog', { name: /^Delete this/ });
  if (typedName !== undefined) await confirmation.getByLabel(/to confirm/).fill(typedName);
  await confirmation.getByRole('button', { name: action }).click();
}

const createField = (api: Api, fields: object = {}) =>
  api.send<{ name: string }>('POST', '/api/admin/context', { name: `field-${unique()}`, ...fields });

testAsEditor('creates a context field with a pasted table of legal values', async ({ page, api }) => {
  const takenField = await createField(api);
  const name = `country-${unique()}`;
  await visit(page, '/admin/context-fields');
  await page.getByRole('button', { name: /^New context field/ }).click();
  await page.getByLabel('Name').fill(takenField.name);
  await page.getByRole('button', { name: 'Create context field' }).click();
  await page.getByText(/already exists/).waitFor();
  await page.getByLabel('Name').fill('two/words');
  await page.getByRole('button', { name: 'Create context field' }).click();
  await expect.poll(() => page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Name').fill(name);

  await page.getByLabel('Add legal values').evaluate((input, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', text);
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, 'NO\tNorway\nSE\tSweden\n');
  await page.getByLabel('Add legal values').fill('DK');
  await page.getByLabel('Add legal values').press('Enter');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create context field' }).click();

  await page.getByRole('heading', { name }).waitFor();
  expect(await api.send('GET', `/api/admin/context/${name}`)).toMatchObject({
    legalValues: [
      { value: 'NO', description: 'Norway' },
      { value: 'SE', description: 'Sweden' },
      { value: 'DK' },
    ],
  });
});

test('a project owner can create a context field in the project, but not on the instance', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = `region-${unique()}`;
  await logInAs({ rootRole: 'Viewer', projectRoles: { [project]: 'Owner' } });
  await page.goto('/admin/context-fields');
  await page.getByRole('button', { name: /^New context field/ }).click();
  await page.getByLabel('Name').fill(name);
  const createButton = page.getByRole('button', { name: 'Create context field' });
  await expect.poll(() => createButton.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('combobox', { name: 'Project' }).selectOption(project);
  await expectAccessible(page);
  await createButton.click();
  await page.getByRole('heading', { name }).waitFor();
  expect(await api.send('GET', `/api/admin/context/${name}`)).toMatchObject({ project });
});

testAsAdmin(
  'shows where a context field is used and which values are not legal, and deletes the field',
  async ({ page, api }) => {
    const { name } = await createField(api);
    const constraints = [{ contextName: name, operator: 'IN', values: ['DE'] }];
    const flag = await createFlagWithStrategy(api, { constraints });
    const segment = `segment-${unique()}`;
    await api.send('POST', '/api/admin/segments', { name: segment, constraints });
    await visit(page, `/admin/context-fields/${name}`);

    await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: flag.name }).waitFor();
    await page.getByLabel('Add legal values').fill('NO');
    await page.getByLabel('Add legal values').press('Enter');
    const illegalValues = page.getByRole('region', { name: 'Illegal values' });
    await illegalValues.getByRole('link', { name: segment }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove NO' }).click();
    await illegalValues.waitFor({ state: 'hidden' });
    await confirmDeletion(page, 'Delete context field', name);

    await page.getByText(`Deleted ${name}.`).waitFor();
    await expect(api.send('GET', `/api/admin/context/${name}`)).rejects.toThrow('404');
  },
);

testAsAdmin(
  'a concurrent change to a context field is a conflict, which the user resolves',
  async ({ page, api }) => {
    const { name } = await createField(api);
    await visit(page, `/admin/context-fields/${name}`);
    await page.getByLabel('Description').fill('Mine');
    await api.send('PUT', `/api/admin/context/${name}`, { description: 'Theirs' });

    await saveButton(page).click();

    await page.getByText('while you were editing it').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await page.getByLabel('Description').inputValue()).toBe('Theirs');
  },
);

testWithOwnServer()('creates, sorts, changes and deletes an environment', async ({ page, api, logInAs }) => {
  const projects = ['Payments', 'Search'];
  const ids = await Promise.all(projects.map(name => createProject(api, { name })));
  await logInAs({ rootRole: 'Admin' });
  await page.goto('/admin/environments');
  await page.getByRole('button', { name: 'New environment' }).click();
  const panel = page.getByRole('dialog', { name: 'New environment' });
  await panel.getByLabel('Name').fill('production');
  await panel.getByRole('button', { name: 'Create environment' }).click();
  await panel.getByText(/already exists/).waitFor();
  await panel.getByLabel('Name').fill('canary');
  await panel.getByLabel('Type').selectOption('preproduction');
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Create environment' }).click();
  // The panel of the new environment opens, so that the environment can be added to projects immediately.
  const environmentPanel = page.getByRole('dialog', { name: 'canary' });
  await environmentPanel.getByText(`in 0 of ${projects.length + 1} projects`).waitFor();
  for (const project of projects) {
    await environmentPanel.getByRole('button', { name: `Add canary to ${project}` }).click();
    await page.getByText(`Added canary to ${project}.`).waitFor();
  }
  await environmentPanel.getByText(`in ${projects.length} of ${projects.length + 1} projects`).waitFor();
  await expectAccessible(page);
  for (const id of ids)
    expect(await api.send('GET', `/api/admin/environments/project/${id}`)).toMatchObject({
      environments: expect.arrayContaining([expect.objectContaining({ name: 'canary' })]),
    });
  for (const id of ids) await api.send('DELETE', `/api/admin/projects/${id}/environments/canary`);
  await page.keyboard.press('Escape');
  await row(page, 'canary').waitFor();

  await row(page, 'canary').getByRole('button', { name: 'canary', exact: true }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('canary is now number 2 of 3.').waitFor();
  await page.getByRole('button', { name: 'Move canary up' }).click();
  await page.getByText('canary is now number 1 of 3.').waitFor();
  await row(page, 'canary').dragTo(page.getByRole('row', { name: /^Move production up/ }));
  await page.getByText('canary is now number 3 of 3.').waitFor();
  const { environments } = await api.send<{ environments: { name: string }[] }>(
    'GET',
    '/api/admin/environments',
  );
  expect(environments.map(({ name }) => name)).toEqual(['development', 'production', 'canary']);
  await page.getByLabel('Include canary in new projects').click();
  await page.getByText('New projects do not include canary.').waitFor();
  await expectAccessible(page);

  await row(page, 'canary').getByRole('button', { name: 'canary', exact: true }).click();
  await page.getByRole('dialog', { name: 'canary' }).getByLabel('Type').selectOption('production');
  await saveButton(page).click();
  await page.getByText('Saved canary.').waitFor();
  expect(await api.send('GET', '/api/admin/environments/canary')).toMatchObject({ type: 'production' });
  await expectAccessible(page);
  await confirmDeletion(page, 'Delete environment', 'canary');
  await page.getByText('Deleted canary.').waitFor();
  await row(page, 'canary').waitFor({ state: 'hidden' });
});

testAsAdmin('an environment with enabled flags cannot be deleted', async ({ page, api }) => {
  const flag = await createFlagWithStrategy(api);
  await api.send('POST', `${flag.base}/environments/production/on`);
  await visit(page, '/admin/environments?edit=environment:production');

  await page.getByText('You cannot delete this environment while').waitFor();
  expect(await page.getByRole('button', { name: 'Delete environment…' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
});

testAsAdmin('creates, changes, deprecates and deletes a strategy type', async ({ page, api }) => {
  const name = `byCountry-${unique()}`;
  await visit(page, `/admin/strategy-types?edit=new`);
  const panel = page.getByRole('dialog', { name: 'New strategy type' });
  await panel.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await panel.getByRole('button', { name: 'Add a parameter' }).click();
  await panel.getByLabel('Name of parameter 1').fill('countries');
  await panel.getByLabel('Type of parameter 1').selectOption('list');
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Create strategy type' }).click();
  await row(page, name).getByText('1 parameter').waitFor();

  await row(page, name).getByRole('button').click();
  await page.getByLabel('Description', { exact: true }).fill('For some countries');
  await saveButton(page).click();
  await page.getByText(`Saved ${name}.`).waitFor();
  await page.getByRole('button', { name: 'Deprecate' }).click();
  await page.getByRole('button', { name: 'Reactivate' }).waitFor();
  await expectAccessible(page);
  expect(await api.send('GET', `/api/admin/strategies/${name}`)).toMatchObject({
    description: 'For some countries',
    deprecated: true,
    parameters: [{ name: 'countries', type: 'list' }],
  });
  await confirmDeletion(page, 'Delete strategy type');
  await page.getByText(`Deleted ${name}.`).waitFor();
  await expect(api.send('GET', `/api/admin/strategies/${name}`)).rejects.toThrow('404');
});

testWithOwnServer()('changes the lifetime of a feature type', async ({ page, api, logInAs }) => {
  await logInAs({ rootRole: 'Admin' });
  await page.goto('/admin/feature-types');
  await row(page, 'Release').getByRole('button').click();

  await page.getByLabel('Lifetime in days').fill('forty');
  await page.getByText('Enter a whole number').waitFor();
  expect(await saveButton(page).isDisabled()).toBe(true);
  await page.getByLabel('Lifetime in days').fill('60');
  await expectAccessible(page);
  await saveButton(page).click();
  await page.getByText('Saved Release.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await row(page, 'Release').getByText('60 days').waitFor();
  expect(await api.send('GET', '/api/admin/feature-types/release')).toMatchObject({ lifetimeDays: 60 });
  await expectAccessible(page);
});

testAsAdmin('creates, changes and deletes a tag type, and adds and deletes a tag', async ({ page, api }) => {
  const name = `team-${unique()}`;
  await visit(page, '/admin/tags?edit=new');
  const panel = page.getByRole('dialog', { name: 'New tag type' });
  await panel.getByLabel('Name').fill(name);
  await panel.getByLabel('Color').fill('red');
  await panel.getByRole('button', { name: 'Create tag type' }).click();
  await expect.poll(() => panel.getByLabel('Color').getAttribute('aria-invalid')).toBe('true');
  await panel.getByLabel('Color').fill('#1A2B3C');
  await panel.getByRole('button', { name: 'Create tag type' }).click();

  const tagTypePanel = page.getByRole('dialog', { name });
  await tagTypePanel.getByLabel('New tag').fill('checkout');
  await tagTypePanel.getByRole('button', { name: 'Add tag' }).click();
  await tagTypePanel.getByRole('link', { name: `${name}:checkout` }).waitFor();
  await expectAccessible(page);
  await tagTypePanel.getByRole('button', { name: `Delete ${name}:checkout` }).click();
  await page
    .getByRole('dialog', { name: `Delete ${name}:checkout?` })
    .getByRole('button', { name: 'Delete tag' })
    .click();
  await tagTypePanel.getByText('0 tags').waitFor();
  await tagTypePanel.getByLabel('Description').fill('The team that owns the flag');
  await saveButton(page).click();
  await page.getByText(`Saved ${name}.`).waitFor();
  expect(await api.send('GET', `/api/admin/tag-types/${name}`)).toMatchObject({
    tagType: { description: 'The team that owns the flag', color: '#1A2B3C' },
  });
  await confirmDeletion(page, 'Delete tag type');
  await page.getByText(`Deleted ${name}.`).waitFor();
  await expect(api.send('GET', `/api/admin/tag-types/${name}`)).rejects.toThrow('404');
});

testAsViewer(
  'a viewer can read the vocabulary, but the controls that change it are disabled',
  async ({ page, api }) => {
    const { name } = await createField(api);
    await visit(page, `/admin/context-fields/${name}`);
    await page.getByText('Requires the permission "Update context field"').waitFor();
    expect(await page.getByLabel('Description').isDisabled()).toBe(true);

    for (const [path, button] of [
      ['environments', 'New environment'],
      ['strategy-types', 'New strategy type'],
      ['tags', 'New tag type'],
    ] as const) {
      await visit(page, `/admin/${path}`);
      const createButton = page.getByRole('button', { name: new RegExp(`^${button}`) });
      expect(await createButton.getAttribute('aria-disabled')).toBe('true');
      await expectAccessible(page);
    }
  },
);

testAsAdmin('asks before it discards a new context field', async ({ page }) => {
  await visit(page, '/admin/context-fields/new');
  await page.getByLabel('Description').fill('Country of the user');

  await expectDiscardConfirmation(page, page.getByLabel('Description'), [
    () => page.getByRole('link', { name: 'Cancel' }).click(),
  ]);
});

testBehindLoadBalancer(
  'after a server error, each page stays open and offers a retry',
  async ({ page, server, logInAs, tolerated }) => {
    tolerated.push(/responded with 500|status of 500/);
    await logInAs({ rootRole: 'Admin' });
    for (const [path, api] of [
      ['environments', /^\/api\/admin\/environments/],
      ['context-fields', /^\/api\/admin\/context/],
      ['tags', /^\/api\/admin\/tag-types/],
    ] as const) {
      server.loadBalancer.broken = { paths: api, status: 500 };
      await page.goto(`/admin/${path}`);
      await page.getByRole('heading', { name: 'This part did not load' }).waitFor();
      delete server.loadBalancer.broken;
      await retry(page, page.getByRole('row').nth(1));
    }
  },
);
