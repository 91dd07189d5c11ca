import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createProject, unique } from './support/api.ts';
import { openPage, visit, visitAndWait } from './support/open-page.ts';
import { testAsAdmin, testAsViewer, testBehindLoadBalancer, testWithOwnServer } from './support/test.ts';

// Tests errors, empty lists, missing permissions and conflicts on pages whose own test files do not cover them.

testBehindLoadBalancer(
  'after a server error, each page stays open and offers a retry',
  async ({ page, server, api, logInAs, tolerated }) => {
    tolerated.push(/responded with (a status of )?500|status of 500/);
    await logInAs({ rootRole: 'Admin' });
    const project = await createProject(api);
    await openPage(page, '/no-such-page');
    // The order matters, because a page shows no error if an earlier page has already loaded its data.
    for (const [path, paths] of [
      ['/playground', /\/admin\/environments/],
      ['/admin/groups', /\/admin\/groups/],
      ['/admin/roles', /\/admin\/roles/],
      ['/admin/service-accounts', /\/service-account/],
      ['/admin/invitations', /\/invite-link/],
      ['/admin/edges', /\/admin\/edges/],
      ['/admin/strategy-types', /\/admin\/strategies/],
      ['/admin/feature-types', /\/feature-types/],
      ['/admin/sign-in/origins', /\/ui-config/],
      ['/admin/sign-in', /\/oidc\/settings/],
      ['/admin/instance', /\/diagnostics/],
      ['/applications', /\/metrics\/applications/],
      ['/unknown-flags', /\/unknown-flags/],
      ['/deliveries', /\/admin\/deliveries/],
      ['/events', /\/search\/events/],
      [`/projects/${project}/health`, /\/health/],
      [`/projects/${project}/segments`, /\/admin\/segments/],
      [`/projects/${project}/settings/access`, /\/access/],
    ] as const) {
      const failure = page.getByRole('heading', { name: 'This part did not load' }).first();
      server.loadBalancer.broken = { paths, status: 500 };
      await visit(page, path);
      await failure.waitFor().catch(cause => {
        throw new Error(`${path} shows no error`, { cause });
      });
      delete server.loadBalancer.broken;
      // An event of a different test can reload the part before the click.
      const recovery = failure.waitFor({ state: 'hidden' });
      await Promise.race([page.getByRole('button', { name: 'Retry' }).first().click(), recovery]);
      await recovery;
    }
  },
);

testWithOwnServer()('every list shows a message while it is empty', async ({ page, logInAs }) => {
  await logInAs({ rootRole: 'Admin' });
  await openPage(page, '/no-such-page');
  for (const [path, text] of [
    ['/flags', 'No flags yet.'],
    ['/projects/default/segments', 'No segments yet.'],
    ['/projects/default/events', 'No events yet.'],
    ['/projects/default/applications', 'No application has asked for a flag in this project'],
    ['/projects/default/settings/access', 'Nobody'],
    ['/integrations', 'No integrations yet.'],
    ['/deliveries', 'No deliveries yet.'],
    ['/unknown-flags', 'in the last 7 days exist.'],
    ['/projects/default/settings/tokens', 'No API tokens yet.'],
    ['/admin/groups', 'No groups yet.'],
    ['/admin/service-accounts', 'No service accounts yet.'],
    ['/admin/invitations', 'No invitations yet.'],
    ['/admin/edges', 'No edges yet.'],
  ] as const) {
    await visitAndWait(page, path);
    await page.getByRole('main').getByText(text).first().waitFor();
  }
});

testAsViewer('administration pages name the permission that a viewer lacks', async ({ page }) => {
  for (const path of [
    'users',
    'groups',
    'roles',
    'service-accounts',
    'invitations',
    'edges',
    'sign-in',
    'sign-in/passwords',
    'instance',
  ]) {
    await visit(page, `/admin/${path}`);
    await page
      .getByText(/You need a different permission|requires the (permission|role)/i)
      .first()
      .waitFor();
  }
  await expectAccessible(page);
});

