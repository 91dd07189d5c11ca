import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createProject } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer, testBehindLoadBalancer } from './support/test.ts';

testAsAdmin(
  'exports a project, checks the import into a different project, and links to the change',
  async ({ page, api }) => {
    const [source, target] = [await createProject(api), await createProject(api, { name: 'Search' })];
    const name = await createFlag(api, source);
    await visit(page, '/admin/transfer');
    await page.getByLabel('Project', { exact: true }).selectOption(source);
    await page.getByLabel('Environment').selectOption('production');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('1 flag', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('dialog', { name: 'Leave without downloading?' }).waitFor();
    await page.keyboard.press('Escape');
    const downloadPromise = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const path = await (await downloadPromise).path();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ features: [{ name }] });

    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByLabel('Or paste an export').fill('{');
    await page.getByText('This is not JSON.').waitFor();
    const environment = page.getByLabel('Into the environment');
    expect(await page.getByLabel('Into the project').inputValue()).toBe('');
    expect(await environment.inputValue()).toBe('');
    await page.getByLabel('File').setInputFiles(path);
    await page.getByLabel('Into the project').selectOption(target);
    await page.getByText('The export is from production.').waitFor();
    await expect.poll(() => environment.inputValue()).toBe('production');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const conflicts = page.getByRole('region', { name: 'Conflicts' });
    await conflicts.getByText('Flags with these names exist in a different project.').waitFor();
    expect(await conflicts.getByRole('link').getAttribute('href')).toBe(`/projects/${source}`);
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await expectAccessible(page);

    const copyName = `${name}-copy`;
    const data = (await readFile(path, 'utf8')).replaceAll(name, copyName);
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'copy.json', mimeType: 'application/json', buffer: Buffer.from(data) });
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('region', { name: '1 new flag' }).getByText(copyName).waitFor();
    await page.getByRole('button', { name: 'Import 1 flag into production (production)' }).click();
    await page.getByRole('link', { name: 'Open it in the event log' }).click();
    await page.getByText('features-imported').first().waitFor();
    expect(await api.send('GET', `/api/admin/projects/${target}/features/${copyName}`)).toMatchObject({
      name: copyName,
    });
  },
);

testAsViewer('an import names the permissions that the user lacks', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, '/admin/transfer/import');
  await page
    .getByLabel('Or paste an export')
    .fill(JSON.stringify({ features: [{ name: `${project}.new` }], featureStrategies: [] }));
  await page.getByLabel('Into the project').selectOption(project);
  expect(await page.getByRole('button', { name: 'Check', exact: true }).isDisabled()).toBe(true);
  await page.getByLabel('Into the environment').selectOption('development');
  await page.getByRole('button', { name: 'Check', exact: true }).click();

  const missingPermissions = page.getByRole('region', { name: 'Missing permissions' });
  await missingPermissions.getByText('CREATE_FEATURE', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /^Import 1 flag/ }).isDisabled()).toBe(true);
});

testAsAdmin(
  'the instance page shows the usage of limits, and downloads diagnostics without the admin token',
  async ({ page, server }) => {
    await visit(page, '/admin/instance');
    await page.getByText('Projects, including archived ones').waitFor();
    await page.getByText(/^\d+ of 500$/).waitFor();
    await expectAccessible(page);
    const downloadPromise = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download diagnostics' }).click();
    const text = await readFile(await (await downloadPromise).path(), 'utf8');

    expect(JSON.parse(text)).toMatchObject({ database: { version: expect.any(String) } });
    expect(text).not.toContain(server.adminToken);
  },
);

testBehindLoadBalancer(
  'a server error during an export or an import keeps the input, and a retry succeeds',
  async ({ page, api, server, logInAs, tolerated }) => {
    tolerated.push(/responded with (a status of )?500|status of 500/);
    const project = await createProject(api);
    const name = await createFlag(api, project);
    await logInAs({ rootRole: 'Admin' });
    const error = page.getByRole('alert').filter({ hasText: 'The server responded with status 500.' });
    const failAndRetry = async (path: RegExp, button: string) => {
      server.loadBalancer.broken = { paths: path, status: 500 };
      await page.getByRole('button', { name: button, exact: true }).click();
      await error.waitFor();
      delete server.loadBalancer.broken;
      await page.getByRole('button', { name: button, exact: true }).click();
      await error.waitFor({ state: 'detached' });
    };
    await page.goto('/admin/transfer');
    await page.getByLabel('Project', { exact: true }).selectOption(project);
    await failAndRetry(/features-batch\/export/, 'Export');
    await page.getByText('1 flag', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    const data = { features: [{ name: `${name}-copy` }], featureStrategies: [] };
    await page.getByLabel('Or paste an export').fill(JSON.stringify(data));
    await page.getByLabel('Into the project').selectOption(project);
    await page.getByLabel('Into the environment').selectOption('development');
    await failAndRetry(/features-batch\/validate/, 'Check');
    await failAndRetry(/features-batch\/import/, 'Import 1 flag into development');
    await page.getByText('The import is one change.').waitFor();
    await api.send('GET', `/api/admin/projects/${project}/features/${name}-copy`);
  },
);
