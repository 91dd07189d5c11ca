import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createFlag, createProject } from './support/api.ts';
import { flagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

/** The id, the label or the text of the element that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing';
    return element.id === 'main' ? 'main' : (element.getAttribute('aria-label') ?? element.textContent);
  });

testAsAdmin('the focus stays near a strategy that is added, saved or deleted', async ({ page, api }) => {
  const { address } = await flagWithStrategy(api);
  await visit(page, `${address}?environment=production`);

  await page.getByRole('button', { name: 'Add strategy' }).click();
  await expect.poll(() => focused(page)).toBe('Title');
  await page.getByRole('button', { name: 'Variant', exact: true }).click();
  await expect.poll(() => focused(page)).toBe('Name of variant 1');
  await page.getByRole('button', { name: 'Remove variant 1' }).click();
  await expect.poll(() => focused(page)).toBe('Strategies in production');
  await page.getByLabel('Rollout in percent').fill('25');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved to production.').waitFor();
  await expect.poll(() => focused(page)).toBe('Strategies in production');

  await page.getByRole('button', { name: 'Actions of strategy 2' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete strategy' }).click();
  await page.getByText('Strategy deleted.').waitFor();
  await expect.poll(() => focused(page)).toBe('Strategies in production');
});

testAsAdmin('a conflict takes the focus', async ({ page, api }) => {
  const { address, id, strategies } = await flagWithStrategy(api);
  await visit(page, `${address}?edit=${id}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await api.send('PATCH', `${strategies}/${id}`, [{ op: 'replace', path: '/title', value: 'Theirs' }]);

  await page.keyboard.press('Control+s');

  await expect.poll(() => focused(page)).toContain('while you edited it');
});

testAsAdmin(
  'the focus stays on the page after settings are saved, a tag is removed and a flag is archived',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await api.send('POST', `/api/admin/features/${flag}/tags`, { type: 'simple', value: 'checkout' });
    await visit(page, `/projects/${project}/features/${flag}/settings`);

    await page.getByLabel('Description').fill('New words');
    await page.getByRole('button', { name: /^Save settings/ }).click();
    await page.getByText('Settings saved.').waitFor();
    await expect.poll(() => focused(page)).toBe('Settings');

    await visit(page, `/projects/${project}/features/${flag}?edit=tags`);
    await page.getByRole('button', { name: 'Remove tag simple:checkout' }).click();
    await page.getByText('Removed tag simple:checkout.').waitFor();
    await expect.poll(() => focused(page)).toBe('Tags');

    await visit(page, `/projects/${project}/features/${flag}/settings`);
    await page.getByRole('button', { name: 'Archive this flag…' }).click();
    await page.getByRole('button', { name: 'Archive flag' }).click();
    await expect.poll(() => focused(page)).toBe('Revive flag');
  },
);

testAsAdmin('a page that replaces the control with the focus takes the focus', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await visit(page, `/projects/${project}`);

  await page.getByRole('link', { name: flag }).first().focus();
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { level: 1, name: flag }).waitFor();
  await expect.poll(() => focused(page)).toBe('main');
});
