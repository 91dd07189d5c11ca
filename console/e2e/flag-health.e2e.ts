import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createProject } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';

testAsAdmin(
  'a flag is completed and uncompleted, and the page shows its stage and date',
  async ({ page, api }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project);
    const path = `/api/admin/projects/${project}/features/${name}`;
    const readLifecycle = async () => (await api.send<{ lifecycle: object }>('GET', path)).lifecycle;
    await visit(page, `/projects/${project}/features/${name}`);
    const section = page.getByRole('region', { name: 'Lifecycle' });
    await section.getByText('Initial').waitFor();
    await section.getByText(/^since \d+ \w+/).waitFor();

    await section.getByRole('button', { name: 'Complete…' }).click();
    await page.getByLabel('Outcome').selectOption('discarded');
    await page.getByLabel('Details').fill('blue');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Complete flag' }).click();
    await section.getByText('discarded: blue').waitFor();
    expect(await readLifecycle()).toMatchObject({
      stage: 'completed',
      status: 'discarded',
      statusValue: 'blue',
    });
    await expectAccessible(page);

    await section.getByRole('button', { name: 'Uncomplete' }).click();
    await expect.poll(readLifecycle).toMatchObject({ stage: 'initial' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(readLifecycle).toMatchObject({ stage: 'completed', statusValue: 'blue' });
    await expectAccessible(page);
  },
);

testAsViewer(
  "the rail shows the flag's findings and age, and links to the health page",
  async ({ page, api }) => {
    const project = await createProject(api);
    const [name, other] = [await createFlag(api, project), await createFlag(api, project)];
    for (const stale of [name, other])
      await api.send('PUT', `/api/admin/projects/${project}/features/${stale}`, { stale: true });
    await visit(page, `/projects/${project}/features/${name}`);
    const section = page.getByRole('region', { name: 'Health' });

    await section.getByText('Created today').waitFor();
    await section.getByRole('link', { name: 'Stale' }).waitFor();
    await expectAccessible(page);
    await section.getByRole('link', { name: 'Stale' }).click();
    await page.waitForURL(`/projects/${project}/health?rule=IS:stale`);
    await page.getByRole('listitem', { name }).waitFor();

    await api.send('PUT', `/api/admin/projects/${project}/features/${name}`, { stale: false });
    await page.goto(`/projects/${project}/features/${name}`);
    await section.getByText('No findings.').waitFor();
    await expectAccessible(page);
  },
);
