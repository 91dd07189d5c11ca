import pg from 'pg';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createPerson, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { logIn } from './support/log-in.ts';
import { visit } from './support/open-page.ts';
import { retry } from './support/retry.ts';
import {
  test,
  testAsAdmin,
  testAsEditor,
  testBehindLoadBalancer,
  testWithOwnServer,
} from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

const countryConstraint = (...values: string[]) => ({ contextName: 'country', operator: 'IN', values });

async function createSegment(api: Api, fields: object = {}): Promise<{ id: number; name: string }> {
  const name = `segment-${unique()}`;
  // Ignores the error, because the field may exist on the shared server already.
  await api.send('POST', '/api/admin/context', { name: 'country' }).catch(() => undefined);
  return await api.send('POST', '/api/admin/segments', {
    name,
    constraints: [countryConstraint('DE')],
    ...fields,
  });
}

const valuesField = (page: Page) => page.getByLabel('Values of country');
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

testAsEditor('creates a segment with the same constraint editor as strategies', async ({ page, api }) => {
  const takenSegment = await createSegment(api);
  const name = `eu-${unique()}`;
  await visit(page, '/admin/segments');
  await page.getByRole('button', { name: /^New segment/ }).click();

  await page.getByText('Enter a name.', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Create segment' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  await page.getByLabel('Name').fill(takenSegment.name);
  await page.getByRole('button', { name: 'Add a constraint' }).click();
  await page.getByLabel('Context field').selectOption('country');
  await page.getByText('Enter a value for country.', { exact: true }).waitFor();
  await valuesField(page).fill('AT, BE,');
  await page.getByRole('button', { name: 'Create segment' }).click();
  await page.getByText(`Segment "${takenSegment.name}" already exists`).waitFor();
  await expect.poll(() => page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create segment' }).click();

  await page.getByRole('heading', { name }).waitFor();
  await page.getByText(/^No strategy that you can read uses it\./).waitFor();
  const { segments } = await api.send<{ segments: { name: string }[] }>('GET', '/api/admin/segments');
  expect(segments.find(segment => segment.name === name)).toMatchObject({
    constraints: [{ contextName: 'country', values: ['AT', 'BE'] }],
  });
  await visit(page, `/admin/segments?query=${name}`);
  await row(page, name).getByText('1 constraint').waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'shows which flags a change affects before it is saved, and names production',
  async ({ page, api }) => {
    const { id, name } = await createSegment(api);
    const enabledFlag = await createFlagWithStrategy(api, { segments: [id] });
    await api.send('POST', `${enabledFlag.base}/environments/production/on`);
    const disabledFlag = await createFlagWithStrategy(api, { segments: [id] });
    await visit(page, `/admin/segments/${id}`);

    await page.getByText('You cannot delete this segment while 2 strategies use it.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete segment…' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await page.getByLabel('Description').fill('Everyone in the union');
    await page.getByRole('button', { name: /^Save Ctrl/ }).waitFor();
    await valuesField(page).fill('PL');
    await valuesField(page).press('Enter');
    const effect = page.getByRole('region', { name: 'Affected flags' });
    await effect.getByRole('link', { name: enabledFlag.name }).waitFor();
    await effect.getByText(`${disabledFlag.name} is disabled here.`).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Save and change 1 flag in production/ }).click();

    await page.getByText(`Saved ${name}.`).waitFor();
    expect(await api.send('GET', `/api/admin/segments/${id}`)).toMatchObject({
      description: 'Everyone in the union',
      constraints: [{ values: ['DE', 'PL'] }],
    });
    await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: enabledFlag.name }).click();
    await page.getByRole('button', { name: /^Save to production/ }).waitFor();
  },
);

testAsAdmin('shows a change that somebody else made, and keeps the input', async ({ page, api }) => {
  const { id, name } = await createSegment(api);
  await visit(page, `/admin/segments/${id}`);
  await valuesField(page).fill('PL');
  await valuesField(page).press('Enter');
  await api.send('PUT', `/api/admin/segments/${id}`, { name, constraints: [countryConstraint('DE', 'FR')] });

  await page.getByRole('button', { name: /^Save/ }).click();

  await page.getByText('while you were editing it').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continue with mine' }).click();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText(`Saved ${name}.`).waitFor();
  expect(await api.send('GET', `/api/admin/segments/${id}`)).toMatchObject({
    constraints: [{ values: ['DE', 'PL'] }],
  });
});

