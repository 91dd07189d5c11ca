import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { type Target, test, testAsViewer } from './support/test.ts';

/** Sends a report like an SDK in production does. */
async function report(api: Api, { url }: Target, path: string, body: object): Promise<void> {
  const { secret } = await api.send<{ secret: string }>('POST', '/api/admin/api-tokens', {
    tokenName: `sdk-${unique()}`,
    type: 'backend',
    environment: 'production',
  });
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: secret, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(202);
}

const buildBucket = (toggles: object) => {
  const now = new Date().toISOString();
  return { start: now, stop: now, toggles };
};

testAsViewer(
  'shows the evaluations of a flag, the application that reported them, and unknown flag names',
  async ({ page, api, server }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const appName = `shop-${unique()}`;
    const misspelledFlag = `${flag}-typo`;
    await report(api, server, '/api/client/register', {
      appName,
      instanceId: 'host-1',
      sdkVersion: 'unleash-node-sdk:6.12.1',
      strategies: ['default'],
      started: new Date().toISOString(),
      interval: 10_000,
    });
    await report(api, server, '/api/client/metrics', {
      appName,
      instanceId: 'host-1',
      bucket: buildBucket({
        [flag]: { yes: 1500, no: 500, variants: { blue: 900, red: 600 } },
        [misspelledFlag]: { yes: 0, no: 7, variants: {} },
      }),
    });
    // The counts appear late, because the server writes them every 10 s and the page polls every 10 s.
    await visit(page, `/projects/${project}/features/${flag}/usage`);
    const usage = page.getByRole('region', { name: 'Usage in production' });
    await page
      .getByRole('region', { name: 'Usage in development' })
      .getByText('No SDK evaluated the flag in the last 24 hours.')
      .waitFor();
    await usage.getByText('1,500 enabled, 500 disabled', { exact: true }).waitFor({ timeout: 60_000 });
    await usage.getByText('75 % enabled').waitFor();
    await usage.getByText('blue 900 · red 600').waitFor();
    await usage.getByRole('figure', { name: /^Evaluations in production by hour: 1,500 enabled/ }).waitFor();
    await expectAccessible(page);
    await page.getByText('30 days', { exact: true }).click();
    await page.waitForURL(url => url.searchParams.get('range') === 'month');
    await usage.getByRole('figure', { name: /^Evaluations in production by day: 1,500 enabled/ }).waitFor();
    await expectAccessible(page);

    await page.getByRole('region', { name: 'Applications' }).getByRole('link', { name: appName }).click();
    await page.getByRole('heading', { level: 1, name: appName }).waitFor();
    const region = (name: string) => page.getByRole('region', { name });
    await region('Problems')
      .getByText(`There is no flag ${misspelledFlag}, so the application uses its default value.`)
      .waitFor();
    await region('Environments').getByText('1 instance', { exact: true }).waitFor();
    await region('Environments').getByText('unleash-node-sdk:6.12.1').waitFor();
    await region('Instances').getByText('host-1').waitFor();
    await expectAccessible(page);
    await region('Flags').getByRole('link', { name: flag }).click();
    await page.waitForURL(`/projects/${project}/features/${flag}`);

    await visit(page, '/applications');
    await page.getByRole('link', { name: 'Unknown flags' }).click();
    await page.getByPlaceholder('Name or application').fill(misspelledFlag);
    const unknownFlagRow = page.getByRole('row').filter({ hasText: misspelledFlag });
    await unknownFlagRow.getByText('production').waitFor();
    await expectAccessible(page);
    await unknownFlagRow.getByRole('link', { name: appName }).click();
    await page.waitForURL(`/applications/${appName}`);

    await visit(page, `/projects/${project}/applications`);
    await page.getByRole('link', { name: 'Flag usage' }).click();
    const evaluatedFlagRow = page.getByRole('row').filter({ hasText: flag });
    await evaluatedFlagRow.getByText('1,500', { exact: true }).waitFor();
    await evaluatedFlagRow.getByText('500', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Period' }).selectOption('Last 7 days');
    await page.waitForURL(url => url.searchParams.get('days') === '7');
    await evaluatedFlagRow.getByText('1,500', { exact: true }).waitFor();
    await expectAccessible(page);
  },
);

test('only users with the permission can describe and delete an application', async ({
  page,
  newPage,
  api,
  server,
  logInAs,
}) => {
  const appName = `desk-${unique()}`;
  await report(api, server, '/api/client/register', {
    appName,
    instanceId: 'host-1',
    strategies: [],
    started: new Date().toISOString(),
    interval: 10_000,
  });
  const path = `/api/admin/metrics/applications/${appName}`;
  const read = () => api.send<{ description?: string; url?: string }>('GET', path).catch(() => undefined);
  await expect.poll(read, { timeout: 60_000 }).toBeDefined();
  const viewerPage = await newPage();
  await logInAs({ rootRole: 'Viewer' }, viewerPage);
  await viewerPage.goto(`/applications/${appName}`);
  await viewerPage.getByRole('button', { name: 'Edit…' }).waitFor();
  for (const name of ['Edit…', 'Delete application…'])
    expect(await viewerPage.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true');

  await logInAs({ rootRole: 'Editor' });
  await page.goto(`/applications/${appName}`);
  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByRole('dialog').getByText('No changes.').waitFor();
  await page.getByRole('textbox', { name: 'Description' }).fill('The help desk');
  const url = page.getByRole('textbox', { name: 'URL' });
  await url.fill('javascript:alert(1)');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await url.fill('https://example.com/desk');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(`Saved ${appName}.`).waitFor();
  expect(await read()).toMatchObject({ description: 'The help desk', url: 'https://example.com/desk' });
  await page.getByRole('link', { name: 'https://example.com/desk' }).waitFor();

  await page.getByRole('button', { name: 'Delete application…' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete application' }).click();
  await page.getByText(`Deleted ${appName}.`).waitFor();
  expect(await read()).toBeUndefined();
});

testAsViewer(
  'finds an application by a string, and opens the application with the keyboard',
  async ({ page, api, server }) => {
    const appName = `mail-${unique()}`;
    await report(api, server, '/api/client/register', {
      appName,
      instanceId: 'host-1',
      strategies: [],
      started: new Date().toISOString(),
      interval: 10_000,
    });
    const path = `/api/admin/metrics/applications?query=${appName}`;
    await expect
      .poll(async () => (await api.send<{ total: number }>('GET', path)).total, { timeout: 60_000 })
      .toBe(1);
    await visit(page, '/');
    await page.getByRole('link', { name: 'Applications' }).click();

    await page.getByLabel('Filter applications').fill(appName);
    await page.getByText('1 application', { exact: true }).waitFor();
    await page.waitForURL(url => url.searchParams.get('query') === appName);
    await expectAccessible(page);
    await page.getByLabel('Filter applications').blur();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: appName }).waitFor();
    await page.getByText('The application has not asked for any flags.').waitFor();
    await visit(page, `/applications?query=${unique()}`);
    await page.getByText('No applications match.').waitFor();
    await visit(page, `/applications/${unique()}`);
    await page.getByRole('heading', { name: 'Not found, or you cannot read it' }).waitFor();
    await expectAccessible(page);
  },
);
