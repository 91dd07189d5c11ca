import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { visit } from './support/open-page.ts';
import { startSlowChange } from './support/slow-change.ts';
import { test, testAsAdmin, testAsViewer, testWithOwnServer } from './support/test.ts';

const rows = (page: Page) => page.getByRole('listbox', { name: 'Events, newest first' }).getByRole('option');
const environmentOf = (project: string, flag: string) =>
  `/api/admin/projects/${project}/features/${flag}/environments/development`;
/** Each call is one event. */
const toggle = async (api: Api, project: string, flag: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n++)
    await api.send('POST', `${environmentOf(project, flag)}/${n % 2 === 0 ? 'on' : 'off'}`);
};

testAsAdmin(
  'a filter is part of the URL: a shared link shows the same events, and Back removes the filter',
  async ({ page, newPage, api, logInAs }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await createFlag(api, project);
    await visit(page, `/projects/${project}/events`);
    const all = await api.send<{ total: number }>('GET', `/api/admin/search/events?project=IS:${project}`);
    const found = page.getByRole('search').getByRole('status');
    await expect.poll(() => found.textContent()).toBe(`${all.total} events`);

    await page.keyboard.press('/');
    await page.keyboard.type(`flag:${flag}`);
    await page.keyboard.press('Enter');

    await page.waitForURL(`/projects/${project}/events?feature=IS:${flag}`);
    await expect.poll(() => found.textContent()).toBe('1 event');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: `Flag is ${flag}`, exact: true }).waitFor();
    await accessible(page);

    const other = await newPage();
    await logInAs({ rootRole: 'Admin' }, other);
    await other.goto(page.url());
    await expect.poll(() => rows(other).allTextContents()).toEqual(await rows(page).allTextContents());

    await page.goBack();
    await expect.poll(() => found.textContent()).toBe(`${all.total} events`);
    expect(new URL(page.url()).search).toBe('');
  },
);

testAsAdmin('a filter without events offers to remove it', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}/events?query=nothing-has-this-text`);

  await page.getByText('No events match.').waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Remove “Contains nothing-has-this-text”' }).click();

  await expect.poll(() => rows(page).count()).toBeGreaterThan(0);
});

testAsAdmin('an unknown event type is named with the nearest one', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}/events?type=IS:feature-enabled`);

  await page.getByText('Did you mean "feature-environment-enabled"?').waitFor();
  await accessible(page);
});

testAsAdmin('a day of the histogram filters by that day', async ({ page, api }) => {
  const project = await createProject(api);
  await createFlag(api, project);
  await visit(page, `/projects/${project}/events?from=IS:2020-01-01&to=IS:2020-01-01`);
  await page.getByText('No events match.').waitFor();
  await visit(page, `/projects/${project}/events`);
  await expect.poll(() => rows(page).count()).toBeGreaterThan(0);

  await page.getByText('Choose a day (UTC) from a list').focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('button', { name: /[1-9]\d* events?$/ })
    .first()
    .click();

  const today = new Date().toISOString().slice(0, 10);
  await page.waitForURL(`/projects/${project}/events?from=IS:${today}`);
  await expect.poll(() => rows(page).count()).toBeGreaterThan(0);
  await accessible(page);
});

testAsAdmin(
  'the events of one change are one row, and an event shows its fields before and after',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project, { description: 'Old words' });
    await api.send('PUT', `/api/admin/projects/${project}/features/${flag}`, {
      type: 'release',
      description: 'New words',
    });
    const names = [
      await createFlag(api, project),
      await createFlag(api, project),
      await createFlag(api, project),
    ];
    await api.send('POST', `/api/admin/projects/${project}/archive`, { features: names });
    await visit(page, `/projects/${project}/events`);

    await rows(page).filter({ hasText: '+2 events' }).click();
    const detail = page.getByRole('complementary', { name: /^Event \d+$/ });
    await detail.getByRole('heading', { name: 'In the same change' }).waitFor();
    await expect.poll(() => detail.getByRole('listitem').filter({ hasText: 'archived' }).count()).toBe(2);
    await accessible(page);

    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'New words' }).click();
    await expect.poll(() => detail.getByRole('deletion').textContent()).toBe('Old words');
    expect(await detail.getByRole('insertion').textContent()).toBe('New words');
    await detail.getByText('JSON', { exact: true }).click();
    await detail.getByRole('region', { name: 'Before' }).getByText('"Old words"').waitFor();
    await accessible(page);
  },
);

