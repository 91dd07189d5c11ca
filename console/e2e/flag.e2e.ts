import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { waitForFocus } from './support/focus.ts';
import { visit } from './support/open-page.ts';
import { test, testAsAdmin, testAsViewer } from './support/test.ts';

type Strategy = {
  id: string;
  title?: string;
  parameters: Record<string, string>;
  constraints: { values: string[] }[];
};

testAsAdmin('enabling in production asks for confirmation and names the audience', async ({ page, api }) => {
  const { pagePath, base } = await createFlagWithStrategy(api);
  await visit(page, pagePath);
  const toggle = page.getByLabel('Enabled in production', { exact: true });
  await toggle.click();
  await page.getByText('Enable in production for 50 % of users?').waitFor();
  expect(await api.send<{ enabled: boolean }>('GET', `${base}/environments/production`)).toMatchObject({
    enabled: false,
  });
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('alertdialog').count()).toBe(0);
  await waitForFocus(toggle);
  await toggle.click();
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await expect.poll(() => toggle.isChecked()).toBe(true);
  await expect
    .poll(() => api.send<{ enabled: boolean }>('GET', `${base}/environments/production`))
    .toMatchObject({ enabled: true });

  // A message must replace the message about the previous toggle, and must not cover the save button.
  await page.setViewportSize({ width: 1280, height: 600 });
  await page.getByRole('button', { name: 'Gradual rollout' }).click();
  const saveButton = page.getByRole('button', { name: /^Save to production/ });
  await saveButton.waitFor();
  const developmentToggle = page.getByLabel('Enabled in development', { exact: true });
  await developmentToggle.click();
  await page.getByText('is enabled in development').waitFor();
  await developmentToggle.click();
  const message = page.getByText('is disabled in development');
  const messageBox = await message.boundingBox();
  expect(await page.getByText('is enabled in development').count()).toBe(0);
  expect(messageBox && messageBox.y + messageBox.height).toBeLessThan(
    (await saveButton.boundingBox())?.y ?? 0,
  );

  // A closed dialog must return the focus to the button that opened it.
  const completeButton = page.getByRole('button', { name: 'Complete…' });
  await completeButton.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Complete/ }).waitFor();
  await page.keyboard.press('Escape');
  await waitForFocus(completeButton);
  await expectAccessible(page);
});

testAsAdmin(
  'the command palette runs the flag actions that the user may perform',
  async ({ page, api, logInAs, newPage }) => {
    const { pagePath, name, base } = await createFlagWithStrategy(api);
    await visit(page, pagePath);
    await page.getByRole('button', { name: 'Archive…' }).waitFor();
    await page.keyboard.press('Control+k');
    // Types while the palette is still loading, which must not lose a key press.
    await page.keyboard.type('enable', { delay: 30 });
    await page.getByRole('dialog', { name: 'Search or run' }).waitFor();
    await expect.poll(() => page.getByLabel('Search or run').last().inputValue()).toBe('enable');
    await page.getByText(`Enable ${name} in development`).click();
    await expect
      .poll(() => api.send<{ enabled: boolean }>('GET', `${base}/environments/development`))
      .toMatchObject({ enabled: true });

    const otherPage = await newPage();
    await logInAs({ rootRole: 'Viewer' }, otherPage);
    await otherPage.goto(pagePath);
    const cloneLink = otherPage.getByRole('link', { name: 'Clone…' });
    expect(await cloneLink.getAttribute('aria-disabled')).toBe('true');
    await cloneLink.click({ force: true });
    await otherPage.getByRole('tooltip').getByText('Requires the permission "Create flag"').waitFor();
    expect(new URL(otherPage.url()).pathname).toBe(pagePath);
    await otherPage.keyboard.press('Control+k');
    await otherPage.getByLabel('Search or run').last().fill(name);
    await otherPage.getByRole('dialog').getByText(name, { exact: true }).first().waitFor();
    expect(await otherPage.getByText(`Clone ${name}…`).count()).toBe(0);
    expect(await otherPage.getByText(`Archive ${name}…`).count()).toBe(0);
    expect(await otherPage.getByText(`Disable ${name} in development`).count()).toBe(0);
    await expectAccessible(otherPage);
  },
);

