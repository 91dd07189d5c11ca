import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { flagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { testAsAdmin } from './support/test.ts';

testAsAdmin('asks before it discards unsaved changes to a strategy', async ({ page, api }) => {
  const { address, project, id } = await flagWithStrategy(api);
  const question = page.getByRole('dialog', { name: 'Discard changes?' });
  const title = page.getByRole('textbox', { name: 'Title' });
  const answer = (name: string) => question.getByRole('button', { name, exact: true }).click();

  await visit(page, address);
  await page.getByRole('button', { name: 'Gradual rollout' }).click();
  await title.fill('Mine');
  for (const leave of [
    () => page.getByRole('link', { name: 'Health' }).first().click(),
    () => page.goBack(),
    () => page.getByRole('button', { name: 'development', exact: true }).click(),
  ]) {
    await leave();
    await question.waitFor();
    await answer('Cancel');
    await question.waitFor({ state: 'hidden' });
    expect(await title.inputValue()).toBe('Mine');
  }
  await accessible(page);
  const [dialog] = await Promise.all([
    page.waitForEvent('dialog'),
    page.evaluate(() => setTimeout(() => location.reload())),
  ]);
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await title.waitFor({ state: 'hidden' });
  expect(await question.isVisible()).toBe(false);

  await visit(page, `${address}?edit=${id}`);
  await title.fill('Mine');
  await page.getByRole('link', { name: 'Health' }).first().click();
  await answer('Discard changes');
  await page.waitForURL(`**/projects/${project}/health`);
});

testAsAdmin('an invalid rollout is an error, and saving moves the focus to it', async ({ page, api }) => {
  const { address, strategies, id } = await flagWithStrategy(api);
  await page.setViewportSize({ width: 1280, height: 500 });
  await visit(page, `${address}?edit=${id}`);
  const percent = page.getByLabel('Rollout in percent');
  const title = page.getByRole('textbox', { name: 'Title' });
  const save = page.getByRole('button', { name: /^Save to production/ });
  for (const text of ['', '33.5', '101']) {
    await percent.fill(text);
    await title.focus();
    await page.getByText('The rollout must be a whole number from 0 to 100.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.keyboard.press('Control+s');
    await expect.poll(() => percent.evaluate(element => element === document.activeElement)).toBe(true);
  }
  await accessible(page);
  await percent.fill('33');
  await page.keyboard.press('Control+s');
  const rollout = async () =>
    (await api.send<{ parameters: { rollout: string } }[]>('GET', strategies))[0]?.parameters.rollout;
  await expect.poll(rollout).toBe('33');
});

testAsAdmin(
  'the save bar stays in the window while a part of the editor is visible',
  async ({ page, api }) => {
    const { address, id } = await flagWithStrategy(api);
    const save = page.getByRole('button', { name: /^Save to production/ });
    for (const size of [
      { width: 1440, height: 560 },
      { width: 390, height: 560 },
    ]) {
      await page.setViewportSize(size);
      await visit(page, `${address}?edit=${id}`);
      await page.getByRole('textbox', { name: 'Title' }).scrollIntoViewIfNeeded();
      await expect
        .poll(async () => {
          const box = await save.boundingBox();
          return box && box.y + box.height;
        })
        .toBeLessThanOrEqual(size.height);
    }
    await accessible(page);
  },
);

testAsAdmin(
  'a new strategy shows its audience, and an invalid rollout is reported at the field',
  async ({ page, api }) => {
    const { address } = await flagWithStrategy(api);
    await visit(page, `${address}?edit=new`);
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
    await accessible(page);
  },
);

testAsAdmin('asks before it saves a strategy for everyone in production', async ({ page, api }) => {
  const { address, strategies } = await flagWithStrategy(api);
  const count = async () => (await api.send<unknown[]>('GET', strategies)).length;
  await visit(page, `${address}?edit=new`);
  const save = page.getByRole('button', { name: /^Save to production/ });
  await save.click();
  const question = page.getByRole('dialog', { name: 'Save for everyone in production?' });
  await question.getByText('Every user in production gets').waitFor();
  await accessible(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  expect(await count()).toBe(1);

  await save.click();
  await question.getByRole('button', { name: 'Save for everyone' }).click();
  await page.getByText('Saved to production.').waitFor();
  expect(await count()).toBe(2);

  await visit(page, `${address}?edit=new`);
  await page.getByLabel('Rollout in percent').fill('25');
  await save.click();
  await expect.poll(count).toBe(3);
  expect(await question.count()).toBe(0);
});

testAsAdmin('a different field has different operators', async ({ page, api }) => {
  const { address, id } = await flagWithStrategy(api, {
    constraints: [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-01-01T00:00:00.000Z' }],
  });
  await visit(page, `${address}?edit=${id}`);

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
  await accessible(page);
});

testAsAdmin(
  'a new constraint gets the focus, and after a removal the button that adds one gets it',
  async ({ page, api }) => {
    const { address, id } = await flagWithStrategy(api);
    await visit(page, `${address}?edit=${id}`);
    await page.getByRole('button', { name: 'Add a constraint or segment' }).click();
    await page.getByRole('menuitem', { name: 'Constraint on a context field' }).click();
    const field = page.getByLabel('Context field');
    await page.getByRole('menuitem').first().waitFor({ state: 'hidden' });
    await expect.poll(() => field.evaluate(element => element === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Remove the constraint on' }).press('Enter');
    const adding = page.getByRole('button', { name: 'Add a constraint or segment' });
    await expect.poll(() => adding.evaluate(element => element === document.activeElement)).toBe(true);
  },
);

testAsAdmin('the editor fits a window of 360 px', async ({ page, api }) => {
  const { address, id } = await flagWithStrategy(api, {
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['first'] }],
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(page, `${address}?edit=${id}`);
  await page.getByRole('button', { name: 'Variant', exact: true }).click();
  await page.getByLabel('Name of variant 1').fill('one-tap');

  const section = page.getByRole('region', { name: 'Strategies in production' });
  const beyond = await section.locator('input, select, textarea, button').evaluateAll(elements =>
    elements
      .filter(element => {
        const { left, right } = element.getBoundingClientRect();
        return left < 0 || right > innerWidth;
      })
      .map(element => element.getAttribute('aria-label') ?? element.textContent),
  );
  expect(beyond).toEqual([]);
  const boxOf = async (text: string) => await page.getByText(text, { exact: true }).boundingBox();
  const [count, discard] = [await boxOf('1 change'), await boxOf('Discard')];
  const isApart =
    count && discard && (count.x + count.width <= discard.x || count.y + count.height <= discard.y);
  expect(isApart).toBe(true);
  await accessible(page);
});

testAsAdmin(
  'a strategy that is opened while the save of a different one runs stays open',
  async ({ page, api }) => {
    const { address, strategies, id } = await flagWithStrategy(api);
    const second = await api.send<{ id: string }>('POST', strategies, {
      name: 'flexibleRollout',
      title: 'Second strategy',
      parameters: { rollout: '10', stickiness: 'default', groupId: 'second' },
    });
    const question = page.getByRole('dialog', { name: 'Discard changes?' });
    const title = page.getByRole('textbox', { name: 'Title' });
    for (const answer of ['none', 'discard']) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route(`**${strategies}/${id}`, async route => {
        if (route.request().method() === 'PUT') await released;
        await route.fallback();
      });
      await visit(page, `${address}?edit=${id}`);
      await title.fill(`Saved after ${answer}`);
      await page.getByRole('button', { name: /^Save to production/ }).click();
      await page.getByRole('button', { name: 'Second strategy' }).click();
      await question.waitFor();
      if (answer === 'discard') await question.getByRole('button', { name: 'Discard changes' }).click();
      release();
      await page.getByText('Saved to production.').first().waitFor();
      await question.waitFor({ state: 'hidden' });
      await expect.poll(() => title.inputValue()).toBe('Second strategy');
      await page.getByText(`Saved after ${answer}`).first().waitFor();
      expect(new URL(page.url()).searchParams.get('edit')).toBe(second.id);
      await page.unroute(`**${strategies}/${id}`);
    }
    await accessible(page);
  },
);

testAsAdmin(
  'the type of a new strategy can be chosen, with fields for its parameters',
  async ({ page, api }) => {
    const { address, strategies, name } = await flagWithStrategy(api);
    const custom = `byRegion-${name}`;
    await api.send('POST', '/api/admin/strategies', {
      name: custom,
      description: 'By region of the data center',
      parameters: [
        { name: 'regions', type: 'list', description: 'Names of regions', required: true },
        { name: 'share', type: 'percentage' },
        { name: 'strict', type: 'boolean' },
      ],
    });
    await visit(page, `${address}?edit=new`);
    const type = page.getByRole('combobox', { name: 'Type' });
    const save = page.getByRole('button', { name: /^Save to production/ });
    await expect.poll(() => type.inputValue()).toBe('flexibleRollout');
    await type.selectOption('Hosts');
    await page.getByLabel('Values of hostNames').fill('db-1,');
    await type.selectOption(custom);
    await page.getByText('By region of the data center').waitFor();
    await page.getByText('Enter a value for regions.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Values of regions').fill('eu,');
    await page.getByLabel('Values of regions').fill('us,');
    await page.getByRole('textbox', { name: 'share' }).fill('250');
    await page.getByText('Enter a number from 0 to 100 for share.').waitFor();
    await page.getByRole('textbox', { name: 'share' }).fill('25');
    await page.getByRole('checkbox', { name: 'strict' }).check();
    await accessible(page);
    await save.click();
    await page.getByText('Saved to production.').waitFor();
    const added = (await api.send<{ id: string; name: string; parameters: object }[]>('GET', strategies))[1];
    expect(added).toMatchObject({
      name: custom,
      parameters: { regions: 'eu,us', share: '25', strict: 'true' },
    });

    await visit(page, `${address}?edit=${added?.id}`);
    await page.getByText('By region of the data center').waitFor();
    expect(await type.count()).toBe(0);

    await visit(page, `${address}?edit=new`);
    await type.selectOption('Standard');
    await page.getByText('This type has no parameters.').waitFor();
    await type.selectOption('Gradual rollout');
    expect(await page.getByLabel('Rollout in percent').inputValue()).toBe('100 %');
  },
);