testAsAdmin('J, K and Enter move through the log and open the flag', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await toggle(api, project, flag, 2);
  await visit(page, `/projects/${project}/events`);
  await expect.poll(() => rows(page).count()).toBeGreaterThan(2);
  const selected = () => page.getByRole('option', { selected: true }).textContent();

  await page.keyboard.press('j');
  await expect.poll(selected).toContain('disabled');
  await page.keyboard.press('j');
  await expect.poll(selected).toContain('enabled');
  await page.keyboard.press('k');
  await expect.poll(selected).toContain('disabled');
  await page.keyboard.press('Enter');

  await page.waitForURL(`/projects/${project}/features/${flag}`);
});

testAsAdmin(
  'new events enter at the top, and wait behind a button while the reader is scrolled down',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await toggle(api, project, flag, 130);
    await visit(
      page,
      `/projects/${project}/events?type=IS_ANY_OF:feature-environment-enabled,feature-environment-disabled,feature-stale-on,feature-stale-off`,
    );
    const found = page.getByRole('search').getByRole('status');
    await expect.poll(() => found.textContent()).toBe('130 events');

    const mark = (stale: boolean) =>
      api.send('POST', `/api/admin/projects/${project}/stale`, { features: [flag], stale });
    await mark(true);
    await expect.poll(() => rows(page).first().textContent()).toContain('stale');
    expect(await found.textContent()).toBe('131 events');

    const list = page.getByRole('listbox', { name: 'Events, newest first' });
    await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => rows(page).first().textContent()).not.toContain('stale');
    // The second page is loaded: the oldest event is the first toggle.
    await expect.poll(() => rows(page).last().textContent()).toContain('enabled');
    const before = await rows(page).allTextContents();
    await mark(false);
    const button = page.getByRole('button', { name: '1 new event' });
    await button.waitFor();
    expect(await rows(page).allTextContents()).toEqual(before);
    await accessible(page);

    await button.click();
    await expect.poll(() => rows(page).first().textContent()).toContain('stale');
    await expect.poll(() => found.textContent()).toBe('132 events');
    await button.waitFor({ state: 'detached' });
  },
);

/** The log of a flag with a change that has not committed, and later changes that have. A slow change delays all streams of its server. */
const testWithSlowChange = testWithOwnServer().extend<{
  openLog: (
    toggles: number,
  ) => Promise<{ flag: string; project: string; found: Locator; commit: () => Promise<void> }>;
}>({
  openLog: async ({ page, api, server, logInAs }, use) =>
    await use(async toggles => {
      const project = await createProject(api);
      const flag = await createFlag(api, project);
      const { commit } = await startSlowChange(server.databaseUrl, {
        type: 'feature-archived',
        project,
        flag,
      });
      await toggle(api, project, flag, toggles);
      await logInAs({ rootRole: 'Admin' });
      await page.goto(`/events?feature=IS:${flag}`);
      const found = page.getByRole('search').getByRole('status');
      // Plus the event of the flag and that of a strategy, which enabling the flag for the first time adds.
      await expect.poll(() => found.textContent()).toBe(`${toggles + 2} events`);
      return { flag, project, found, commit };
    }),
});