testAsAdmin('a strategy is added, edited, moved and deleted', async ({ page, api }) => {
  const { pagePath, strategies } = await createFlagWithStrategy(api);
  await visit(page, pagePath);
  await page.getByRole('button', { name: 'Add strategy' }).click();
  await page.getByRole('textbox', { name: 'Title' }).last().fill('Beta customers');
  await page.getByRole('button', { name: /^Save to production/ }).click();
  await page.getByRole('button', { name: 'Save for everyone' }).click();
  // Waits for the message too, because the event stream shows the strategy before the editor has finished.
  await page.getByText('Saved to production.').waitFor();
  await page.getByText('Beta customers').waitFor();
  await page.getByRole('button', { name: 'Gradual rollout' }).click();
  const percent = page.getByLabel('Rollout in percent');
  await percent.fill('75');
  await percent.press('Tab');
  await page.getByText('1 change', { exact: true }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Control+s');
  await page.getByText('75 %').first().waitFor();
  await page.getByRole('button', { name: 'Actions for strategy 2' }).click();
  await page.getByRole('menuitem', { name: /Move up/ }).click();
  const readTitles = async () =>
    (await api.send<Strategy[]>('GET', strategies)).map(strategy => strategy.title);
  await expect.poll(readTitles).toEqual(['Beta customers', 'Gradual rollout']);
  await page.getByRole('listitem').filter({ hasText: 'Beta customers' }).filter({ hasText: /^1/ }).waitFor();
  await page.getByRole('button', { name: 'Actions for strategy 1' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete strategy' }).click();
  await expect.poll(readTitles).toEqual(['Gradual rollout']);
  expect((await api.send<Strategy[]>('GET', strategies))[0]?.parameters.rollout).toBe('75');
  await expectAccessible(page);
});

testAsAdmin(
  "adds pasted values to a constraint, and shows the server's limit if there are too many",
  async ({ page, api }) => {
    const { pagePath, strategies, id } = await createFlagWithStrategy(api, {
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['first'] }],
    });
    await visit(page, `${pagePath}?edit=${id}`);
    const input = page.getByLabel('Values of userId');
    await input.waitFor();
    const pasteUsers = (start: number, end: number) =>
      input.evaluate(
        (element, [first, last]) => {
          const data = new DataTransfer();
          const values = Array.from({ length: last - first }, (_, n) => `user-${first + n}`);
          data.setData('text', values.join('\n'));
          const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
          element.dispatchEvent(paste);
        },
        [start, end] as const,
      );
    await pasteUsers(0, 200);
    await page.getByText('181 more').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Save to production/ }).click();
    const countSavedValues = async () =>
      (await api.send<Strategy[]>('GET', strategies))[0]?.constraints[0]?.values.length;
    await expect.poll(countSavedValues).toBe(201);
    await page.getByText('Saved to production.').waitFor();

    await visit(page, `${pagePath}?edit=${id}`);
    await input.waitFor();
    await pasteUsers(200, 500);
    await page.getByText('481 more').waitFor();
    await page.getByRole('button', { name: /^Save to production/ }).click();
    await page.getByText('A constraint can have at most 250 values').waitFor();
    expect(await countSavedValues()).toBe(201);
    await expectAccessible(page);
  },
);

