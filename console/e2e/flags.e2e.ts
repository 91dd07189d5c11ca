import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { test, testAsAdmin, testAsViewer } from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

testAsAdmin('a flag is created from the list, and its page opens', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}`);
  await page.getByText('No flags yet.').waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New flag' }).waitFor();
  const name = `checkout-${unique()}`;
  await page.getByLabel('Name').fill(name);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create flag' }).click();
  await page.waitForURL(`/projects/${project}/features/${name}?environment=development`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'a flag is created in the open project, even if the project list does not contain it',
  async ({ page, api }) => {
    const project = await createProject(api);
    await page.route(/\/api\/admin\/projects(\?.*)?$/, async route => {
      const response = await route.fetch();
      const { projects, ...rest } = await response.json();
      await route.fulfill({
        response,
        json: { ...rest, projects: projects.filter(({ id }: { id: string }) => id !== project) },
      });
    });
    await visit(page, `/projects/${project}?edit=new`);
    const name = `checkout-${unique()}`;
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.waitForURL(`/projects/${project}/features/${name}`);
  },
);

testAsAdmin('asks before it discards a new flag', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}`);
  await page.getByRole('button', { name: /^New flag/ }).click();
  const panel = page.getByRole('dialog', { name: 'New flag' });
  await panel.getByLabel('Name').fill('checkout');

  await expectDiscardConfirmation(page, panel.getByLabel('Name'), [
    () => page.keyboard.press('Escape'),
    () => panel.getByRole('button', { name: 'Cancel' }).click(),
    () => page.goBack(),
  ]);

  await page.getByRole('button', { name: /^New flag/ }).click();
  await panel.waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
});

testAsAdmin("the project's naming rule rejects a name while the user types", async ({ page, api }) => {
  const project = await createProject(api);
  await api.send('PUT', `/api/admin/projects/${project}`, {
    name: 'Payments',
    featureNaming: { pattern: 'pay\\.[a-z]+', example: 'pay.refund' },
  });
  await visit(page, `/projects/${project}?edit=new`);
  await page.getByLabel('Name').fill('checkout');
  await page.getByText("This name does not match the project's naming rule.").waitFor();
  expect(await page.getByRole('button', { name: 'Create flag' }).isDisabled()).toBe(true);
  await page.getByLabel('Name').fill('pay.checkout');
  await expect.poll(() => page.getByRole('button', { name: 'Create flag' }).isEnabled()).toBe(true);
  await expectAccessible(page);
});

testAsAdmin('the list keeps its scroll position while the visible pages load', async ({ page, api }) => {
  const project = await createProject(api);
  const prefix = unique();
  const features = Array.from({ length: 350 }, (_, n) => ({
    name: `${prefix}-${String(n).padStart(3, '0')}`,
  }));
  await api.send('POST', '/api/admin/features-batch/import', {
    project,
    environment: 'development',
    data: { features, featureStrategies: [] },
  });
  await visit(page, `/projects/${project}?sortBy=name&sortOrder=asc`);
  await page.getByRole('link', { name: `${prefix}-000` }).waitFor();
  let openGate = () => {};
  const gate = new Promise<void>(resolve => {
    openGate = resolve;
  });
  await page.route(/\/search\/features\?.*offset=[1-9]/, async route => {
    await gate;
    await route.fallback();
  });

  const list = page.getByRole('table', { name: 'Flags' });
  const pageRequest = page.waitForRequest(/offset=300/);
  await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
  await pageRequest;
  const scrollTop = await list.evaluate(element => element.scrollTop);
  expect(scrollTop).toBeGreaterThan(10_000);
  openGate();

  await page.getByRole('link', { name: `${prefix}-349` }).waitFor();
  expect(await list.evaluate(element => element.scrollTop)).toBe(scrollTop);
});