testWithSlowChange(
  'an event that commits late appears once, below the newer ones',
  async ({ page, api, openLog }) => {
    const { flag, project, found, commit } = await openLog(2);
    await expect.poll(() => rows(page).count()).toBe(3);

    await commit();

    await expect.poll(() => found.textContent()).toBe('5 events');
    await expect.poll(() => rows(page).nth(2).textContent()).toContain('archived');
    await expect.poll(() => rows(page).count()).toBe(4);
    await toggle(api, project, flag, 1);
    await expect.poll(() => found.textContent()).toBe('6 events');
    await expect.poll(() => rows(page).count()).toBe(5);
  },
);

testWithSlowChange(
  'an event that commits after a whole page of newer ones appears on its page',
  async ({ page, openLog }) => {
    const { found, commit } = await openLog(110);

    await commit();

    await expect.poll(() => found.textContent()).toBe('113 events');
    const list = page.getByRole('listbox', { name: 'Events, newest first' });
    await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => rows(page).filter({ hasText: 'archived' }).count()).toBe(1);
  },
);

testAsAdmin(
  'a day without an end shows new events, and a past day does not',
  async ({ page, newPage, api, logInAs }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const today = new Date().toISOString().slice(0, 10);
    const past = await newPage();
    await logInAs({ rootRole: 'Admin' }, past);
    await visit(page, `/events?feature=IS:${flag}&from=IS:${today}`);
    await past.goto(`/events?feature=IS:${flag}&to=IS:2020-01-01`);
    await expect.poll(() => rows(page).count()).toBe(1);
    await past.getByText('No events match.').waitFor();

    await toggle(api, project, flag, 1);

    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await past.getByText('No events match.').count()).toBe(1);
  },
);

test('events for a background tab appear when it is visible again', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/events?feature=IS:${flag}`);
  await expect.poll(() => rows(page).count()).toBe(1);
  const show = (state: string) =>
    page.evaluate(value => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  let streams = 0;
  page.on('request', request => {
    if (request.url().includes('/events/stream')) streams++;
  });

  await show('hidden');
  await toggle(api, project, flag, 3);
  await page.waitForTimeout(3000);
  expect([streams, await rows(page).count()]).toEqual([0, 1]);
  await show('visible');

  await expect.poll(() => rows(page).count()).toBe(4);
});

testAsAdmin('the first event of a view without events appears by itself', async ({ page, api }) => {
  const project = await createProject(api);
  const name = `flag-${unique()}`;
  await visit(page, `/events?feature=IS:${name}`);
  await page.getByText('No events match.').waitFor();

  await createFlag(api, project, { name });

  await expect.poll(() => rows(page).count()).toBe(1);
});

testAsAdmin('each event has its own link, and an unknown one is not found', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  const { events } = await api.send<{ events: { id: number }[] }>(
    'GET',
    `/api/admin/search/events?feature=IS:${flag}`,
  );
  const id = events[0]?.id;

  await visit(page, `/events/${id}`);

  await page.getByRole('heading', { name: `Event ${id}` }).waitFor();
  const link = page.getByRole('region', { name: `Details of event ${id}` }).getByRole('link', { name: flag });
  expect(await link.first().getAttribute('href')).toBe(`/projects/${project}/features/${flag}`);
  await page.getByText('This event has no deliveries.').waitFor();
  await accessible(page);
  await page.getByRole('link', { name: 'Show in the event log' }).click();
  await page.waitForURL(`/events?event=${id}`);
  await page.getByRole('complementary', { name: `Event ${id}` }).waitFor();

  await visit(page, '/events/999999999');
  await page.getByRole('heading', { name: 'Not found, or you cannot read it' }).waitFor();
  await accessible(page);
});

test('a view is saved under a name, opens with its filters, and is updated, renamed and deleted', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/events?project=IS:${project}`);
  const views = page.getByRole('dialog', { name: 'Saved views' });
  const open = () => page.getByRole('button', { name: 'Saved views' }).click();

  await open();
  await views.getByLabel('Name of a new view').fill('One project');
  await accessible(page);
  await views.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('View “One project” saved.').waitFor();
  await page.goto('/events');
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Flags, pages, people, actions…').fill('one proj');
  await page.locator('[data-action]', { hasText: 'One project' }).click();
  await page.waitForURL(`/events?project=IS:${project}`);

  await page.goto(`/events?project=IS:${project}&query=enabled`);
  await open();
  await views.getByRole('button', { name: 'Update One project' }).click();
  await page.getByText('View “One project” has the filters of this page now.').waitFor();
  await views.getByRole('button', { name: 'Rename One project' }).click();
  await views.getByLabel('New name of “One project”').fill('Enabled there');
  await views.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByText('View “Enabled there” renamed.').waitFor();
  await page.goto('/events');
  await open();
  await views.getByRole('link', { name: 'Enabled there' }).click();
  await page.waitForURL(`/events?query=enabled&project=IS:${project}`);
  await open();
  await accessible(page);
  await views.getByRole('button', { name: 'Delete Enabled there' }).click();
  await views.getByRole('link', { name: 'Enabled there' }).waitFor({ state: 'detached' });
});

