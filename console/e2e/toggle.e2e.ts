import { expect } from 'vitest';
import { createFlag, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin(
  "Enter cancels the confirmation that production's shortcut opens, on the flag page and in the list",
  async ({ page, api }) => {
    const { pagePath, project, name, base } = await createFlagWithStrategy(api);
    const { environments } = await api.send<{ environments: { name: string }[] }>('GET', base);
    const key = String(environments.findIndex(environment => environment.name === 'production') + 1);
    await visit(page, pagePath);
    await page.getByLabel('Enabled in production', { exact: true }).waitFor();

    await page.keyboard.press(key);
    await page.getByRole('alertdialog', { name: 'Confirm in production' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: 'Confirm in production' }).waitFor({ state: 'hidden' });

    await visit(page, `/projects/${project}`);
    await page.getByLabel(`${name} in production`, { exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press(key);
    const confirmation = page.getByRole('dialog', { name: `Enable ${name} in production?` });
    await confirmation.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await page.keyboard.press('Enter');
    await confirmation.waitFor({ state: 'hidden' });

    expect(await api.send('GET', `${base}/environments/production`)).toMatchObject({ enabled: false });
  },
);

testAsAdmin('Undo removes only the strategy that enabling the flag added', async ({ page, api }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  const environment = `/api/admin/projects/${project}/features/${name}/environments/development`;
  const readState = async () => {
    const { enabled, strategies } = await api.send<{ enabled: boolean; strategies: object[] }>(
      'GET',
      environment,
    );
    return { enabled, strategies: strategies.length };
  };
  await visit(page, `/projects/${project}/features/${name}`);
  const toggle = page.getByLabel('Enabled in development', { exact: true });

  await toggle.click();
  await expect.poll(readState).toEqual({ enabled: true, strategies: 1 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(readState).toEqual({ enabled: false, strategies: 0 });

  await api.send('POST', `${environment}/strategies`, { name: 'flexibleRollout', parameters: {} });
  await page.reload();
  await toggle.click();
  await expect.poll(readState).toEqual({ enabled: true, strategies: 1 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(readState).toEqual({ enabled: false, strategies: 1 });
});

// A toggle changes every cached search, including searches whose page uses only a part of the response.
testAsAdmin(
  'a toggle and a favorite in the list work after other pages have cached searches',
  async ({ page, api }) => {
    const segment = await api.send<{ id: number; name: string }>('POST', '/api/admin/segments', {
      name: `segment-${unique()}`,
      constraints: [],
    });
    const { project, name, base } = await createFlagWithStrategy(api, { segments: [segment.id] });
    await visit(page, `/admin/segments/${segment.id}`);
    await page.getByRole('link', { name: '1 strategy' }).waitFor();
    await visit(page, `/projects/${project}`);
    await page.getByRole('button', { name: 'Connect an SDK' }).click();
    await page.getByRole('dialog', { name: 'Connect an SDK' }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByLabel(`${name} in development`, { exact: true }).click();
    await page.getByRole('button', { name: `Favorite ${name}` }).click();

    const isEnabled = async () =>
      (await api.send<{ enabled: boolean }>('GET', `${base}/environments/development`)).enabled;
    await expect.poll(isEnabled).toBe(true);
    await page.getByRole('button', { name: `Favorite ${name}`, pressed: true }).waitFor();
  },
);
