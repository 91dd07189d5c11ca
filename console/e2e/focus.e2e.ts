import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectAccessibleInBothModes } from './support/accessible.ts';
import { createFlag, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { waitForFocus } from './support/focus.ts';
import { openPage, visit, visitAndWait } from './support/open-page.ts';
import { test, testAsAdmin, testAsViewer, testWithOwnServer } from './support/test.ts';

/** Reads the id, the label or the text of the focused element. */
const readFocus = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing';
    return element.id === 'main' ? 'main' : (element.getAttribute('aria-label') ?? element.textContent);
  });

testAsAdmin('focus stays near a strategy that is added, saved or deleted', async ({ page, api }) => {
  const { pagePath } = await createFlagWithStrategy(api);
  await visit(page, `${pagePath}?environment=production`);

  await page.getByRole('button', { name: 'Add strategy' }).click();
  await expect.poll(() => readFocus(page)).toBe('Title');
  await page.getByRole('button', { name: 'Variant', exact: true }).click();
  await expect.poll(() => readFocus(page)).toBe('Name of variant 1');
  await page.getByRole('button', { name: 'Remove variant 1' }).click();
  await expect.poll(() => readFocus(page)).toBe('Strategies in production');
  await page.getByLabel('Rollout in percent').fill('25');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved to production.').waitFor();
  await expect.poll(() => readFocus(page)).toBe('Strategies in production');

  await page.getByRole('button', { name: 'Actions for strategy 2' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete strategy' }).click();
  await page.getByText('Strategy deleted.').waitFor();
  await expect.poll(() => readFocus(page)).toBe('Strategies in production');
});

testAsAdmin('a conflict message receives focus', async ({ page, api }) => {
  const { pagePath, id, strategies } = await createFlagWithStrategy(api);
  await visit(page, `${pagePath}?edit=${id}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await api.send('PATCH', `${strategies}/${id}`, [{ op: 'replace', path: '/title', value: 'Theirs' }]);

  await page.keyboard.press('Control+s');

  await expect.poll(() => readFocus(page)).toContain('while you were editing it');
});

testAsAdmin(
  'focus stays on the page after settings are saved, a tag is removed and a flag is archived',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await api.send('POST', `/api/admin/features/${flag}/tags`, { type: 'simple', value: 'checkout' });
    await visit(page, `/projects/${project}/features/${flag}/settings`);

    await page.getByLabel('Description').fill('New words');
    await page.getByRole('button', { name: /^Save settings/ }).click();
    await page.getByText('Settings saved.').waitFor();
    await expect.poll(() => readFocus(page)).toBe('Settings');

    await visit(page, `/projects/${project}/features/${flag}?edit=tags`);
    await page.getByRole('button', { name: 'Remove tag simple:checkout' }).click();
    await page.getByText('Removed tag simple:checkout.').waitFor();
    await expect.poll(() => readFocus(page)).toBe('Tags');

    await visit(page, `/projects/${project}/features/${flag}/settings`);
    await page.getByRole('button', { name: 'Archive this flag…' }).click();
    await page.getByRole('button', { name: 'Archive flag' }).click();
    await expect.poll(() => readFocus(page)).toBe('Revive flag');
  },
);

testAsAdmin('a new page receives focus if the focused control has disappeared', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await visit(page, `/projects/${project}`);

  await page.getByRole('link', { name: flag }).first().focus();
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { level: 1, name: flag }).waitFor();
  await expect.poll(() => readFocus(page)).toBe('main');
});

// On the shared server, the segments of other tests would add a filter to the menu.
const testSegmentMenu = testWithOwnServer();

testSegmentMenu(
  'a menu works with the keyboard, and returns focus to its button',
  async ({ page, api, logInAs }) => {
    const { pagePath, id } = await createFlagWithStrategy(api);
    await api.send('POST', '/api/admin/segments', { name: `segment-${unique()}`, constraints: [] });
    await logInAs({ rootRole: 'Admin' });
    // Waits until the segments are loaded, because the menu shows only the segments that are loaded when it opens.
    await openPage(page, `${pagePath}?edit=${id}`);
    const button = page.getByRole('button', { name: 'Add a constraint or segment' });
    const menu = page.getByRole('menu', { name: 'Add a constraint or segment' });
    const press = async (key: string, expected: RegExp) => {
      await page.keyboard.press(key);
      await expect.poll(() => readFocus(page)).toMatch(expected);
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
  },
);

testSegmentMenu('a menu of many segments has a filter', async ({ page, api, logInAs }) => {
  const { pagePath, id } = await createFlagWithStrategy(api);
  const name = `segment-${unique()}`;
  for (const suffix of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
    await api.send('POST', '/api/admin/segments', { name: `${name}-${suffix}`, constraints: [] });
  await logInAs({ rootRole: 'Admin' });
  await openPage(page, `${pagePath}?edit=${id}`);
  await page.getByRole('button', { name: 'Add a constraint or segment' }).click();
  const filter = page.getByRole('textbox', { name: 'Find a segment' });
  await waitForFocus(filter);
  await filter.fill(`${name.toUpperCase()}-E`);
  const items = page.getByRole('menuitem');
  await expect
    .poll(() => items.allTextContents())
    .toEqual(['Constraint on a context field', `Segment ${name}-e`]);
  await expectAccessible(page);
  await items.last().click();
  await page.getByRole('button', { name: `Remove segment ${name}-e` }).waitFor();
});

testAsAdmin('a menu stays next to its button and inside a 360 px window', async ({ page, api }) => {
  const { pagePath } = await createFlagWithStrategy(api);
  await page.setViewportSize({ width: 360, height: 640 });
  // Parts that load later would move the button.
  await visitAndWait(page, pagePath);
  const button = page.getByRole('button', { name: 'Actions for strategy 1' });
  await button.click();
  const menu = page.getByRole('menu', { name: 'Actions for strategy 1' });
  const measureGap = async () => {
    // Measures both boxes in one call, because the page could move between two calls.
    const [buttonBox, menuBox] = await menu.evaluate(
      (element, target) => [target, element].map(box => (box as Element).getBoundingClientRect().toJSON()),
      await button.elementHandle(),
    );
    expect(menuBox.left).toBeGreaterThanOrEqual(0);
    expect(menuBox.right).toBeLessThanOrEqual(360);
    return Math.round(Math.max(menuBox.top - buttonBox.bottom, buttonBox.top - menuBox.bottom));
  };
  const gapBefore = await measureGap();
  expect(gapBefore).toBeLessThan(20);

  await page.setViewportSize({ width: 340, height: 500 });
  await expect.poll(measureGap).toBe(gapBefore);

  // The menu must also follow a button that moves although nothing scrolls.
  await page.getByRole('main').evaluate(main => {
    main.style.paddingTop = '20px';
  });
  await expect.poll(measureGap).toBe(gapBefore);
});

testAsViewer(
  'the tooltip of a disabled control stays while the pointer is on it, and Esc hides it',
  async ({ page, api }) => {
    const project = await createProject(api);
    const pagePath = `/projects/${project}/features/${await createFlag(api, project)}`;
    await visit(page, pagePath);
    const button = page.getByRole('button', { name: 'Edit tags' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    const tooltip = page.getByRole('tooltip');

    await button.hover();
    await tooltip.hover();
    await page.waitForTimeout(300);
    expect(await tooltip.textContent()).toContain('Requires the permission');
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'hidden' });
    await page.mouse.move(0, 0);
    await button.focus();
    await tooltip.waitFor();
    expect(await button.getAttribute('aria-describedby')).toBe(await tooltip.getAttribute('id'));

    // In a dialog, the first Esc hides the tooltip, and the second closes the dialog.
    await visit(page, `${pagePath}?edit=owners`);
    const dialog = page.getByRole('dialog');
    await waitForFocus(dialog.getByRole('combobox', { name: 'Add a person or group' }));
    await dialog.getByRole('button', { name: 'Save owners' }).focus();
    await tooltip.waitFor();
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'hidden' });
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  },
);

test('a field that loads late receives focus, unless the user has moved focus elsewhere', async ({
  page,
  api,
  logInAs,
}) => {
  await logInAs({ rootRole: 'Admin' });
  const project = await createProject(api);
  const pagePath = `/projects/${project}/features/${await createFlag(api, project)}?edit=owners`;
  let loadField = () => {};
  await page.route(/\/choices-.*\.js$/, async route => {
    await new Promise<void>(resolve => {
      loadField = resolve;
    });
    await route.continue();
  });
  const placeholder = page.getByRole('dialog').getByRole('textbox', { name: 'Add a person or group' });
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Add a person or group' });

  await page.goto(pagePath);
  await waitForFocus(placeholder);
  loadField();
  await waitForFocus(field);

  await page.goto(pagePath);
  await waitForFocus(placeholder);
  const cancelButton = page.getByRole('button', { name: 'Cancel' });
  await cancelButton.focus();
  loadField();
  await field.waitFor();
  await waitForFocus(cancelButton);
});

testAsAdmin(
  'open menus have no accessibility violations, in light and in dark mode',
  async ({ page, api }) => {
    const { pagePath, project } = await createFlagWithStrategy(api);

    await visit(page, `/projects/${project}`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox').first().waitFor();
    await expectAccessibleInBothModes(page);

    await visit(page, `${pagePath}?environment=production`);
    await page.getByRole('button', { name: 'Actions for strategy 1' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
    await expectAccessibleInBothModes(page);
  },
);

testAsViewer('the focus ring of a sortable heading is not clipped', async ({ page, api }) => {
  const project = await createProject(api);
  await createFlag(api, project);
  await visit(page, `/projects/${project}`);
  await page.getByRole('columnheader').getByRole('button').first().waitFor();

  const clippedHeadings = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[role=columnheader] button')]
      .filter(button => {
        button.focus({ focusVisible: true } as FocusOptions);
        const { outlineOffset, outlineWidth } = getComputedStyle(button);
        const outlineSize = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth);
        const cell = button.closest('[role=columnheader]');
        if (!cell) return true;
        const [buttonBox, cellBox] = [button.getBoundingClientRect(), cell.getBoundingClientRect()];
        return buttonBox.top - outlineSize < cellBox.top || buttonBox.bottom + outlineSize > cellBox.bottom;
      })
      .map(button => button.textContent),
  );

  expect(await page.getByRole('columnheader').getByRole('button').count()).toBeGreaterThan(2);
  expect(clippedHeadings).toEqual([]);
});