testAsAdmin(
  'the page of an event names the instances that lack the change, until they have it',
  async ({ page, server, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const application = `shop-${unique()}`;
    const { secret } = await api.send<{ secret: string }>('POST', '/api/admin/api-tokens', {
      tokenName: application,
      type: 'client',
      environment: 'development',
      projects: [project],
    });
    let etag = '';
    /** A poll as an SDK sends it, which presents what it got before. */
    const poll = async (): Promise<void> => {
      const { headers } = await fetch(`${server.url}/api/client/features`, {
        headers: {
          authorization: secret,
          'unleash-appname': application,
          'unleash-instanceid': 'pod-1',
          'unleash-connection-id': application,
          'if-none-match': etag,
        },
      });
      etag = headers.get('etag') ?? '';
    };
    await poll();
    await toggle(api, project, flag, 1);
    const search = `/api/admin/search/events?feature=IS:${flag}&type=IS:feature-environment-enabled`;
    const { events } = await api.send<{ events: { id: number }[] }>('GET', search);
    await visit(page, `/events/${events[0]?.id}`);

    const instance = page.getByText(`${application}, pod-1`);
    await page.getByRole('heading', { name: 'Reach' }).waitFor();
    await instance.waitFor();
    await page.getByText(/of \d+ instances? (is|are) behind/).waitFor();
    await accessible(page);
    // The server gets the change, the instance gets it from the server, and presents it.
    await expect
      .poll(async () => {
        await poll();
        return await instance.isVisible();
      })
      .toBe(false);
  },
);

testAsViewer('a viewer without events learns which ones only admins see', async ({ page }) => {
  await visit(page, '/events?type=IS:addon-config-created');

  await page.getByText('No events match.').waitFor();
  await page.getByText(/Only admins see events without a project/).waitFor();
  await accessible(page);
});

testAsAdmin(
  'reverting an event restores what it changed, and keeps what others changed since',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const strategies = `${environmentOf(project, flag)}/strategies`;
    const strategy = { name: 'flexibleRollout', title: 'Half', parameters: { rollout: '50' } };
    const { id } = await api.send<{ id: string }>('POST', strategies, strategy);
    await api.send('PUT', `${strategies}/${id}`, { ...strategy, parameters: { rollout: '75' } });
    await api.send('PUT', `${strategies}/${id}`, {
      ...strategy,
      title: 'Most',
      parameters: { rollout: '75' },
    });
    await visit(page, `/projects/${project}/features/${flag}/events`);

    // The newest event changed the title, the one before it the rollout.
    await rows(page).nth(1).click();
    const detail = page.getByRole('complementary', { name: /^Event \d+$/ });
    await detail.getByRole('button', { name: 'Revert this change…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revert this change?' });
    await expect.poll(() => dialog.getByRole('insertion').allTextContents()).toEqual(['50 %']);
    await accessible(page);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Too many errors');
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await page.getByText('The change is reverted.').waitFor();

    const now = await api.send<{ title: string; parameters: { rollout: string } }>(
      'GET',
      `${strategies}/${id}`,
    );
    expect([now.title, now.parameters.rollout]).toEqual(['Most', '50']);
    await expect.poll(() => rows(page).first().textContent()).toContain('Too many errors');

    await detail.getByRole('button', { name: 'Revert this change…' }).click();
    await dialog.getByText('There is nothing to revert').waitFor();
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Revert', exact: true }).isDisabled())
      .toBe(true);
  },
);