testAsAdmin(
  'deletes an unused segment, and asks for confirmation before it discards unsaved input',
  async ({ page, api }) => {
    const { id, name } = await createSegment(api);
    await visit(page, `/admin/segments/${id}`);
    await page.getByLabel('Description').fill('Not saved');
    await expectDiscardConfirmation(page, page.getByLabel('Description'), [
      () => page.locator('header').getByRole('link', { name: 'Segments', exact: true }).click(),
    ]);
    await visit(page, `/admin/segments/${id}`);

    await page
      .getByText('No strategy uses this segment. Deleting the segment also deletes its constraints.')
      .waitFor();
    await page.getByText(/^No strategy uses it\./).waitFor();
    await page.getByRole('button', { name: 'Delete segment…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete segment' }).click();

    await page.getByText(`Deleted ${name}.`).waitFor();
    await page.waitForURL('/admin/segments');
    await expect(api.send('GET', `/api/admin/segments/${id}`)).rejects.toThrow('404');
  },
);

testAsEditor(
  'says that strategies may use a segment in projects that the user cannot read',
  async ({ page, api }) => {
    const project = await createProject(api);
    const shared = await createSegment(api);
    const ofProject = await createSegment(api, { project });

    await visit(page, `/admin/segments/${shared.id}`);
    await page
      .getByText(
        'No strategy in the projects that you can read uses this segment. You cannot delete it while a strategy in a different project uses it.',
      )
      .waitFor();
    await visit(page, `/admin/segments/${ofProject.id}`);
    await page.getByText('No strategy uses this segment.').waitFor();
  },
);

test('a user without the permission can read a segment, and the page names the permission', async ({
  page,
  api,
}) => {
  const { id } = await createSegment(api);
  await logIn(page, await createPerson(api, { rootRole: 'Viewer' }));
  await page.goto(`/admin/segments/${id}`);

  await page.getByText('Requires the permission "Update segment"').waitFor();
  expect(await page.getByLabel('Name').isDisabled()).toBe(true);
  await expectAccessible(page);
  await page.goto('/admin/segments');
  expect(await page.getByRole('button', { name: /^New segment/ }).getAttribute('aria-disabled')).toBe('true');
});

testBehindLoadBalancer(
  'after a server error, the page stays open and offers a retry',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/responded with 500|status of 500/);
    const { id, name } = await createSegment(api);
    await logInAs({ rootRole: 'Admin' });
    server.loadBalancer.broken = { paths: /^\/api\/admin\/segments/, status: 500 };
    await page.goto(`/admin/segments/${id}`);
    await page.getByRole('heading', { name: 'This part did not load' }).waitFor();

    delete server.loadBalancer.broken;
    await retry(page, page.getByRole('heading', { name }));
  },
);

testWithOwnServer()('lists 2,000 segments, and has an empty state', async ({ page, server, logInAs }) => {
  await logInAs({ rootRole: 'Admin' });
  await page.goto('/admin/segments');
  await page.getByText('No segments yet.').waitFor();
  await expectAccessible(page);
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  await client.query(
    `insert into segments (name, constraints, created_by)
       select 'segment ' || lpad(n::text, 4, '0'), '[]', 'ada' from generate_series(1, 2000) as n`,
  );
  await client.end();

  await page.reload();
  await row(page, 'segment 0001').waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  await page.keyboard.press('/');
  await page.keyboard.type('segment 1999');
  await page.getByText('1 segment', { exact: true }).waitFor();
  await page.getByLabel('Search segments').blur();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'segment 1999' }).waitFor();
});

testAsAdmin("creates a segment in a project from the project's page", async ({ page, api }) => {
  const project = await createProject(api);
  await api
    .send('POST', '/api/admin/context', {
      name: `region-${project}`,
      legalValues: [{ value: 'Norway' }, { value: 'Sweden' }],
    })
    .catch(() => undefined);
  await visit(page, `/projects/${project}/segments`);
  await page.getByRole('link', { name: 'New segment' }).click();

  const projectSelect = page.getByRole('combobox', { name: 'Project', exact: true });
  await expect.poll(() => projectSelect.inputValue()).toBe(project);
  await page.getByLabel('Name', { exact: false }).first().fill(`segment-${unique()}`);
  await page.getByRole('button', { name: 'Add a constraint' }).click();
  await page.getByLabel('Context field').selectOption(`region-${project}`);
  const values = page.getByLabel(`Values of region-${project}`);
  await values.fill('swe');
  await values.press('Enter');
  await page.getByRole('button', { name: 'Remove Sweden' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create segment' }).click();
  await page.waitForURL(/\/admin\/segments\/\d+$/);
  await visit(page, `/projects/${project}/segments`);
  await page.getByRole('region', { name: 'In this project' }).getByRole('link').waitFor();
});
