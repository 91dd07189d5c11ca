import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createPerson, createProject, unique } from './support/api.ts';
import { logIn } from './support/log-in.ts';
import { visit } from './support/open-page.ts';
import { retry } from './support/retry.ts';
import { test, testAsAdmin, testBehindLoadBalancer } from './support/test.ts';
import { expectDiscardConfirmation } from './support/unsaved.ts';

type Project = {
  name: string;
  mode: string;
  featureLimit: number | null;
  featureNaming: { pattern?: string };
  environments: string[];
};
const readProject = (api: Api, project: string) => api.send<Project>('GET', `/api/admin/projects/${project}`);
const saveButton = (page: Page) => page.getByRole('button', { name: /^Save/ });
const effectRegion = (page: Page) => page.getByRole('region', { name: 'Effect', exact: true });

testAsAdmin('tabs, shortcuts and the command palette open the pages of a project', async ({ page, api }) => {
  const name = `Payments ${unique()}`;
  const project = await createProject(api, { name });
  await visit(page, `/projects/${project}`);
  const tabs = page.getByRole('navigation', { name: 'Parts of the project' });

  for (const [tab, path] of [
    ['Health', '/health'],
    ['Events', '/events'],
    ['Applications', '/applications'],
    ['Segments', '/segments'],
    ['Settings', '/settings'],
    ['Flags', ''],
  ]) {
    await tabs.getByRole('link', { name: new RegExp(`^${tab}`) }).click();
    await page.waitForURL(`/projects/${project}${path}`);
    expect(await tabs.locator('[aria-current=page]').count()).toBe(1);
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.waitForURL(`/projects/${project}/settings`);
  await page.getByRole('link', { name: 'Danger zone' }).click();
  await page.waitForURL(`/projects/${project}/settings/danger`);
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search or run' }).fill(`access ${name.toLowerCase()}`);
  await page.getByText(`${name}: Access`).click();
  await page.waitForURL(`/projects/${project}/settings/access`);
  await expectAccessible(page);
});

testAsAdmin(
  'name and mode are edited, the effect is shown, and an empty name is rejected at its field',
  async ({ page, api }) => {
    const project = await createProject(api);
    await visit(page, `/projects/${project}/settings`);

    const name = page.getByLabel('Name');
    await name.fill(' ');
    await page.getByText('Enter a name.').waitFor();
    expect(await saveButton(page).isDisabled()).toBe(true);
    await name.fill('Checkout');
    await page.getByLabel('Mode').selectOption('private');
    await effectRegion(page).getByText('Only the 0 members and admins').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Control+s');

    await page.getByText('Settings saved.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor();
    expect(await readProject(api, project)).toMatchObject({ name: 'Checkout', mode: 'private' });
    await effectRegion(page).getByText('updated project').waitFor();
    await name.fill('Lost');
    await expectDiscardConfirmation(page, name, [
      () => page.getByRole('link', { name: 'Danger zone' }).click(),
      () => page.getByRole('navigation', { name: 'Parts of the project' }).getByText('Health').click(),
    ]);
  },
);

testAsAdmin('the user resolves a conflict with a concurrent change to the project', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}/settings`);

  await page.getByLabel('Name').fill('Mine');
  await api.send('PUT', `/api/admin/projects/${project}`, { name: 'Theirs' });
  await saveButton(page).click();
  await page.getByRole('heading', { name: /changed this project/ }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Take theirs' }).click();

  expect(await page.getByLabel('Name').inputValue()).toBe('Theirs');
  expect((await readProject(api, project)).name).toBe('Theirs');
});

testAsAdmin(
  'a naming rule is checked while the user types, and the flags that violate it are shown',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await visit(page, `/projects/${project}/settings/naming`);

    const pattern = page.getByLabel('Pattern');
    await pattern.fill('(');
    await expect.poll(() => pattern.getAttribute('aria-invalid')).toBe('true');
    await pattern.fill('pay\\..+');
    await effectRegion(page).getByRole('link', { name: flag }).waitFor();
    await page.getByLabel('Example').fill('other');
    await page.getByText(/does not match the pattern/).waitFor();
    expect(await saveButton(page).isDisabled()).toBe(true);
    await page.getByLabel('Example').fill('pay.card');
    await page.getByLabel('Maximum number of flags').fill('1');
    await effectRegion(page).getByText('Nobody can create').waitFor();
    await expectAccessible(page);
    await expect.poll(() => saveButton(page).isDisabled()).toBe(false);
    await saveButton(page).click();

    await page.getByText('Rules and limits saved.').waitFor();
    expect(await readProject(api, project)).toMatchObject({
      featureLimit: 1,
      featureNaming: { pattern: 'pay\\..+', example: 'pay.card' },
    });
  },
);

testAsAdmin(
  'environments are added and removed, and an environment with enabled flags cannot be removed',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await api.send('POST', `/api/admin/projects/${project}/features/${flag}/environments/development/on`);
    await visit(page, `/projects/${project}/settings/environments`);
    const toggle = (name: string) => page.getByRole('switch', { name: `${name} in this project` });
    const dialog = page.getByRole('dialog');

    await toggle('development').click();
    await dialog.getByRole('link', { name: '1 flag is' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Remove development' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await toggle('production').click();
    await dialog.getByText('No flag has a strategy or variants in production.').waitFor();
    await dialog.getByRole('button', { name: 'Remove production' }).click();
    await page.getByText('not used in this project').waitFor();
    expect((await readProject(api, project)).environments).toEqual(['development']);
    await toggle('production').click();
    await page.getByText('Added production').waitFor();
    expect((await readProject(api, project)).environments).toEqual(['development', 'production']);
    await expectAccessible(page);
  },
);

testAsAdmin(
  'a default strategy is edited with its effect, and a concurrent change is a conflict',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const path = `/api/admin/projects/${project}/environments/production`;
    const readRollout = async () =>
      (await api.send<{ defaultStrategy?: { parameters: { rollout: string } } }>('GET', path)).defaultStrategy
        ?.parameters.rollout;
    const field = page.getByLabel('Rollout in percent');
    await visit(page, `/projects/${project}/settings/environments`);

    await page.getByRole('button', { name: 'Edit the default strategy in production' }).click();
    await field.fill('10');
    await effectRegion(page).getByRole('link', { name: flag }).waitFor();
    await effectRegion(page).getByText('10 % of users').first().waitFor();
    await expectAccessible(page);
    await saveButton(page).click();
    await page.getByText('Saved the default strategy in production.').waitFor();
    expect(await readRollout()).toBe('10');

    await page.getByRole('button', { name: 'Edit the default strategy in production' }).click();
    await expect.poll(() => field.inputValue()).toBe('10 %');
    await field.fill('20');
    await api.send('POST', `${path}/default-strategy`, {
      name: 'flexibleRollout',
      parameters: { rollout: '30' },
    });
    await saveButton(page).click();
    await page.getByRole('heading', { name: /changed this default strategy/ }).waitFor();
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    await saveButton(page).click();
    await expect.poll(readRollout).toBe('20');
  },
);

test('access is granted to several people at a time, changed and revoked, but the last owner keeps the role', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const me = await logInAs({ rootRole: 'Editor', projectRoles: { [project]: 'Owner' } });
  const [ben, dora] = [await createPerson(api), await createPerson(api)];
  const group = `Team ${unique()}`;
  await api.send('POST', '/api/admin/groups', { name: group, users: [] });
  await page.goto(`/projects/${project}/settings/access`);
  const roleSelect = (name: string) => page.getByLabel(`Role of ${name}`);

  await roleSelect(me.username).waitFor();
  expect(await roleSelect(me.username).isDisabled()).toBe(true);
  await page.getByText('The last owner.').waitFor();
  await page.getByRole('button', { name: /^Grant a role/ }).click();
  const panel = page.getByRole('dialog', { name: 'Grant a role' });
  await panel.getByText('Choose a user or group.').waitFor();
  for (const name of [ben.username, dora.username, group]) {
    await panel.getByLabel('Users and groups', { exact: true }).last().fill(name);
    await panel.getByRole('checkbox', { name }).check();
  }
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Grant role to 3 members' }).click();
  await page.getByText(/^Granted .* to 3 members\.$/).waitFor();
  await roleSelect(group).waitFor();
  expect(await roleSelect(ben.username).locator('option:checked').textContent()).toBe('Member');
  await page.getByRole('button', { name: /^Grant a role/ }).click();
  await panel.getByLabel('Users and groups', { exact: true }).last().fill(ben.username);
  const memberCheckbox = panel.getByRole('checkbox', { name: ben.username });
  expect(await memberCheckbox.isDisabled()).toBe(true);
  await panel.getByText('has this role').waitFor();
  await panel.getByLabel('Role', { exact: true }).selectOption('Owner');
  expect(await memberCheckbox.isDisabled()).toBe(false);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });

  await roleSelect(ben.username).selectOption({ label: 'Owner' });
  await page.getByText(`${ben.username} now has the role Owner`).waitFor();
  await expect.poll(() => roleSelect(me.username).isDisabled()).toBe(false);
  await page.getByRole('button', { name: `Remove… ${dora.username}` }).click();
  await page.getByRole('dialog').getByText('can still read it').waitFor();
  await page.getByRole('button', { name: `Remove ${dora.username}` }).click();
  await roleSelect(dora.username).waitFor({ state: 'detached' });
  await expectAccessible(page);
});

testAsAdmin('a project is archived, revived, and deleted after its id is typed', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await visit(page, `/projects/${project}/settings/danger`);
  const dialog = page.getByRole('dialog');
  const deleteButton = page.getByRole('button', { name: 'Delete project…' });

  await page.getByText('1 active flag').first().waitFor();
  expect(await deleteButton.getAttribute('aria-disabled')).toBe('true');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'select it' }).first().click();
  const selection = page.getByRole('region', { name: 'Selected flags' });
  await selection.getByText('1 flag selected').waitFor();
  await page.waitForURL(`/projects/${project}`);
  await selection.getByRole('button', { name: 'Archive…' }).click();
  await dialog.getByRole('button', { name: /^Archive/ }).click();
  await page.getByRole('link', { name: flag }).waitFor({ state: 'detached' });
  await visit(page, `/projects/${project}/settings/danger`);
  await page.getByRole('button', { name: 'Archive project…' }).click();
  await dialog.getByRole('button', { name: 'Archive project' }).click();
  await page.getByRole('button', { name: 'Revive project' }).click();
  await page.getByRole('button', { name: 'Archive project…' }).waitFor();

  await deleteButton.click();
  await dialog.getByText('1 archived flag').waitFor();
  const confirmButton = dialog.getByRole('button', { name: 'Delete project' });
  expect(await confirmButton.isDisabled()).toBe(true);
  await expectAccessible(page);
  await dialog.getByLabel(/^Type/).fill(project);
  await confirmButton.click();
  await page.waitForURL('/projects');
  await expect(readProject(api, project)).rejects.toThrow('404');
});

test('a project member can read the settings, which name the permissions that are missing', async ({
  page,
  api,
}) => {
  const project = await createProject(api);
  await logIn(page, await createPerson(api, { projectRoles: { [project]: 'Member' } }));
  await page.goto(`/projects/${project}/settings`);

  await page.getByText('Requires the permission "Update project"').waitFor();
  expect(await page.getByLabel('Name').getAttribute('readonly')).not.toBeNull();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Access', exact: true }).click();
  await page.getByRole('heading', { name: 'You need a different permission' }).waitFor();
  await page.goto(`/projects/${project}/settings/danger`);
  await page.getByRole('button', { name: 'Delete project…' }).focus();
  await page.getByRole('tooltip').getByText('Requires the permission "Delete project"').waitFor();
  await page.goto(`/projects/${project}/settings/environments`);
  const toggle = page.getByRole('switch', { name: 'production in this project' });
  await toggle.waitFor();
  expect(await toggle.getAttribute('title')).toContain('Requires the permission "Update project"');
  await toggle.press('Space');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

testBehindLoadBalancer(
  'a server error affects only a part of the page, and Retry loads that part',
  async ({ page, api, logInAs, server, tolerated }) => {
    tolerated.push(/500/);
    const project = await createProject(api);
    await logInAs({ rootRole: 'Admin' });
    server.loadBalancer.broken = { paths: /^\/api\/.*\/access$/, status: 500 };
    await page.goto(`/projects/${project}/settings/access`);

    await page.getByRole('heading', { name: 'This part did not load' }).waitFor();
    await expectAccessible(page);
    delete server.loadBalancer.broken;
    await retry(page, page.getByText('Nobody has a role in this project.'));
  },
);

testAsAdmin(
  'a token that is created in the project settings is limited to the project',
  async ({ page, api }) => {
    const project = await createProject(api);
    await visit(page, `/projects/${project}/settings/tokens`);
    const name = `shop-${unique()}`;

    await page.getByText('No API tokens yet.').waitFor();
    await page
      .getByRole('button', { name: /New token/ })
      .first()
      .click();
    await page.waitForURL(`/projects/${project}/settings/tokens/new`);
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Waiting for the first SDK…').waitFor();
    await expectAccessible(page);
    await page.getByLabel('I have stored the secret').check();
    await page.getByRole('button', { name: 'Done' }).click();

    await page.waitForURL(new RegExp(`/projects/${project}/settings/tokens`));
    await page.getByRole('row').filter({ hasText: name }).waitFor();
    const { tokens } = await api.send<{ tokens: { tokenName: string; projects: string[] }[] }>(
      'GET',
      `/api/admin/projects/${project}/api-tokens`,
    );
    expect(tokens).toMatchObject([{ tokenName: name, projects: [project] }]);
    await expectAccessible(page);
  },
);

testAsAdmin.for([1280, 1279])(
  'at %i px, the button that removes a member fits into the list',
  async (width, { page, api }) => {
    const project = await createProject(api);
    for (const role of ['Owner', 'Member']) await createPerson(api, { projectRoles: { [project]: role } });
    await page.setViewportSize({ width, height: 800 });
    await visit(page, `/projects/${project}/settings/access`);
    await page
      .getByRole('button', { name: /^Remove…/ })
      .first()
      .waitFor();

    const isCut = await page
      .getByRole('region', { name: 'Access' })
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);

    expect(isCut).toBe(false);
  },
);

test('on a narrow screen the active tab is in view', async ({ newPage, api, logInAs }) => {
  const project = await createProject(api);
  const page = await newPage({ viewport: { width: 360, height: 740 } });
  await logInAs({ rootRole: 'Admin' }, page);
  await page.goto(`/projects/${project}/settings`);
  const tab = page.getByRole('navigation', { name: /Parts of/ }).getByRole('link', { name: 'Settings' });

  await tab.waitFor();

  await expect
    .poll(async () => {
      const box = await tab.boundingBox();
      return box && box.x + box.width;
    })
    .toBeLessThanOrEqual(360);
});

testAsAdmin(
  'a name that the server trims does not conflict with what the user types during the save',
  async ({ page, api }) => {
    const project = await createProject(api);
    const projectPath = `/api/admin/projects/${project}`;
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    await page.route(`**${projectPath}`, async route => {
      if (route.request().method() === 'PUT') await gate;
      await route.fallback();
    });
    await visit(page, `/projects/${project}/settings`);
    const name = page.getByRole('textbox', { name: 'Name' });
    const readStoredName = async () =>
      (await api.send<{ name: string }>('GET', `${projectPath}/overview`)).name;
    await name.fill('Mine ');
    await page.keyboard.press('Control+s');
    // The user types while the request runs.
    await name.fill('Mine and more');
    openGate();
    await expect.poll(readStoredName).toBe('Mine');
    await page.getByText('Settings saved.').first().waitFor();
    await expect.poll(() => name.inputValue()).toBe('Mine and more');

    await saveButton(page).click();

    await expect.poll(readStoredName).toBe('Mine and more');
    expect(await page.getByText('while you were editing it').count()).toBe(0);
    await page.unroute(`**${projectPath}`);
  },
);

testAsAdmin('offers the mode "Protected" only in a project that has it', async ({ page, api }) => {
  const project = await createProject(api);
  const modes = page.getByLabel('Mode').getByRole('option');
  await visit(page, '/projects?edit=new');
  await expect.poll(() => modes.allTextContents()).toEqual(['Open', 'Private']);
  await visit(page, `/projects/${project}/settings`);
  await expect.poll(() => modes.allTextContents()).toEqual(['Open', 'Private']);

  await api.send('PUT', `/api/admin/projects/${project}`, { name: project, mode: 'protected' });

  await expect.poll(() => modes.allTextContents()).toEqual(['Open', 'Protected', 'Private']);
  await page.getByText('Unleash clients show it as protected.').waitFor();
});

testAsAdmin("grants a service account a role in a project from the account's page", async ({ page, api }) => {
  const projectName = `Deploys ${unique()}`;
  const project = await createProject(api, { name: projectName });
  const name = `deploys-${unique()}`;
  const { id } = await api.send<{ id: number }>('POST', '/api/admin/service-account', { name, rootRole: 3 });
  await visit(page, `/admin/service-accounts/${id}`);
  await page.getByRole('combobox', { name: 'Grant a role in a project' }).fill(projectName);
  await page.getByRole('option', { name: projectName }).waitFor();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'Grant a role' });
  await expect.poll(() => panel.getByRole('checkbox', { name }).isChecked()).toBe(true);
  await panel.getByRole('button', { name: 'Grant role' }).click();

  await page.getByText(`Granted Member to ${name}.`).waitFor();
  const { users } = await api.send<{ users: { id: number; roles: number[] }[] }>(
    'GET',
    `/api/admin/projects/${project}/access`,
  );
  expect(users.find(user => user.id === id)?.roles).toEqual([5]);
});

testAsAdmin(
  'Enter chooses the only matching user, and grants only if no text is typed',
  async ({ page, api }) => {
    const project = await createProject(api);
    const team = unique();
    const [ben, dora] = [`Ben ${team}`, `Dora ${team}`];
    await createPerson(api, { name: ben });
    await createPerson(api, { name: dora });
    await visit(page, `/projects/${project}/settings/access?edit=new`);
    const panel = page.getByRole('dialog', { name: 'Grant a role' });
    const field = panel.getByRole('textbox', { name: 'Users and groups' });
    const chosen = panel.getByRole('list', { name: 'Chosen' }).getByRole('listitem');

    await field.fill(dora);
    await panel.getByRole('checkbox', { name: dora }).waitFor();
    await field.press('Enter');
    await expect.poll(() => chosen.allTextContents()).toEqual([dora]);
    await field.press('Enter');
    await field.fill(team);
    await panel.getByRole('checkbox', { name: ben }).waitFor();
    await field.press('Enter');
    expect(await chosen.allTextContents()).toEqual([dora]);
    await field.fill(ben);
    await field.press('Enter');
    await expect.poll(() => chosen.allTextContents()).toEqual([ben, dora]);
    await field.fill('');
    await field.press('Enter');

    await page.getByText('Granted Member to 2 members.').waitFor();
  },
);