testAsAdmin(
  'every kind of event that can be reverted leads back to the state before it',
  async ({ page, api }) => {
    const project = await createProject(api);
    const parent = await createFlag(api, project);
    const flag = await createFlag(api, project, { description: 'Old words' });
    const path = `/api/admin/projects/${project}/features/${flag}`;
    const environment = environmentOf(project, flag);
    const strategy = { name: 'flexibleRollout', parameters: { rollout: '50' } };
    const first = await api.send<{ id: string }>('POST', `${environment}/strategies`, strategy);
    const second = await api.send<{ id: string }>('POST', `${environment}/strategies`, strategy);
    const segment = await api.send<{ id: number }>('POST', '/api/admin/segments', {
      name: `segment-${unique()}`,
      project,
      constraints: [],
    });
    const variant = { name: 'one', weight: 1000, weightType: 'variable', stickiness: 'default' };
    const steps: [Parameters<Api['send']>[0], string, unknown?][] = [
      ['PUT', path, { description: 'New words' }],
      ['PUT', path, { stale: true }],
      ['POST', `${environment}/on`],
      ['PUT', `${environment}/variants`, [variant]],
      [
        'PUT',
        `/api/admin/features/${flag}/tags`,
        { addedTags: [{ type: 'simple', value: 'q4' }], removedTags: [] },
      ],
      ['POST', `${path}/dependencies`, { feature: parent }],
      [
        'POST',
        `${environment}/strategies/set-sort-order`,
        [
          { id: second.id, sortOrder: 0 },
          { id: first.id, sortOrder: 1 },
        ],
      ],
      ['DELETE', `${environment}/strategies/${second.id}`],
      ['PUT', `/api/admin/segments/${segment.id}`, { name: `segment-${unique()}`, project, constraints: [] }],
      ['PUT', `/api/admin/projects/${project}`, { name: 'Payments and more' }],
      ['PUT', `/api/admin/projects/${project}/settings`, { featureLimit: 7 }],
    ];
    const stateOf = async () => {
      const [feature, { name, featureLimit }, { name: segmentName }] = await Promise.all([
        api.send<
          Record<string, unknown> & { environments: { strategies: { id: string; sortOrder: number }[] }[] }
        >('GET', path),
        api.send<{ name: string; featureLimit: number | null }>('GET', `/api/admin/projects/${project}`),
        api.send<{ name: string }>('GET', `/api/admin/segments/${segment.id}`),
      ]);
      const { description, stale, tags, dependencies, environments } = feature;
      const of = environments.map(({ strategies, ...rest }) => ({
        ...rest,
        strategies: strategies.map(({ id: _, sortOrder: __, ...one }) => one),
      }));
      return { description, stale, tags, dependencies, of, name, featureLimit, segmentName };
    };
    const before = await stateOf();
    for (const step of steps) await api.send(...step);
    const { events } = await api.send<{ events: { id: number }[] }>(
      'GET',
      `/api/admin/search/events?project=IS:${project}&limit=${steps.length}`,
    );
    expect(events).toHaveLength(steps.length);

    for (const { id } of events) {
      await visit(page, `/events/${id}`);
      await page.getByRole('button', { name: 'Revert this change…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revert', exact: true }).click();
      await page.getByText('The change is reverted.').waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
    }

    expect(await stateOf()).toEqual(before);
  },
);