testAsAdmin(
  'values that the context field does not allow are listed, and one click removes them',
  async ({ page, api }) => {
    const field = `plan${unique()}`;
    await api.send('POST', '/api/admin/context', {
      name: field,
      legalValues: [{ value: 'team' }, { value: 'business' }],
    });
    const { pagePath, strategies, id } = await createFlagWithStrategy(api, {
      constraints: [{ contextName: field, operator: 'IN', values: ['team'] }],
    });
    await visit(page, `${pagePath}?edit=${id}`);
    const input = page.getByLabel(`Values of ${field}`);
    const choices = page.getByRole('group', { name: `Choices for ${field}` });
    await choices.getByRole('button', { name: 'team', pressed: true }).waitFor();
    await choices.getByRole('button', { name: 'business' }).click();
    await page.getByRole('button', { name: 'Remove business' }).click();
    await input.fill('busi');
    await choices.getByRole('button', { name: 'team' }).waitFor({ state: 'hidden' });
    await choices.getByRole('button', { name: 'business' }).click();
    expect(await input.inputValue()).toBe('');
    await input.fill('gold,silver,');
    await page
      .getByText(`gold and silver are not allowed for ${field}. Allowed: team and business.`)
      .waitFor();
    expect(await page.getByRole('button', { name: /^Save to production/ }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove 2 values' }).click();
    expect(await input.evaluate(element => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Control+s');
    await page.getByText('Saved to production.').waitFor();
    expect((await api.send<Strategy[]>('GET', strategies))[0]?.constraints[0]?.values).toEqual([
      'team',
      'business',
    ]);
  },
);

testAsAdmin(
  'when two people edit a strategy, the second person sees both changes and chooses between them',
  async ({ page, api }) => {
    const { pagePath, strategies, id } = await createFlagWithStrategy(api);
    await visit(page, `${pagePath}?edit=${id}`);
    await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
    await api.send('PUT', `${strategies}/${id}`, {
      name: 'flexibleRollout',
      title: 'Gradual rollout',
      parameters: { rollout: '10', stickiness: 'default', groupId: 'g' },
    });
    await page.getByRole('button', { name: /^Save to production/ }).click();
    await page.getByText(/^\S.* changed this strategy \(.*\) while you were editing it$/).waitFor();
    expect(await page.getByText(/^Somebody changed/).count()).toBe(0);
    await page.getByRole('region', { name: 'Their changes' }).getByText('10 %').waitFor();
    await page.getByRole('region', { name: 'Your changes' }).getByText('Mine').waitFor();
    await expectAccessible(page);
    const readTitle = async () => (await api.send<Strategy[]>('GET', strategies))[0]?.title;
    expect(await readTitle()).toBe('Gradual rollout');
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    await page.getByRole('button', { name: /^Save to production/ }).click();
    await expect.poll(readTitle).toBe('Mine');
  },
);

testAsAdmin(
  'variants split 100 %, and a fixed share leaves the rest for the others',
  async ({ page, api }) => {
    const { pagePath, id } = await createFlagWithStrategy(api);
    await visit(page, `${pagePath}?edit=${id}`);
    const addButton = page.getByRole('button', { name: 'Variant', exact: true });
    await addButton.click();
    await page.getByLabel('Name of variant 1').fill('one-tap');
    await addButton.click();
    await page.getByLabel('Name of variant 2').fill('two-step');
    const shareField = (n: number) => page.getByLabel(`Share of variant ${n} in percent`);
    await expect.poll(() => shareField(2).inputValue()).toBe('50 %');
    await shareField(1).fill('20');
    await shareField(1).press('Tab');
    await expect.poll(() => shareField(2).inputValue()).toBe('80 %');
    await page.getByLabel('Name of variant 2').fill('one-tap');
    await page.getByText('Two variants have the same name.').waitFor();
    expect(await page.getByRole('button', { name: /^Save to production/ }).isDisabled()).toBe(true);
    await expectAccessible(page);
  },
);

testAsAdmin(
  'a JSON payload is validated while the user types, and can be formatted',
  async ({ page, api }) => {
    const { pagePath, strategies, id } = await createFlagWithStrategy(api);
    await visit(page, `${pagePath}?edit=${id}`);
    await page.getByRole('button', { name: 'Variant', exact: true }).click();
    await page.getByLabel('Name of variant 1').fill('one-tap');
    await page.getByLabel('Payload type of variant 1').selectOption('json');
    const payload = page.getByLabel('Payload of variant 1', { exact: true });
    await payload.fill('{"steps":1,}');
    await page.getByText(/^Invalid JSON: /).waitFor();
    const saveButton = page.getByRole('button', { name: /^Save to production/ });
    expect(await saveButton.isDisabled()).toBe(true);
    await expectAccessible(page);
    await payload.fill('{"steps":1}');
    await page.getByRole('button', { name: 'Format' }).click();
    await expect.poll(() => payload.inputValue()).toBe('{\n  "steps": 1\n}');
    await expectAccessible(page);
    await saveButton.click();
    await expect
      .poll(
        async () => (await api.send<{ variants: { payload?: object }[] }[]>('GET', strategies))[0]?.variants,
      )
      .toMatchObject([{ payload: { type: 'json', value: '{\n  "steps": 1\n}' } }]);
  },
);

testAsAdmin('compares two environments, and copies one to the other', async ({ page, api }) => {
  const variant = { weight: 1000, weightType: 'variable', stickiness: 'default' };
  const { pagePath, base } = await createFlagWithStrategy(api, {
    variants: [{ ...variant, name: 'one-tap' }],
  });
  await visit(page, `${pagePath}?environment=development`);
  await page.getByRole('button', { name: 'Compare…' }).click();
  await page.getByRole('dialog').getByText('Variants: one-tap 100 %').waitFor();
  expect(page.url()).toContain('compare=production');
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.goForward();
  await page.getByRole('button', { name: 'Copy production to development' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Copy production to development' }).click();
  await expect
    .poll(
      async () => (await api.send<Strategy[]>('GET', `${base}/environments/development/strategies`)).length,
    )
    .toBe(1);
});

testAsAdmin(
  'a copy to production shows its effect, asks for confirmation, and can be undone',
  async ({ page, api }) => {
    const { pagePath, base, strategies } = await createFlagWithStrategy(api);
    await api.send('POST', `${base}/environments/production/on`);
    const readState = async () => ({
      titles: (await api.send<Strategy[]>('GET', strategies)).map(strategy => strategy.title),
      ...(await api.send<{ enabled: boolean }>('GET', `${base}/environments/production`)),
    });

    await visit(page, `${pagePath}?environment=production&compare=development`);
    await page.getByRole('button', { name: 'Copy development to production…' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Copy development to production?' });
    await confirmation.getByText('Copying removes 1 strategy and disables the flag in production.').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await confirmation.waitFor({ state: 'hidden' });
    expect(await readState()).toMatchObject({ titles: ['Gradual rollout'], enabled: true });

    await page.getByRole('button', { name: 'Copy development to production…' }).click();
    await confirmation.getByRole('button', { name: 'Copy to production' }).click();
    const result = 'Copied development to production: removed 1 strategy and disabled the flag.';
    await page.getByText(result).waitFor();
    expect(await readState()).toMatchObject({ titles: [], enabled: false });

    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(readState).toMatchObject({ titles: ['Gradual rollout'], enabled: true });
  },
);

const buildVariant = (name: string) => ({
  name,
  weight: 1000,
  weightType: 'variable',
  stickiness: 'default',
});

/** Creates a flag whose environments differ in strategies and variants. */
async function createFlagToCopy(api: Api) {
  const flag = await createFlagWithStrategy(api);
  const productionPath = `${flag.base}/environments/production`;
  await api.send('PUT', `${flag.base}/environments/development/variants`, [buildVariant('copied')]);
  await api.send('PUT', `${productionPath}/variants`, [buildVariant('own')]);
  await api.send('POST', `${productionPath}/on`);
  const readState = async () => {
    const { enabled, strategies, variants } = await api.send<{
      enabled: boolean;
      strategies: Strategy[];
      variants: { name: string }[];
    }>('GET', productionPath);
    return {
      enabled,
      titles: strategies.map(strategy => strategy.title),
      variants: variants.map(variant => variant.name),
    };
  };
  return {
    ...flag,
    productionPath,
    readState,
    compareUrl: `${flag.pagePath}?environment=production&compare=development`,
  };
}

async function copyToProduction(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Copy development to production…' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Copy development to production?' });
  await confirmation.getByRole('button', { name: 'Copy to production' }).click();
}

testAsAdmin('the undo of a copy restores strategies, variants and the toggle', async ({ page, api }) => {
  const { compareUrl, readState } = await createFlagToCopy(api);
  await visit(page, compareUrl);
  await copyToProduction(page);
  await page.getByText('Copied development to production').waitFor();
  expect(await readState()).toEqual({ enabled: false, titles: [], variants: ['copied'] });

  await page.getByRole('button', { name: 'Undo' }).click();

  await expect.poll(readState).toEqual({ enabled: true, titles: ['Gradual rollout'], variants: ['own'] });
});

testAsAdmin('undoing a copy does not overwrite later changes', async ({ page, api }) => {
  const { compareUrl, productionPath, readState, name } = await createFlagToCopy(api);
  await visit(page, compareUrl);
  await copyToProduction(page);
  const undoButton = page.getByRole('button', { name: 'Undo' });
  await undoButton.waitFor();
  await api.send('PUT', `${productionPath}/variants`, [buildVariant('theirs')]);

  await undoButton.click();

  await page
    .getByText(`Somebody changed ${name} in production after the copy, so the copy was not undone.`)
    .waitFor();
  expect(await readState()).toEqual({ enabled: false, titles: [], variants: ['theirs'] });
  await expectAccessible(page);
});

testAsAdmin('an undo keeps a change that somebody else makes between its requests', async ({ page, api }) => {
  const { compareUrl, productionPath, readState, name } = await createFlagToCopy(api);
  await visit(page, compareUrl);
  await copyToProduction(page);
  await page.route('**/environments/production/strategies', async route => {
    const response = await route.fetch();
    await api.send('PUT', `${productionPath}/variants`, [buildVariant('theirs')]);
    await route.fulfill({ response });
  });

  await page.getByRole('button', { name: 'Undo' }).click();

  await page
    .getByText(`Somebody changed ${name} in production after the copy, so the copy was only partly undone.`)
    .waitFor();
  expect(await readState()).toEqual({ enabled: false, titles: ['Gradual rollout'], variants: ['theirs'] });
});

testAsAdmin('a copy is rejected if the target changed after the page showed it', async ({ page, api }) => {
  const { base, compareUrl, productionPath, readState, name } = await createFlagToCopy(api);
  // Serves the old flag until the copy starts, so that the page does not show the change before that.
  const oldFlag = await api.send('GET', base);
  let isOld = true;
  await page.route(`**${base}`, route => (isOld ? route.fulfill({ json: oldFlag }) : route.fallback()));
  await page.route(`**${productionPath}`, route => {
    isOld = false;
    return route.fallback();
  });
  await visit(page, compareUrl);
  await page.getByRole('button', { name: 'Copy development to production…' }).waitFor();
  await api.send('PUT', `${productionPath}/variants`, [buildVariant('theirs')]);

  await copyToProduction(page);

  await page
    .getByText(`Somebody changed ${name} in production in the meantime, so nothing was copied.`)
    .waitFor();
  expect(await readState()).toEqual({ enabled: true, titles: ['Gradual rollout'], variants: ['theirs'] });
  await page.getByText('Variants: theirs 100 %').first().waitFor();
  await expectAccessible(page);
});

testAsAdmin('a flag can be archived only if no other flag depends on it', async ({ page, api }) => {
  const { project, name, pagePath } = await createFlagWithStrategy(api);
  const child = await createFlag(api, project, { name: `child-${unique()}` });
  await api.send('POST', `/api/admin/projects/${project}/features/${child}/dependencies`, { feature: name });
  await visit(page, pagePath);
  await page.getByRole('button', { name: 'Archive…' }).click();
  await page.getByText(`Flags depend on ${name}: ${child}.`).waitFor();
  expect(await page.getByRole('button', { name: 'Archive flag' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  await visit(page, `/projects/${project}/features/${child}`);
  await page.getByRole('button', { name: 'Archive…' }).click();
  await page.getByText('A revived flag is disabled in every environment.').waitFor();
  await page.getByRole('button', { name: 'Archive flag' }).click();
  await page.getByRole('button', { name: 'Revive' }).waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'a card names the parent that blocks the flag, and an archived flag can only be revived',
  async ({ page, api }) => {
    const { project, name, base, pagePath, id } = await createFlagWithStrategy(api);
    const parent = await createFlag(api, project);
    await api.send('POST', `${base}/dependencies`, { feature: parent });
    await api.send('POST', `${base}/environments/production/on`);

    await visit(page, pagePath);
    const card = page.getByRole('region', { name: 'production', exact: true });
    await card.getByText(`The parent ${parent} is disabled here.`).waitFor();
    const rail = page.getByRole('complementary', { name: 'About this flag' });
    await rail.getByText('must be enabled · disabled').waitFor();
    await expectAccessible(page);
    await api.send('POST', `/api/admin/projects/${project}/features/${parent}/environments/production/on`);
    await card.getByText(`The parent ${parent}`).waitFor({ state: 'hidden' });
    await rail.getByText(/must be enabled · enabled in 1 of \d/).waitFor();
    const visibleShare = await rail
      .getByRole('region', { name: 'Depends on', exact: true })
      .getByRole('link', { name: parent })
      .evaluate(element => element.clientWidth / element.scrollWidth);
    expect(visibleShare).toBe(1);

    await page.getByRole('button', { name: 'Archive…' }).click();
    await page.getByRole('button', { name: 'Archive flag' }).click();
    await page.getByText(`Archived ${name}.`).waitFor();
    await card.getByText('Nobody gets the flag.').waitFor();
    await visit(page, `${pagePath}?edit=${id}`);
    await page.getByText('This flag is archived').waitFor();
    expect(
      await page.getByRole('button', { name: /^(Add strategy|Edit|Save|Compare|Actions of)/ }).count(),
    ).toBe(0);
    expect(await card.getByText('Enabled', { exact: true }).count()).toBe(0);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Revive' }).click();
    await page.getByText(`Revived ${name}. It is disabled in every environment.`).waitFor();
    await card.getByText('Disabled', { exact: true }).waitFor();
  },
);

test('the cards, the rail and the home page show the latest changes, but not favorites', async ({
  page,
  api,
  logInAs,
}) => {
  const { pagePath, base, strategies, id } = await createFlagWithStrategy(api);
  const setRollout = (rollout: string) =>
    api.send('PUT', `${strategies}/${id}`, {
      name: 'flexibleRollout',
      title: 'Gradual rollout',
      parameters: { rollout, stickiness: 'default', groupId: 'g' },
    });
  await setRollout('75');
  await logInAs({ rootRole: 'Admin' });
  await page.request.post(`${base}/favorites`, { headers: { 'sec-fetch-site': 'same-origin' } });
  await page.goto(pagePath);

  const card = page.getByRole('region', { name: 'production', exact: true });
  await card.getByRole('link', { name: /, (just now|\d+ s ago|1 min ago)$/ }).waitFor();
  const rail = page.getByRole('complementary', { name: 'About this flag' });
  await rail.getByText(/rollout 50 % → 75 %/).waitFor();
  expect(await rail.getByText('favorites').count()).toBe(0);
  await expectAccessible(page);

  await page.goto('/');
  const latestEvents = page.getByRole('region', { name: 'Latest events' });
  // Changes the rollout again and again, because the events of other tests push the change out of the list.
  let rollout = 75;
  await expect
    .poll(
      async () => {
        rollout = rollout === 75 ? 80 : 75;
        await setRollout(String(rollout));
        return await latestEvents.getByText(/rollout (75|80) % → (75|80) %/).count();
      },
      { interval: 1_000 },
    )
    .toBeGreaterThan(0);
  expect(await latestEvents.getByText('favorites').count()).toBe(0);
});

testAsViewer('variants are shown on the card and in the row of a strategy', async ({ page, api }) => {
  const variants = [
    { name: 'blue', weight: 250, weightType: 'fix', stickiness: 'default' },
    { name: 'green', weight: 750, weightType: 'variable', stickiness: 'default' },
  ];
  const { pagePath } = await createFlagWithStrategy(api, { variants });
  await visit(page, `${pagePath}?environment=production`);

  const summary = 'Variants: blue 25 %, green 75 %';
  await page.getByRole('region', { name: 'production', exact: true }).getByText(summary).waitFor();
  await page.getByRole('region', { name: 'Strategies in production' }).getByText(summary).waitFor();
});

testAsViewer('a comparison marks what only one of the environments has', async ({ page, api }) => {
  const { pagePath, base } = await createFlagWithStrategy(api);
  const sharedStrategy = {
    name: 'flexibleRollout',
    title: 'In both',
    parameters: { rollout: '10', stickiness: 'default', groupId: 'both' },
  };
  for (const environment of ['development', 'production'])
    await api.send('POST', `${base}/environments/${environment}/strategies`, sharedStrategy);
  await visit(page, `${pagePath}?environment=production&compare=development`);

  const panel = page.getByRole('dialog', { name: 'Compare production with another environment' });
  await panel.getByText('In both').first().waitFor();
  await expect
    .poll(() => panel.getByRole('listitem').filter({ hasText: 'Only in' }).allTextContents())
    .toEqual(['Only in production: Gradual rollout: 50 % of users']);
  await expectAccessible(page);
});

testAsViewer('a viewer sees a strategy in an editor whose fields are disabled', async ({ page, api }) => {
  const { pagePath, id } = await createFlagWithStrategy(api);
  await visit(page, `${pagePath}?environment=production&edit=${id}`);

  await page.getByText('Requires the permission "Change strategies"').waitFor();
  expect(await page.getByLabel('Title').isDisabled()).toBe(true);
  expect(await page.getByLabel('Rollout in percent').isDisabled()).toBe(true);
  await expectAccessible(page);
});
