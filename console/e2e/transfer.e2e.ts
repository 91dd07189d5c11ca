import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createFlag, createProject } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';

testAsAdmin(
  'exports a project, examines the import into a different project, and links to the change',
  async ({ page, api }) => {
    const [source, target] = [await createProject(api), await createProject(api, { name: 'Search' })];
    const name = await createFlag(api, source);
    await visit(page, '/admin/transfer');
    await page.getByLabel('Project', { exact: true }).selectOption(source);
    await page.getByLabel('Environment').selectOption('development');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('1 flag', { exact: true }).waitFor();
    await accessible(page);
    const started = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const path = await (await started).path();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ features: [{ name }] });

    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByLabel('Or paste an export').fill('{');
    await page.getByText('This is not JSON.').waitFor();
    await page.getByLabel('File').setInputFiles(path);
    await page.getByLabel('Into the project').selectOption(target);
    await page.getByRole('button', { name: 'Examine' }).click();
    await page.getByText('Features with these names exist in a different project').waitFor();
    expect(await page.getByRole('button', { name: /^Import 0 flags/ }).isDisabled()).toBe(true);
    await accessible(page);

    const renamed = `${name}-copy`;
    const data = (await readFile(path, 'utf8')).replaceAll(name, renamed);
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'copy.json', mimeType: 'application/json', buffer: Buffer.from(data) });
    await page.getByLabel('Into the environment').selectOption('production');
    await page.getByRole('button', { name: 'Examine' }).click();
    await page.getByRole('region', { name: '1 new flag' }).getByText(renamed).waitFor();
    await page.getByRole('button', { name: 'Import 1 flag into production (production)' }).click();
    await page.getByRole('link', { name: 'Open it in the event log' }).click();
    await page.getByText('features-imported').first().waitFor();
    expect(await api.send('GET', `/api/admin/projects/${target}/features/${renamed}`)).toMatchObject({
      name: renamed,
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
  await page.getByRole('button', { name: 'Examine' }).click();

  const missing = page.getByRole('region', { name: 'Missing permissions' });
  await missing.getByText('CREATE_FEATURE', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /^Import 1 flag/ }).isDisabled()).toBe(true);
});

testAsAdmin(
  'the instance shows limits with their use, and downloads diagnostics without secrets',
  async ({ page, server }) => {
    await visit(page, '/admin/instance');
    await page.getByText('Projects, including archived ones').waitFor();
    await page.getByText(/^\d+ of 500$/).waitFor();
    await accessible(page);
    const started = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download diagnostics' }).click();
    const text = await readFile(await (await started).path(), 'utf8');

    expect(JSON.parse(text)).toMatchObject({ database: { version: expect.any(String) } });
    expect(text).not.toContain(server.adminToken);
  },
);
