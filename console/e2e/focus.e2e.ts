import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createFlag, createProject, unique } from './support/api.ts';
import { flagWithStrategy } from './support/flag.ts';
import { goTo, visit } from './support/open-page.ts';
import { testAsAdmin, testAsViewer } from './support/test.ts';

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

testAsAdmin('a menu is used with the keyboard, and returns the focus', async ({ page, api }) => {
  const { address, id } = await flagWithStrategy(api);
  await api.send('POST', '/api/admin/segments', { name: `segment-${unique()}`, constraints: [] });
  // The menu has the segments that are loaded when it opens.
  await goTo(page, `${address}?edit=${id}`);
  const button = page.getByRole('button', { name: 'Add a constraint or segment' });
  const menu = page.getByRole('menu', { name: 'Add a constraint or segment' });
  const press = async (key: string, expected: RegExp) => {
    await page.keyboard.press(key);
    await expect.poll(() => focused(page)).toMatch(expected);
  };
  await button.focus();

  await press('ArrowUp', /^Segment /);
  await press('ArrowDown', /^Constraint/);
  await press('s', /^Segment /);
  await press('c', /^Constraint/);
  await press('End', /^Segment /);
  await press('Home', /^Constraint/);
  await press('Escape', /^Add a constraint or segment$/);
  await menu.waitFor({ state: 'hidden' });
  await press('ArrowDown', /^Constraint/);
  await page.keyboard.press('Tab');
  await menu.waitFor({ state: 'hidden' });
  // The strategy editor is still open.
  await button.waitFor();
});

testAsAdmin('a menu stays at its button and in a window of 360 px', async ({ page, api }) => {
  const { address } = await flagWithStrategy(api);
  await page.setViewportSize({ width: 360, height: 640 });
  await visit(page, address);
  const button = page.getByRole('button', { name: 'Actions of strategy 1' });
  await button.click();
  const menu = page.getByRole('menu', { name: 'Actions of strategy 1' });
  const gap = async () => {
    const [one, other] = [await button.boundingBox(), await menu.boundingBox()];
    if (!one || !other) return Number.NaN;
    expect(other.x).toBeGreaterThanOrEqual(0);
    expect(other.x + other.width).toBeLessThanOrEqual(360);
    return Math.round(Math.max(other.y - one.y - one.height, one.y - other.y - other.height));
  };
  const before = await gap();
  expect(before).toBeLessThan(20);

  await page.setViewportSize({ width: 340, height: 500 });

  await expect.poll(gap).toBe(before);
});

testAsViewer(
  'the reason for a disabled control stays while the pointer is on it, and Esc hides it',
  async ({ page, api }) => {
    const project = await createProject(api);
    await visit(page, `/projects/${project}/features/${await createFlag(api, project)}`);
    const button = page.getByRole('button', { name: 'Edit tags' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    const words = page.getByRole('tooltip');

    await button.hover();
    await words.hover();
    await page.waitForTimeout(300);
    expect(await words.textContent()).toContain('Requires the permission');
    await page.keyboard.press('Escape');
    await words.waitFor({ state: 'hidden' });
    await page.mouse.move(0, 0);
    await button.focus();
    await words.waitFor();
    expect(await button.getAttribute('aria-describedby')).toBe(await words.getAttribute('id'));
  },
);
