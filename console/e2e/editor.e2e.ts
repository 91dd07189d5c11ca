import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { waitForFocus } from './support/focus.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin('asks before it discards unsaved changes to a strategy', async ({ page, api }) => {
  const { pagePath, project, id } = await createFlagWithStrategy(api);
  const confirmation = page.getByRole('dialog', { name: 'Discard changes?' });
  const title = page.getByRole('textbox', { name: 'Title' });
  const choose = (name: string) => confirmation.getByRole('button', { name, exact: true }).click();

  await visit(page, pagePath);
  await page.getByRole('button', { name: 'Gradual rollout' }).click();
  await title.fill('Mine');
  for (const leave of [
    () => page.getByRole('link', { name: 'Health' }).first().click(),
    () => page.goBack(),
    () => page.getByRole('button', { name: 'development', exact: true }).click(),
  ]) {
    await leave();
    await confirmation.waitFor();
    await choose('Cancel');
    await confirmation.waitFor({ state: 'hidden' });
    expect(await title.inputValue()).toBe('Mine');
  }
  await expectAccessible(page);
  const [dialog] = await Promise.all([
    page.waitForEvent('dialog'),
    page.evaluate(() => setTimeout(() => location.reload())),
  ]);
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await title.waitFor({ state: 'hidden' });
  expect(await confirmation.isVisible()).toBe(false);

  await visit(page, `${pagePath}?edit=${id}`);
  await title.fill('Mine');
  await page.getByRole('link', { name: 'Health' }).first().click();
  await choose('Discard changes');
  await page.waitForURL(`**/projects/${project}/health`);
});

testAsAdmin(
  'an invalid rollout disables the save button, and Ctrl+S moves focus to the field',
  async ({ page, api }) => {
    const { pagePath, strategies, id } = await createFlagWithStrategy(api);
    await page.setViewportSize({ width: 1280, height: 500 });
    await visit(page, `${pagePath}?edit=${id}`);
    const percent = page.getByLabel('Rollout in percent');
    const title = page.getByRole('textbox', { name: 'Title' });
    const saveButton = page.getByRole('button', { name: /^Save to production/ });
    for (const text of ['', '33.5', '101']) {
      await percent.fill(text);
      await title.focus();
      await page.getByRole('alert').getByText('The rollout must be a whole number from 0 to 100.').waitFor();
      expect(await saveButton.isDisabled()).toBe(true);
      await page.keyboard.press('Control+s');
      await waitForFocus(percent);
    }
    await expectAccessible(page);
    await percent.fill('33');
    await page.keyboard.press('Control+s');
    const readRollout = async () =>
      (await api.send<{ parameters: { rollout: string } }[]>('GET', strategies))[0]?.parameters.rollout;
    await expect.poll(readRollout).toBe('33');
  },
);

testAsAdmin(
  'the save bar, with the reason why Save is disabled, stays in view while any part of the editor is visible',
  async ({ page, api }) => {
    const { pagePath, id } = await createFlagWithStrategy(api, {
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['first'] }],
    });
    const saveButton = page.getByRole('button', { name: /^Save to production/ });
    for (const size of [
      { width: 1440, height: 560 },
      { width: 390, height: 560 },
    ]) {
      await page.setViewportSize(size);
      await visit(page, `${pagePath}?edit=${id}`);
      await page.getByRole('textbox', { name: 'Title' }).scrollIntoViewIfNeeded();
      await expect
        .poll(async () => {
          const box = await saveButton.boundingBox();
          return box && box.y + box.height;
        })
        .toBeLessThanOrEqual(size.height);
      await page.getByRole('button', { name: 'Remove first' }).click();
      await page.getByRole('textbox', { name: 'Title' }).scrollIntoViewIfNeeded();
      const reason = await page.getByText('Enter a value for userId.').boundingBox();
      const button = await saveButton.boundingBox();
      if (!reason || !button) throw new Error('The save bar does not show the reason or the button.');
      for (const box of [reason, button]) {
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(size.width);
        expect(box.y).toBeGreaterThanOrEqual(0);
        expect(box.y + box.height).toBeLessThanOrEqual(size.height);
      }
      expect(Math.abs(reason.y - button.y)).toBeLessThan(130);
      await page.getByRole('button', { name: 'Discard' }).click();
    }
    await expectAccessible(page);
  },
);

