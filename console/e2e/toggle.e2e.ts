import { expect } from 'vitest';
import { createFlag, createProject } from './support/api.ts';
import { flagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin(
  'Enter after the key of production cancels: on the flag page and in the list',
  async ({ page, api }) => {
    const { address, project, name, base } = await flagWithStrategy(api);
    const { environments } = await api.send<{ environments: { name: string }[] }>('GET', base);
    const key = String(environments.findIndex(one => one.name === 'production') + 1);
    await visit(page, address);
    await page.getByLabel('Enabled in production', { exact: true }).waitFor();

    await page.keyboard.press(key);
    await page.getByRole('alertdialog', { name: 'Confirm in production' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog', { name: 'Confirm in production' }).waitFor({ state: 'hidden' });

    await visit(page, `/projects/${project}`);
    await page.getByLabel(`${name} in production`, { exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press(key);
    const question = page.getByRole('dialog', { name: `Enable ${name} in production?` });
    await question.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'hidden' });

    expect(await api.send('GET', `${base}/environments/production`)).toMatchObject({ enabled: false });
  },
);

testAsAdmin(
  'undoing an enable removes the strategy that it added, and no other one',
  async ({ page, api }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project);
    const environment = `/api/admin/projects/${project}/features/${name}/environments/development`;
    const state = async () => {
      const { enabled, strategies } = await api.send<{ enabled: boolean; strategies: object[] }>(
        'GET',
        environment,
      );
      return { enabled, strategies: strategies.length };
    };
    await visit(page, `/projects/${project}/features/${name}`);
    const toggle = page.getByLabel('Enabled in development', { exact: true });

    await toggle.click();
    await expect.poll(state).toEqual({ enabled: true, strategies: 1 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(state).toEqual({ enabled: false, strategies: 0 });

    await api.send('POST', `${environment}/strategies`, { name: 'flexibleRollout', parameters: {} });
    await page.reload();
    await toggle.click();
    await expect.poll(state).toEqual({ enabled: true, strategies: 1 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(state).toEqual({ enabled: false, strategies: 1 });
  },
);