/** Objects that somebody else changes while the user edits them. */
const EDITED_OBJECTS = [
  {
    noun: 'strategy type',
    path: (name: string) => `/admin/strategy-types?edit=type:${name}`,
    create: (api: Api, name: string) =>
      api.send('POST', '/api/admin/strategies', { name, parameters: [] }).then(() => name),
    change: (api: Api, name: string) =>
      api.send('PUT', `/api/admin/strategies/${name}`, { description: 'Theirs', parameters: [] }),
    field: 'Description',
  },
  {
    noun: 'tag type',
    path: (name: string) => `/admin/tags?edit=type:${name}`,
    create: (api: Api, name: string) => api.send('POST', '/api/admin/tag-types', { name }).then(() => name),
    change: (api: Api, name: string) =>
      api.send('PUT', `/api/admin/tag-types/${name}`, { description: 'Theirs' }),
    field: 'Description',
  },
  {
    noun: 'service account',
    path: (id: string) => `/admin/service-accounts/${id}`,
    create: (api: Api, name: string) =>
      api
        .send<{ id: number }>('POST', '/api/admin/service-account', { name, rootRole: 3 })
        .then(({ id }) => String(id)),
    change: (api: Api, id: string) =>
      api.send('PUT', `/api/admin/service-account/${id}`, { name: 'Theirs', rootRole: 3 }),
    field: 'Name',
  },
] as const;

testAsAdmin(
  "a concurrent change is a conflict, in which the user can take the other person's change",
  async ({ page, api }) => {
    for (const { noun, path, create, change, field } of EDITED_OBJECTS) {
      const key = await create(api, `object-${unique()}`);
      await visit(page, path(key));
      const input = page.getByLabel(field, { exact: field !== 'Name' }).first();
      await input.fill('Mine');
      await change(api, key);
      await page.keyboard.press('ControlOrMeta+s');
      await page
        .getByRole('heading', { name: new RegExp(`changed this ${noun} .*while you were editing it`) })
        .waitFor();
      await page.getByRole('region', { name: 'Your changes' }).getByText('Mine').waitFor();
      await page.getByRole('button', { name: 'Take theirs' }).click();
      await expect.poll(() => input.inputValue()).toBe('Theirs');
    }
  },
);

/** Settings of the instance that somebody else changes while the user edits them. */
const EDITED_SETTINGS = [
  {
    noun: 'environment',
    path: '/admin/environments?edit=environment:production',
    label: 'Type',
    edit: (input: Locator) => input.selectOption('test'),
    mine: 'test',
    change: (api: Api) =>
      api.send('PUT', '/api/admin/environments/update/production', { type: 'preproduction' }),
    theirs: 'preproduction',
  },
  {
    noun: 'feature type',
    path: '/admin/feature-types?edit=type:release',
    label: 'Lifetime in days',
    edit: (input: Locator) => input.fill('61'),
    mine: '61',
    change: (api: Api) => api.send('PUT', '/api/admin/feature-types/release/lifetime', { lifetimeDays: 62 }),
    theirs: '62',
  },
  {
    noun: 'configuration',
    path: '/admin/sign-in',
    label: 'Client ID',
    edit: (input: Locator) => input.fill('mine'),
    mine: 'mine',
    change: (api: Api) =>
      api.send('POST', '/api/admin/auth/oidc/settings', { enabled: false, clientId: 'theirs' }),
    theirs: 'theirs',
  },
] as const;

testWithOwnServer()(
  'a concurrent change to an environment, a feature type or sign-in settings is a conflict',
  async ({ page, api, logInAs }) => {
    await logInAs({ rootRole: 'Admin' });
    for (const { noun, path, label, edit, mine, change, theirs } of EDITED_SETTINGS) {
      await visit(page, path);
      const input = page.getByLabel(label, { exact: true });
      await edit(input);
      await change(api);
      await page.getByRole('button', { name: /^Save/ }).click();
      await page
        .getByRole('heading', { name: new RegExp(`changed this ${noun} .*while you were editing it`) })
        .waitFor();
      await page.getByRole('region', { name: 'Your changes' }).getByText(mine).first().waitFor();
      await page.getByRole('region', { name: 'Their changes' }).getByText(theirs).first().waitFor();
      await page.getByRole('button', { name: 'Take theirs' }).click();
      await expect.poll(() => input.inputValue()).toBe(theirs);
    }
    await expectAccessible(page);
  },
);