testAsAdmin(
  'a toggle in the list can be undone, and a second browser shows the change without a reload',
  async ({ page, newPage, api, logInAs }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project);
    const otherPage = await newPage();
    await logInAs({ rootRole: 'Viewer' }, otherPage);
    await Promise.all([visit(page, `/projects/${project}`), otherPage.goto(`/projects/${project}`)]);
    const toggle = page.getByLabel(`${name} in development`, { exact: true });
    const otherToggle = otherPage.getByLabel(`${name} in development`, { exact: true });
    await otherToggle.waitFor();
    await toggle.click();
    // Tests Undo before it checks the other browser, because the button disappears after 15 s.
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => toggle.isChecked()).toBe(false);
    await toggle.click();
    await page.getByText(`${name} is enabled in development.`).waitFor();
    await expect.poll(() => otherToggle.isChecked()).toBe(true);
    await expectAccessible(page);
  },
);

test('toggling in production asks for confirmation and shows the audience, but offline it only shows a message', async ({
  page,
  api,
  logInAs,
  tolerated,
}) => {
  const { project, name } = await createFlagWithStrategy(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/projects/${project}`);
  const toggle = page.getByLabel(`${name} in production`, { exact: true });
  await toggle.click();
  const confirmation = page.getByRole('dialog', { name: `Enable ${name} in production?` });
  await confirmation.getByText('Enable in production for 50 % of users?').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await confirmation.waitFor({ state: 'hidden' });

  tolerated.push(/ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await toggle.click();
  await page.getByText('You are offline. Nothing was changed.').waitFor();
  expect(await confirmation.count()).toBe(0);
  expect(await toggle.isChecked()).toBe(false);
  await page.context().setOffline(false);
});

testAsAdmin('marks an enabled flag while a parent blocks it', async ({ page, api }) => {
  const project = await createProject(api);
  const [name, parent] = [await createFlag(api, project), await createFlag(api, project)];
  const flagPath = (flag: string) => `/api/admin/projects/${project}/features/${flag}`;
  await api.send('POST', `${flagPath(name)}/dependencies`, { feature: parent });
  await api.send('POST', `${flagPath(name)}/environments/production/on`);
  await visit(page, `/projects/${project}`);

  const mark = page.getByRole('img', { name: `The parent ${parent} is disabled in production.` });
  await mark.waitFor();
  expect(await page.getByRole('img', { name: /^The parent/ }).count()).toBe(1);
  await expectAccessible(page);
  await api.send('POST', `${flagPath(parent)}/environments/production/on`);
  await mark.waitFor({ state: 'hidden' });
});

testAsAdmin('several flags are tagged, marked as stale and archived together', async ({ page, api }) => {
  const project = await createProject(api);
  const names = [await createFlag(api, project), await createFlag(api, project)].toSorted();
  await visit(page, `/projects/${project}`);
  const sidebarFlagsLink = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Flags \d/ });
  await expect.poll(() => sidebarFlagsLink.textContent()).toBe('Flags2');
  await page.getByLabel(`Select ${names[0]}`).click();
  await page.getByText('1 flag selected').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('2 flags selected').waitFor();
  await page.getByRole('button', { name: 'Add a tag…' }).click();
  await page.getByLabel('Tag', { exact: true }).fill('simple:q4');
  await page.getByRole('button', { name: 'Tag 2 flags' }).click();
  await page.getByText('Tagged 2 flags.').waitFor();
  for (let n = 0; n < 2; n++) {
    await page.keyboard.press('x');
    await page.keyboard.press('k');
  }
  await page.getByRole('button', { name: 'Mark as stale…', exact: true }).click();
  await page.getByRole('button', { name: 'Mark 2 flags as stale' }).click();
  await expect.poll(() => page.getByText('Stale', { exact: true }).count()).toBe(2);
  const { tags } = await api.send<{ tags: unknown[] }>('GET', `/api/admin/features/${names[0]}/tags`);
  expect(tags).toContainEqual({ type: 'simple', value: 'q4' });
  await expectAccessible(page);

  for (const name of names) await page.getByLabel(`Select ${name}`).click();
  await page.getByRole('button', { name: 'Archive…' }).click();
  await page.getByRole('button', { name: 'Archive 2 flags' }).click();
  await expect.poll(() => sidebarFlagsLink.textContent()).toBe('Flags0');
});

testAsViewer(
  'keeps a filter in the URL, and Back removes the filter',
  async ({ page, newPage, api, logInAs }) => {
    const project = await createProject(api);
    const name = await createFlag(api, project, { type: 'kill-switch' });
    await createFlag(api, project);
    await visit(page, `/projects/${project}`);
    await page.getByText('2 flags', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('type:kill-switch');
    await page.keyboard.press('Enter');
    await page.getByText('1 flag', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?type=IS:kill-switch');
    const secondPage = await newPage();
    await logInAs({}, secondPage);
    await secondPage.goto(page.url());
    await secondPage.getByRole('link', { name }).waitFor();
    await secondPage.getByText('1 flag', { exact: true }).waitFor();
    await page.goBack();
    await page.getByText('2 flags', { exact: true }).waitFor();
    await expectAccessible(page);
  },
);

testAsViewer('a viewer sees disabled toggles that name the missing permission', async ({ page, api }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await visit(page, `/projects/${project}`);
  const toggle = page.getByLabel(`${name} in production`, { exact: true });
  await toggle.waitFor();
  expect(await toggle.getAttribute('title')).toContain('Requires the permission "Enable and disable flags"');
  expect(await toggle.getAttribute('aria-disabled')).toBe('true');
  await expectAccessible(page);
});

test('on a narrow screen the headings scroll with the columns, and the names stay in view', async ({
  newPage,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  const page = await newPage({ viewport: { width: 360, height: 740 } });
  await logInAs({ rootRole: 'Admin' }, page);
  await page.goto(`/projects/${project}`);
  const fadesAtTheRight = () =>
    table.evaluate(
      ({ parentElement }) => parentElement && getComputedStyle(parentElement, '::after').content !== 'none',
    );
  const readLeftEdge = async (element: import('playwright-core').Locator) =>
    (await element.boundingBox())?.x ?? -1;
  const toggle = page.getByLabel(`${name} in production`, { exact: true });
  const heading = page.getByRole('columnheader', { name: 'prod' });
  const table = page.getByRole('table', { name: 'Flags' });
  await toggle.waitFor();
  const toggleBox = await toggle.boundingBox();
  const developmentBox = await page.getByLabel(`${name} in development`, { exact: true }).boundingBox();
  if (!toggleBox || !developmentBox) throw new Error('The list shows no toggles.');
  // A toggle of a third environment would also fit.
  const distance = Math.abs(toggleBox.x - developmentBox.x);
  expect(Math.min(toggleBox.x, developmentBox.x) + 2 * distance + toggleBox.width).toBeLessThanOrEqual(340);
  expect(await fadesAtTheRight()).toBe(true);

  await table.evaluate(element => element.scrollTo(element.scrollWidth, 0));

  await expect.poll(() => table.evaluate(element => element.scrollLeft)).toBeGreaterThan(100);
  await expect.poll(fadesAtTheRight).toBe(false);
  expect(await readLeftEdge(page.getByRole('link', { name }))).toBeGreaterThanOrEqual(0);
  expect(Math.abs((await readLeftEdge(heading)) - (await readLeftEdge(toggle)))).toBeLessThan(2);
  await expectAccessible(page);
});

testAsAdmin('on a narrow screen a long name takes two lines', async ({ page, api }) => {
  const project = await createProject(api);
  const name = `checkout-express-${unique()}`;
  await createFlag(api, project, { name, description: 'Checkout in one step' });
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(page, `/projects/${project}`);
  const link = page.getByRole('link', { name, exact: true });
  await link.waitFor();

  const rowBox = await page.getByRole('row', { name }).boundingBox();
  const linkBox = await link.boundingBox();
  const isCut = await link.evaluate(
    ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
      scrollWidth > clientWidth || scrollHeight > clientHeight,
  );

  expect(isCut).toBe(false);
  if (!rowBox || !linkBox) throw new Error('The list shows no name.');
  expect(linkBox.height).toBeGreaterThan(30);
  expect(linkBox.y).toBeGreaterThanOrEqual(rowBox.y);
  expect(linkBox.y + linkBox.height).toBeLessThanOrEqual(rowBox.y + rowBox.height);
  await expectAccessible(page);
});

testAsAdmin(
  'on a narrow screen at most two messages are visible, inside the window',
  async ({ page, api }) => {
    const project = await createProject(api);
    const names = ['a', 'b', 'c'].map(letter => `${letter}-flag-with-quite-a-long-name-${unique()}`);
    for (const name of names) await createFlag(api, project, { name });
    await page.setViewportSize({ width: 360, height: 740 });
    await visit(page, `/projects/${project}`);

    for (const name of names) {
      await page.getByLabel(`${name} in development`, { exact: true }).click();
      await page.getByRole('region', { name: 'Notifications' }).getByText(name).waitFor();
    }

    const dismissButtons = page
      .getByRole('region', { name: 'Notifications' })
      .getByRole('button', { name: 'Dismiss' });
    expect(await dismissButtons.count()).toBe(2);
    const messageBox = await dismissButtons.last().locator('..').boundingBox();
    if (!messageBox) throw new Error('The page shows no message.');
    expect(messageBox.x).toBeGreaterThanOrEqual(8);
    expect(messageBox.x + messageBox.width).toBeLessThanOrEqual(352);
    await expectAccessible(page);
  },
);

testAsAdmin('says that a project does not exist', async ({ page }) => {
  for (const path of ['/projects/nope', '/projects/nope/events']) {
    await visit(page, path);
    await page.getByText('There is no project "nope" that you can read.').waitFor();
  }
  await expectAccessible(page);
});

test('the age of a change grows while the page is open', async ({ newPage, api, logInAs }) => {
  const name = `Project ${unique()}`;
  await createProject(api, { name });
  // A page with options is never reused, so the changed clock does not affect other tests.
  const page = await newPage({ timezoneId: 'UTC' });
  await logInAs({ rootRole: 'Admin' }, page);
  await page.clock.install();
  await page.goto(`/projects?query=${encodeURIComponent(name)}`);
  const row = page.getByRole('row', { name });
  await row.getByText(/just now|s ago/).waitFor();

  await page.clock.fastForward(130_000);

  await row.getByText('2 min ago').waitFor();
});

test('a favorite on the home page names the environments in which it is enabled or blocked', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });
  const path = `/api/admin/projects/${project}/features/${name}`;
  await page.request.post(`${path}/favorites`, { headers: { 'sec-fetch-site': 'same-origin' } });
  await page.goto('/');
  const favorite = page
    .getByRole('region', { name: 'Favorites' })
    .getByRole('listitem')
    .filter({ hasText: name });
  await favorite.getByText('disabled in every environment').waitFor();

  await api.send('POST', `${path}/environments/development/on`);
  await page.reload();

  await favorite.getByText('enabled in development', { exact: true }).waitFor();

  const parent = await createFlag(api, project);
  await api.send('POST', `${path}/dependencies`, { feature: parent });
  await page.reload();

  await favorite.getByText('blocked in development', { exact: true }).waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'a name is trimmed, and the error for a rejected name contains no field names from the API',
  async ({ page, api }) => {
    const project = await createProject(api);
    await visit(page, `/projects/${project}?edit=new`);
    const name = `flag-${unique()}`;
    await page.getByLabel('Name').fill('no spaces');
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.getByText(/^"no spaces" must contain only letters/).waitFor();
    await page.getByLabel('Name').fill(` ${name} `);
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.waitForURL(`/projects/${project}/features/${name}?environment=development`);
  },
);

testAsViewer('the help lists the global shortcuts, and those of lists and editors', async ({ page }) => {
  await visit(page, '/profile');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const label of ['Search or run', 'New flag, project or integration (lists)', 'Save (editors)'])
    await help.getByText(label).waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'a taken name and a long name are explained next to the field, and Ctrl+S creates the flag',
  async ({ page, api }) => {
    const project = await createProject(api);
    const takenName = await createFlag(api, project);
    await visit(page, `/projects/${project}?edit=new`);
    const panel = page.getByRole('dialog', { name: 'New flag' });
    const name = panel.getByLabel('Name');
    const readDescription = async () => {
      const id = (await name.getAttribute('aria-describedby')) ?? '';
      return await page.locator(`[id="${id.split(' ').at(-1)}"]`).textContent();
    };
    await name.fill('a'.repeat(150));
    await panel.getByText('A name can have at most 100 characters. This one has 150.').waitFor();
    expect(await panel.getByRole('button', { name: 'Create flag' }).isDisabled()).toBe(true);
    await name.fill(takenName);
    await page.keyboard.press('Control+s');
    await panel.getByText(`Flag "${takenName}" already exists`).waitFor();
    expect(await readDescription()).toContain(`Flag "${takenName}" already exists`);
    expect(await panel.getByRole('alert').count()).toBe(0);
    await expectAccessible(page);
    await name.fill(`${takenName}-2`);
    await page.keyboard.press('Control+s');
    await page.waitForURL(`/projects/${project}/features/${takenName}-2?environment=development`);
  },
);

testAsAdmin(
  'in a 1,024 px window, the list hides columns so that every toggle is visible',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await page.setViewportSize({ width: 1024, height: 768 });
    await visit(page, `/flags?project=IS:${project}`);
    await page.getByText('1 flag', { exact: true }).waitFor();
    const row = page.getByRole('row').filter({ hasText: flag });
    const box = await row.getByLabel(`${flag} in production`, { exact: true }).boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(1024);
    await expect.poll(() => page.getByRole('columnheader', { name: 'Type' }).count()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 768 });
    await page.getByRole('columnheader', { name: 'Type' }).waitFor();
  },
);

testAsAdmin('all flags of a project are enabled together, and one is disabled', async ({ page, api }) => {
  const project = await createProject(api);
  const flags = [
    await createFlag(api, project),
    await createFlag(api, project),
    await createFlag(api, project),
  ];
  const readEnabled = async () =>
    (
      await Promise.all(
        flags.map(flag =>
          api.send<{ enabled: boolean }>(
            'GET',
            `/api/admin/projects/${project}/features/${flag}/environments/production`,
          ),
        ),
      )
    ).map(flagEnvironment => flagEnvironment.enabled);
  await visit(page, `/projects/${project}`);

  await page.getByLabel('Select all flags').click();
  await page.getByText('3 flags selected').waitFor();
  await page.getByRole('button', { name: 'Enable…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Environment').selectOption('production');
  await dialog.getByText('3 flags have no strategy there').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Enable 3 flags in production' }).click();
  await page.getByText('Enabled 3 flags in production.').waitFor();
  expect(await readEnabled()).toEqual([true, true, true]);

  await page.getByLabel(`Select ${flags[0]}`).check();
  await page.keyboard.press('b');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Enable…');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.getByText('None of the flags is enabled in development.').waitFor();
  await dialog.getByLabel('Environment').selectOption('production');
  await dialog.getByRole('button', { name: 'Disable 1 flag in production' }).click();
  await expect.poll(readEnabled).toEqual([false, true, true]);
});

testAsAdmin(
  'flags are moved to a different project, and archived flags are revived and deleted from their list',
  async ({ page, api }) => {
    const [project, target] = [
      await createProject(api),
      await createProject(api, { name: `Target ${unique()}` }),
    ];
    const [movedFlag, revivedFlag, deletedFlag] = [
      await createFlag(api, project),
      await createFlag(api, project),
      await createFlag(api, project),
    ];
    for (const flag of [revivedFlag, deletedFlag])
      await api.send('DELETE', `/api/admin/projects/${project}/features/${flag}`);
    await visit(page, `/projects/${project}`);
    const dialog = page.getByRole('dialog');

    await page.getByLabel(`Select ${movedFlag}`).check();
    await page.getByRole('button', { name: 'Move…' }).click();
    await dialog.getByLabel('Move to').selectOption(target);
    await dialog.getByRole('button', { name: 'Move 1 flag' }).click();
    await page.getByText('Moved 1 flag.').waitFor();
    await api.send('GET', `/api/admin/projects/${target}/features/${movedFlag}`);

    await page.getByRole('button', { name: 'Archived flags' }).click();
    await page.getByLabel(`Select ${revivedFlag}`).check();
    await page.getByRole('button', { name: 'Revive…' }).click();
    await dialog.getByRole('button', { name: 'Revive 1 flag' }).click();
    await page.getByLabel(`Select ${revivedFlag}`).waitFor({ state: 'detached' });
    await page.getByLabel(`Select ${deletedFlag}`).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByText('Deleted flags cannot be restored.').waitFor();
    await dialog.getByRole('button', { name: 'Delete 1 flag' }).click();
    await page.getByText('No flags match.').waitFor();
    await page.getByRole('button', { name: 'Active flags' }).click();
    await page.getByLabel(`Select ${revivedFlag}`).waitFor();
  },
);

testAsAdmin(
  'several flags are cloned into a different project once the plan has no obstacles',
  async ({ page, api }) => {
    const [project, target] = [
      await createProject(api),
      await createProject(api, { name: `Search ${unique()}` }),
    ];
    const names = [await createFlag(api, project), await createFlag(api, project)];
    await createFlag(api, target, { name: `${names[0]}-copy` });
    await visit(page, `/projects/${project}`);

    for (const name of names) await page.getByLabel(`Select ${name}`).click();
    await page.getByRole('button', { name: 'Clone…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Clone 2 flags?' });
    await dialog.getByLabel('Clone into').selectOption(target);
    await dialog.getByText(`${names[0]}-copy`, { exact: false }).first().waitFor();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('button', { name: 'Clone 2 flags' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Suffix for the new names').fill('-two');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Clone 2 flags' }).click();
    await page.getByText(/^Cloned 2 flags into Search/).waitFor();

    const { features } = await api.send<{ features: { name: string }[] }>(
      'GET',
      `/api/admin/search/features?project=IS:${target}`,
    );
    expect(features.map(({ name }) => name).toSorted()).toEqual(
      [`${names[0]}-copy`, ...names.map(name => `${name}-two`)].toSorted(),
    );
  },
);

test('the sidebar keeps showing the last project, and is not printed', async ({ page, api, logInAs }) => {
  const project = await createProject(api, { name: `Search ${unique()}` });
  const flag = await createFlag(api, project);
  await createProject(api);
  await logInAs({ rootRole: 'Admin' });
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const healthLink = navigation.getByRole('link', { name: /^Health/ });
  await page.goto('/flags');
  await navigation.getByRole('button', { name: /^Choose a project/ }).waitFor();
  expect(await healthLink.count()).toBe(0);

  await page.goto(`/projects/${project}`);
  await healthLink.waitFor();
  await page.goto('/flags');

  await expect.poll(() => healthLink.getAttribute('href')).toBe(`/projects/${project}/health`);
  await page.goto(`/projects/${project}/features/${flag}`);
  const heading = page.getByRole('heading', { level: 1, name: flag });
  await heading.waitFor();
  // Polls, because the print styles load after the page.
  await expect
    .poll(async () => {
      await page.emulateMedia({ media: 'print' });
      return await navigation.isVisible();
    })
    .toBe(false);
  expect(await heading.isVisible()).toBe(true);
});

testAsViewer('Evaluate opens the playground, which shows the result for the flag', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await visit(page, `/projects/${project}/features/${flag}`);

  await page.getByRole('link', { name: 'Evaluate' }).click();

  await page.waitForURL(/\/playground\?/);
  await page.getByRole('link', { name: flag }).first().waitFor();
  await page
    .getByText(/disabled/i)
    .first()
    .waitFor();
});