testAsAdmin(
  'a new strategy shows its audience, and an invalid rollout is reported at the field',
  async ({ page, api }) => {
    const { pagePath } = await createFlagWithStrategy(api);
    await visit(page, `${pagePath}?edit=new`);
    await page.getByText('New strategyEveryone', { exact: true }).waitFor();
    expect(await page.getByText('1 change', { exact: true }).count()).toBe(0);
    const percent = page.getByLabel('Rollout in percent');
    await percent.fill('25');
    await page.getByText('New strategy25 % of users', { exact: true }).waitFor();
    await percent.fill('250');
    const problem = page.getByRole('alert').filter({ hasText: 'The rollout must be a whole number' });
    const [field, message] = [await percent.boundingBox(), await problem.boundingBox()];
    expect((message?.y ?? 0) - (field?.y ?? 0)).toBeLessThan(60);
    expect(await percent.getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
  },
);

testAsAdmin('asks before it saves a strategy for everyone in production', async ({ page, api }) => {
  const { pagePath, strategies } = await createFlagWithStrategy(api);
  const countStrategies = async () => (await api.send<unknown[]>('GET', strategies)).length;
  await visit(page, `${pagePath}?edit=new`);
  const saveButton = page.getByRole('button', { name: /^Save to production/ });
  await saveButton.click();
  const confirmation = page.getByRole('dialog', { name: 'Save for everyone in production?' });
  await confirmation.getByText('Every user in production gets').waitFor();
  await expectAccessible(page);
  await confirmation.getByRole('button', { name: 'Cancel' }).click();
  await confirmation.waitFor({ state: 'hidden' });
  expect(await countStrategies()).toBe(1);

  await saveButton.click();
  await confirmation.getByRole('button', { name: 'Save for everyone' }).click();
  await page.getByText('Saved to production.').waitFor();
  expect(await countStrategies()).toBe(2);

  await visit(page, `${pagePath}?edit=new`);
  await page.getByLabel('Rollout in percent').fill('25');
  await saveButton.click();
  await expect.poll(countStrategies).toBe(3);
  expect(await confirmation.count()).toBe(0);
});

testAsAdmin('a constraint on a different field offers the operators of that field', async ({ page, api }) => {
  const { pagePath, id } = await createFlagWithStrategy(api, {
    constraints: [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-01T00:00:00.000Z' }],
  });
  await visit(page, `${pagePath}?edit=${id}`);

  await page.getByLabel('Context field').selectOption('userId');

  const operator = page.getByLabel('Operator for userId');
  expect(await operator.inputValue()).toBe('IN');
  const options = await operator.locator('option').allTextContents();
  expect(options).toEqual([...new Set(options)]);
  expect(options).toContain('is above version');
  const groups = await operator
    .locator('optgroup')
    .evaluateAll(elements => elements.map(element => element.getAttribute('label')));
  expect(groups).toEqual(['Text', 'Number', 'Version', 'Date', 'Network']);
  await page.getByText('Enter a value for userId.').waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'a new constraint receives focus, and removing it moves focus to the button that adds constraints',
  async ({ page, api }) => {
    const { pagePath, id } = await createFlagWithStrategy(api);
    await visit(page, `${pagePath}?edit=${id}`);
    await page.getByRole('button', { name: 'Add a constraint or segment' }).click();
    await page.getByRole('menuitem', { name: 'Constraint on a context field' }).click();
    const field = page.getByLabel('Context field');
    await page.getByRole('menuitem').first().waitFor({ state: 'hidden' });
    await waitForFocus(field);
    await page.getByRole('button', { name: 'Remove the constraint on' }).press('Enter');
    const addButton = page.getByRole('button', { name: 'Add a constraint or segment' });
    await waitForFocus(addButton);
  },
);

testAsAdmin(
  'a missing context field can be created in a new tab, and the open editor then uses it',
  async ({ page, api }) => {
    const { pagePath, id } = await createFlagWithStrategy(api);
    const name = `field-${id.slice(0, 8)}`;
    await visit(page, `${pagePath}?edit=${id}`);
    await page.getByRole('button', { name: 'Add a constraint or segment' }).click();
    await page.getByRole('menuitem', { name: 'Constraint on a context field' }).click();
    await page.getByLabel(/^Values of/).fill('alice');
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Create a context field' }).click(),
    ]);
    await tab.getByRole('textbox', { name: 'Name' }).fill(name);
    await tab.getByRole('button', { name: 'Create context field' }).click();
    await tab.waitForURL(`**/admin/context-fields/${name}`);
    await tab.close();
    await expect.poll(() => page.getByLabel('Context field').inputValue()).toBe(name);
    await page.getByRole('button', { name: 'Remove alice' }).waitFor();
    await expectAccessible(page);
  },
);

testAsAdmin('the editor fits a 360 px window', async ({ page, api }) => {
  const { pagePath, id } = await createFlagWithStrategy(api, {
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['first'] }],
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(page, `${pagePath}?edit=${id}`);
  await page.getByRole('button', { name: 'Variant', exact: true }).click();
  await page.getByLabel('Name of variant 1').fill('one-tap');

  const section = page.getByRole('region', { name: 'Strategies in production' });
  const overflowingControls = await section.locator('input, select, textarea, button').evaluateAll(elements =>
    elements
      .filter(element => {
        const { left, right } = element.getBoundingClientRect();
        return left < 0 || right > innerWidth;
      })
      .map(element => element.getAttribute('aria-label') ?? element.textContent),
  );
  expect(overflowingControls).toEqual([]);
  const readBox = async (text: string) => await page.getByText(text, { exact: true }).boundingBox();
  const [countBox, discardBox] = [await readBox('1 change'), await readBox('Discard')];
  const isSeparate =
    countBox &&
    discardBox &&
    (countBox.x + countBox.width <= discardBox.x || countBox.y + countBox.height <= discardBox.y);
  expect(isSeparate).toBe(true);
  await expectAccessible(page);
});

testAsAdmin(
  'in a small window, the page title scrolls away, and the save bar is one line with the optional reason below the window',
  async ({ page, api }) => {
    const { pagePath, name, id } = await createFlagWithStrategy(api);
    const title = page.getByRole('heading', { level: 1, name });
    const saveBar = page.locator('[data-save-bar]');
    const reason = saveBar.getByRole('textbox', { name: 'Reason' });
    const readTop = async (element: typeof title) => (await element.boundingBox())?.y ?? Number.NaN;
    for (const { width, height, maxBarHeight } of [
      { width: 360, height: 740, maxBarHeight: 46 },
      { width: 1100, height: 480, maxBarHeight: 50 },
    ]) {
      await page.setViewportSize({ width, height });
      await visit(page, `${pagePath}?edit=${id}`);
      await page
        .getByRole('textbox', { name: 'Title' })
        .evaluate(element => element.scrollIntoView({ block: 'center' }));
      expect(await readTop(title)).toBeLessThan(0);
      expect(height - (await readTop(saveBar))).toBeLessThanOrEqual(maxBarHeight);
      await reason.focus();
      const box = await reason.boundingBox();
      expect(box && box.y + box.height).toBeLessThanOrEqual(height);
      await expectAccessible(page);
    }
  },
);

testAsAdmin(
  'a strategy stays open if it was opened while a different strategy was being saved',
  async ({ page, api }) => {
    const { pagePath, strategies, id } = await createFlagWithStrategy(api);
    const secondStrategy = await api.send<{ id: string }>('POST', strategies, {
      name: 'flexibleRollout',
      title: 'Second strategy',
      parameters: { rollout: '10', stickiness: 'default', groupId: 'second' },
    });
    const confirmation = page.getByRole('dialog', { name: 'Discard changes?' });
    const title = page.getByRole('textbox', { name: 'Title' });
    for (const choice of ['none', 'discard']) {
      const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
      await page.route(`**${strategies}/${id}`, async route => {
        if (route.request().method() === 'PUT') await gate;
        await route.fallback();
      });
      await visit(page, `${pagePath}?edit=${id}`);
      await title.fill(`Saved after ${choice}`);
      await page.getByRole('button', { name: /^Save to production/ }).click();
      await page.getByRole('button', { name: 'Second strategy' }).click();
      await confirmation.waitFor();
      if (choice === 'discard') await confirmation.getByRole('button', { name: 'Discard changes' }).click();
      openGate();
      await page.getByText('Saved to production.').first().waitFor();
      await confirmation.waitFor({ state: 'hidden' });
      await expect.poll(() => title.inputValue()).toBe('Second strategy');
      await page.getByText(`Saved after ${choice}`).first().waitFor();
      expect(new URL(page.url()).searchParams.get('edit')).toBe(secondStrategy.id);
      await page.unroute(`**${strategies}/${id}`);
    }
    await expectAccessible(page);
  },
);

testAsAdmin(
  'the type of a new strategy can be chosen, with fields for its parameters',
  async ({ page, api }) => {
    const { pagePath, strategies, name } = await createFlagWithStrategy(api);
    const customType = `byRegion-${name}`;
    await api.send('POST', '/api/admin/strategies', {
      name: customType,
      description: 'By region of the data center',
      parameters: [
        { name: 'regions', type: 'list', description: 'Names of regions', required: true },
        { name: 'share', type: 'percentage' },
        { name: 'strict', type: 'boolean' },
      ],
    });
    await visit(page, `${pagePath}?edit=new`);
    const typeSelect = page.getByRole('combobox', { name: 'Type' });
    const saveButton = page.getByRole('button', { name: /^Save to production/ });
    await expect.poll(() => typeSelect.inputValue()).toBe('flexibleRollout');
    await typeSelect.selectOption('Hosts');
    await page.getByLabel('Values of hostNames').fill('db-1,');
    await typeSelect.selectOption(customType);
    await page.getByText('By region of the data center').waitFor();
    await page.getByText('Enter a value for regions.').waitFor();
    expect(await saveButton.isDisabled()).toBe(true);
    await page.getByLabel('Values of regions').fill('eu,');
    await page.getByLabel('Values of regions').fill('us,');
    await page.getByRole('textbox', { name: 'share' }).fill('250');
    await page.getByText('Enter a number from 0 to 100 for share.').waitFor();
    await page.getByRole('textbox', { name: 'share' }).fill('25');
    await page.getByRole('checkbox', { name: 'strict' }).check();
    await expectAccessible(page);
    await saveButton.click();
    await page.getByText('Saved to production.').waitFor();
    const addedStrategy = (
      await api.send<{ id: string; name: string; parameters: object }[]>('GET', strategies)
    )[1];
    expect(addedStrategy).toMatchObject({
      name: customType,
      parameters: { regions: 'eu,us', share: '25', strict: 'true' },
    });

    await visit(page, `${pagePath}?edit=${addedStrategy?.id}`);
    await page.getByText('By region of the data center').waitFor();
    expect(await typeSelect.count()).toBe(0);

    await visit(page, `${pagePath}?edit=new`);
    await typeSelect.selectOption('Standard');
    await page.getByText('This type has no parameters.').waitFor();
    await typeSelect.selectOption('Gradual rollout');
    expect(await page.getByLabel('Rollout in percent').inputValue()).toBe('100 %');
  },
);

testAsAdmin('a long link does not widen the flag page in a 360 px window', async ({ page, api }) => {
  const { pagePath, base } = await createFlagWithStrategy(api);
  const url = `https://issues.example.com/${'long'.repeat(60)}`;
  await api.send('POST', `${base}/link`, { url });
  await page.setViewportSize({ width: 360, height: 740 });

  await visit(page, pagePath);
  const link = page.getByRole('link', { name: url });
  await link.waitFor();

  const toggle = page.getByLabel('Enabled in production', { exact: true });
  for (const box of [await link.boundingBox(), await toggle.boundingBox()]) {
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect(box && box.x + box.width).toBeLessThanOrEqual(360);
  }
});
