import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { visit } from './support/open-page.ts';
import { startSlowChange } from './support/slow-change.ts';
import { test, testAsAdmin, testAsViewer, testWithOwnServer } from './support/test.ts';

const rows = (page: Page) => page.getByRole('listbox', { name: 'Events, newest first' }).getByRole('option');
const environmentPath = (project: string, flag: string) =>
  `/api/admin/projects/${project}/features/${flag}/environments/development`;
/** Toggles the flag. Each toggle creates an event, and so does the strategy that the first toggle adds. */
const toggle = async (api: Api, project: string, flag: string, times: number): Promise<void> => {
  for (let n = 0; n < times; n++)
    await api.send('POST', `${environmentPath(project, flag)}/${n % 2 === 0 ? 'on' : 'off'}`);
};

testAsAdmin(
  'keeps a filter in the URL: a shared link shows the same events, and Back removes the filter',
  async ({ page, newPage, api, logInAs }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await createFlag(api, project);
    await visit(page, `/projects/${project}/events`);
    const all = await api.send<{ total: number }>('GET', `/api/admin/search/events?project=IS:${project}`);
    const resultCount = page.getByRole('search').getByRole('status');
    await expect.poll(() => resultCount.textContent()).toBe(`${all.total} events`);

    await page.keyboard.press('/');
    await page.keyboard.type(`flag:${flag}`);
    await page.keyboard.press('Enter');

    await page.waitForURL(`/projects/${project}/events?feature=IS:${flag}`);
    await expect.poll(() => resultCount.textContent()).toBe('1 event');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: `Flag is ${flag}`, exact: true }).waitFor();
    await expectAccessible(page);

    const otherPage = await newPage();
    await logInAs({ rootRole: 'Admin' }, otherPage);
    await otherPage.goto(page.url());
    await expect.poll(() => rows(otherPage).allTextContents()).toEqual(await rows(page).allTextContents());

    await page.goBack();
    await expect.poll(() => resultCount.textContent()).toBe(`${all.total} events`);
    expect(new URL(page.url()).search).toBe('');
  },
);

testAsAdmin('in a 360 px window, the sentence of an event wraps', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project, { name: `flag-with-quite-a-long-name-${unique()}` });
  await page.setViewportSize({ width: 360, height: 740 });
  await visit(page, `/projects/${project}/events`);
  const row = rows(page).filter({ hasText: `created flag ${flag}` });
  await row.waitFor();

  const [rowBox, nameBox, timeBox] = await Promise.all([
    row.boundingBox(),
    row.getByText(flag, { exact: true }).boundingBox(),
    row.getByRole('time').boundingBox(),
  ]);
  if (!rowBox || !nameBox || !timeBox) throw new Error('The row shows no name or time.');
  expect(nameBox.x + nameBox.width).toBeLessThanOrEqual(340);
  expect(nameBox.y).toBeGreaterThanOrEqual(rowBox.y);
  expect(nameBox.y + nameBox.height).toBeLessThanOrEqual(timeBox.y + 4);
  expect(timeBox.y + timeBox.height).toBeLessThanOrEqual(rowBox.y + rowBox.height);
  await expectAccessible(page);
});

testAsAdmin.for([
  { width: 360, height: 740, opensEvent: false },
  { width: 1280, height: 800, opensEvent: true },
])(
  'in a $width px window, the new value of a setting is visible',
  async ({ opensEvent, ...size }, { page, api }) => {
    const name = `checkout-express-b2b-${unique()}`;
    const { project, id, strategies } = await createFlagWithStrategy(api, {}, name);
    await api.send('PUT', `${strategies}/${id}`, {
      name: 'flexibleRollout',
      title: 'Gradual rollout',
      parameters: { rollout: '75', stickiness: 'default', groupId: name },
    });
    await page.setViewportSize(size);
    await visit(page, `/projects/${project}/events`);
    const row = rows(page).filter({ hasText: 'rollout 50 % → 75 %' });
    if (opensEvent) {
      await row.click();
      await page.getByRole('complementary', { name: /^Event / }).waitFor();
    }

    const [rowBox, valueBox, timeBox] = await Promise.all([
      row.boundingBox(),
      row.getByText('rollout 50 % → 75 %', { exact: true }).boundingBox(),
      row.getByRole('time').boundingBox(),
    ]);
    if (!rowBox || !valueBox || !timeBox) throw new Error('The row shows no value or time.');
    expect(valueBox.x + valueBox.width).toBeLessThanOrEqual(rowBox.x + rowBox.width - 20);
    expect(valueBox.y).toBeGreaterThanOrEqual(rowBox.y);
    expect(valueBox.y + valueBox.height).toBeLessThanOrEqual(timeBox.y + 4);
    expect(timeBox.y + timeBox.height).toBeLessThanOrEqual(rowBox.y + rowBox.height);
  },
);

testAsAdmin('offers to remove a filter that matches no events', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}/events?query=nothing-has-this-text`);

  await page.getByText('No events match.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove “Contains nothing-has-this-text”' }).click();

  await expect.poll(() => rows(page).count()).toBeGreaterThan(0);
});

testAsAdmin('suggests the nearest event type for an unknown event type', async ({ page, api }) => {
  const project = await createProject(api);
  await visit(page, `/projects/${project}/events?type=IS:feature-enabled`);

  await page.getByText('Did you mean "feature-environment-enabled"?').waitFor();
  await expectAccessible(page);
});

testAsAdmin('choosing a day in the histogram filters by that day', async ({ page, api }) => {
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
  await expectAccessible(page);
});

testAsAdmin(
  'shows the events of one change as one row, and the fields of an event before and after the change',
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
    await expectAccessible(page);

    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'New words' }).click();
    await expect.poll(() => detail.getByRole('deletion').textContent()).toBe('Old words');
    expect(await detail.getByRole('insertion').textContent()).toBe('New words');
    await detail.getByText('JSON', { exact: true }).click();
    await detail.getByRole('region', { name: 'Before' }).getByText('"Old words"').waitFor();
    await expectAccessible(page);
  },
);

testAsAdmin('moves through the log with J and K, and into the details with Enter', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  await toggle(api, project, flag, 2);
  await visit(page, `/projects/${project}/events`);
  await expect.poll(() => rows(page).count()).toBeGreaterThan(2);
  const selectedText = () => page.getByRole('option', { selected: true }).textContent();

  await page.keyboard.press('j');
  await expect.poll(selectedText).toContain('disabled');
  await page.keyboard.press('j');
  await expect.poll(selectedText).toContain('enabled');
  await page.keyboard.press('k');
  await expect.poll(selectedText).toContain('disabled');
  await page.keyboard.press('Enter');

  // J and K have already opened the details, so Enter only moves focus into them.
  const details = page.getByRole('complementary', { name: /^Event / });
  await expect.poll(() => details.evaluate(element => element.contains(document.activeElement))).toBe(true);
  await details.getByRole('link', { name: flag }).first().click();
  await page.waitForURL(`/projects/${project}/features/${flag}`);
});

testAsAdmin(
  'shows new events at the top, or behind a button while the user has scrolled down',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await toggle(api, project, flag, 130);
    await visit(
      page,
      `/projects/${project}/events?type=IS_ANY_OF:feature-environment-enabled,feature-environment-disabled,feature-stale-on,feature-stale-off`,
    );
    const resultCount = page.getByRole('search').getByRole('status');
    await expect.poll(() => resultCount.textContent()).toBe('130 events');

    const mark = (stale: boolean) =>
      api.send('POST', `/api/admin/projects/${project}/stale`, { features: [flag], stale });
    await mark(true);
    await expect.poll(() => rows(page).first().textContent()).toContain('stale');
    expect(await resultCount.textContent()).toBe('131 events');

    const list = page.getByRole('listbox', { name: 'Events, newest first' });
    await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => rows(page).first().textContent()).not.toContain('stale');
    // The last row shows the first toggle only after the second page is loaded.
    await expect.poll(() => rows(page).last().textContent()).toContain('enabled');
    const rowsBefore = await rows(page).allTextContents();
    await mark(false);
    const newEventsButton = page.getByRole('button', { name: '1 new event' });
    await newEventsButton.waitFor();
    expect(await rows(page).allTextContents()).toEqual(rowsBefore);
    await expectAccessible(page);

    await newEventsButton.click();
    await expect.poll(() => rows(page).first().textContent()).toContain('stale');
    await expect.poll(() => resultCount.textContent()).toBe('132 events');
    await newEventsButton.waitFor({ state: 'detached' });
  },
);

/**
 * Opens the log of a flag that has an uncommitted change, followed by committed ones. Each test has its own server, because an
 * uncommitted change delays all event streams of the server.
 */
const testWithSlowChange = testWithOwnServer().extend<{
  openLog: (
    toggles: number,
  ) => Promise<{ flag: string; project: string; resultCount: Locator; commit: () => Promise<void> }>;
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
      const resultCount = page.getByRole('search').getByRole('status');
      // The other 2 events record the creation of the flag and of the strategy that the first toggle adds.
      await expect.poll(() => resultCount.textContent()).toBe(`${toggles + 2} events`);
      return { flag, project, resultCount, commit };
    }),
});

testWithSlowChange(
  'an event that is committed late appears once, below newer events',
  async ({ page, api, openLog }) => {
    const { flag, project, resultCount, commit } = await openLog(2);
    await expect.poll(() => rows(page).count()).toBe(3);

    await commit();

    await expect.poll(() => resultCount.textContent()).toBe('5 events');
    await expect.poll(() => rows(page).nth(2).textContent()).toContain('archived');
    await expect.poll(() => rows(page).count()).toBe(4);
    await toggle(api, project, flag, 1);
    await expect.poll(() => resultCount.textContent()).toBe('6 events');
    await expect.poll(() => rows(page).count()).toBe(5);
  },
);

testWithSlowChange(
  'an event that is committed after more than a page of newer events appears on the page where it belongs',
  async ({ page, openLog }) => {
    const { resultCount, commit } = await openLog(110);

    await commit();

    await expect.poll(() => resultCount.textContent()).toBe('113 events');
    const list = page.getByRole('listbox', { name: 'Events, newest first' });
    await list.evaluate(element => element.scrollTo(0, element.scrollHeight));
    await expect.poll(() => rows(page).filter({ hasText: 'archived' }).count()).toBe(1);
  },
);

testAsAdmin(
  'a range without an end shows new events, and a range that ends in the past does not',
  async ({ page, newPage, api, logInAs }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const today = new Date().toISOString().slice(0, 10);
    const pastDayPage = await newPage();
    await logInAs({ rootRole: 'Admin' }, pastDayPage);
    await visit(page, `/events?feature=IS:${flag}&from=IS:${today}`);
    await pastDayPage.goto(`/events?feature=IS:${flag}&to=IS:2020-01-01`);
    await expect.poll(() => rows(page).count()).toBe(1);
    await pastDayPage.getByText('No events match.').waitFor();

    await toggle(api, project, flag, 1);

    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await pastDayPage.getByText('No events match.').count()).toBe(1);
  },
);

test('a hidden tab has no event stream, and shows the new events when it is visible again', async ({
  page,
  api,
  logInAs,
}) => {
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
  let streamCount = 0;
  page.on('request', request => {
    if (request.url().includes('/events/stream')) streamCount++;
  });

  await show('hidden');
  await toggle(api, project, flag, 3);
  await page.waitForTimeout(3000);
  expect([streamCount, await rows(page).count()]).toEqual([0, 1]);
  await show('visible');

  await expect.poll(() => rows(page).count()).toBe(4);
});

testAsAdmin('the first event of an empty list appears without a reload', async ({ page, api }) => {
  const project = await createProject(api);
  const name = `flag-${unique()}`;
  await visit(page, `/events?feature=IS:${name}`);
  await page.getByText('No events match.').waitFor();

  await createFlag(api, project, { name });

  await expect.poll(() => rows(page).count()).toBe(1);
});

testAsAdmin(
  'each event has a page, and the page of an unknown event says that it was not found',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const { events } = await api.send<{ events: { id: number }[] }>(
      'GET',
      `/api/admin/search/events?feature=IS:${flag}`,
    );
    const id = events[0]?.id;

    await visit(page, `/events/${id}`);

    await page.getByRole('heading', { name: `Event ${id}` }).waitFor();
    const link = page
      .getByRole('region', { name: `Details of event ${id}` })
      .getByRole('link', { name: flag });
    expect(await link.first().getAttribute('href')).toBe(`/projects/${project}/features/${flag}`);
    await page.getByText('This event has no deliveries.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Show in the event log' }).click();
    await page.waitForURL(`/events?event=${id}`);
    await page.getByRole('complementary', { name: `Event ${id}` }).waitFor();

    await visit(page, '/events/999999999');
    await page.getByRole('heading', { name: 'Not found, or you cannot read it' }).waitFor();
    await expectAccessible(page);
  },
);

test('a view is saved under a name, opens with its filters, and is updated, renamed and deleted', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  await logInAs({ rootRole: 'Admin' });
  await page.goto(`/events?project=IS:${project}`);
  const views = page.getByRole('dialog', { name: 'Saved views' });
  const openViews = () => page.getByRole('button', { name: 'Saved views' }).click();

  await openViews();
  await views.getByLabel('Save these filters as').fill('One project');
  await expectAccessible(page);
  await views.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('View “One project” saved.').waitFor();
  await page.goto('/events');
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Flags, pages, people, actions…').fill('one proj');
  await page.locator('[data-action]', { hasText: 'One project' }).click();
  await page.waitForURL(`/events?project=IS:${project}`);

  await page.goto(`/events?project=IS:${project}&query=enabled`);
  await openViews();
  await views.getByRole('button', { name: 'Update One project' }).click();
  await page.getByText('View “One project” now has the filters of this page.').waitFor();
  await views.getByRole('button', { name: 'Rename One project' }).click();
  await views.getByLabel('New name for “One project”').fill('Enabled there');
  await views.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByText('View “Enabled there” renamed.').waitFor();
  await page.goto('/events');
  await openViews();
  await views.getByRole('link', { name: 'Enabled there' }).click();
  await page.waitForURL(`/events?query=enabled&project=IS:${project}`);
  await openViews();
  await expectAccessible(page);
  await views.getByRole('button', { name: 'Delete Enabled there' }).click();
  await views.getByRole('link', { name: 'Enabled there' }).waitFor({ state: 'detached' });
});

testAsAdmin(
  'the event page lists the instances that lack the change until they receive it',
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
    /** Requests the flags like an SDK does. The ETag tells the server which revision the instance already has. */
    const poll = async (etag: string): Promise<string> => {
      const { status, headers } = await fetch(`${server.url}/api/client/features`, {
        headers: {
          authorization: secret,
          'unleash-appname': application,
          'unleash-instanceid': 'pod-1',
          'unleash-connection-id': application,
          'if-none-match': etag,
        },
      });
      expect([200, 304]).toContain(status);
      return headers.get('etag') ?? '';
    };
    await toggle(api, project, flag, 1);
    const search = `/api/admin/search/events?feature=IS:${flag}&type=IS:feature-environment-enabled`;
    const { events } = await api.send<{ events: { id: number }[] }>('GET', search);
    await visit(page, `/events/${events[0]?.id}`);

    const instance = page.getByText(`${application}, pod-1`);
    await page.getByRole('heading', { name: 'Reach' }).waitFor();
    // The server does not know the instance yet when the page opens, and knows its revision only after it sends an ETag.
    await expect
      .poll(async () => {
        await poll('');
        return await instance.isVisible();
      })
      .toBe(true);
    await page.getByText(/of \d+ instances? (is|are) behind/).waitFor();
    await expectAccessible(page);
    // Polls repeatedly, because the server may load the change late, and only the instance's next request confirms the change.
    let etag = '';
    await expect
      .poll(async () => {
        etag = await poll(etag);
        return await instance.isVisible();
      })
      .toBe(false);
  },
);

testAsViewer('tells a viewer who sees no events that only admins see all of them', async ({ page }) => {
  await visit(page, '/events?type=IS:addon-config-created');

  await page.getByText('No events match.').waitFor();
  await page.getByText(/You see the ones you caused; admins see all of them/).waitFor();
  await expectAccessible(page);
});

testAsAdmin(
  'reverting an event restores what it changed, and keeps what others changed since',
  async ({ page, api }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    const strategies = `${environmentPath(project, flag)}/strategies`;
    const strategy = {
      name: 'flexibleRollout',
      title: 'Half',
      parameters: { rollout: '50' },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['ada, ben', '\u202Eeve'] }],
    };
    const { id } = await api.send<{ id: string }>('POST', strategies, strategy);
    await api.send('PUT', `${strategies}/${id}`, { ...strategy, parameters: { rollout: '75' } });
    await api.send('PUT', `${strategies}/${id}`, {
      ...strategy,
      title: 'Most',
      parameters: { rollout: '75' },
    });
    await visit(page, `/projects/${project}/features/${flag}/events`);

    // The newest event changed the title, and the previous event changed the rollout.
    await rows(page).nth(1).click();
    const detail = page.getByRole('complementary', { name: /^Event \d+$/ });
    await detail.getByRole('button', { name: 'Revert this change…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revert this change?' });
    await expect.poll(() => dialog.getByRole('insertion').allTextContents()).toEqual(['50 %']);
    await expectAccessible(page);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Too many errors');
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await page.getByText('Change reverted.').waitFor();

    const revertedStrategy = await api.send<{ title: string; parameters: { rollout: string } }>(
      'GET',
      `${strategies}/${id}`,
    );
    expect([revertedStrategy.title, revertedStrategy.parameters.rollout]).toEqual(['Most', '50']);
    await expect.poll(() => rows(page).first().textContent()).toContain('Too many errors (reverts event');
    expect(await rows(page).first().textContent()).toContain('updated strategy Gradual rollout');

    const newestEvents = await api.send<{ events: { id: number }[] }>(
      'GET',
      `/api/admin/search/events?feature=IS:${flag}&limit=1`,
    );
    await detail.getByRole('link', { name: `event ${newestEvents.events[0]?.id}`, exact: true }).waitFor();
    await detail.getByRole('button', { name: 'Revert this change…' }).click();
    await dialog.getByText('There is nothing to revert').waitFor();
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Revert', exact: true }).isDisabled())
      .toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const revertedEvent = new URL(page.url()).searchParams.get('event') ?? '';
    await rows(page).first().click();
    await detail.getByRole('link', { name: revertedEvent, exact: true }).waitFor();
    expect(await detail.getByText('Reverted by').count()).toBe(0);
    await rows(page).nth(3).click();
    await detail.getByText('userId is "ada, ben" or \\u202Eeve').waitFor();
    const fields = detail.locator('dl').filter({ hasText: 'userId is' });
    const fieldNames = await fields.getByRole('term').allTextContents();
    expect(fieldNames).toEqual(expect.arrayContaining(['Type', 'Title', 'Rollout', 'Constraint']));
    expect(fieldNames).not.toContain('Variant');
    await fields.getByText('Gradual rollout', { exact: true }).waitFor();

    await api.send('PUT', `${strategies}/${id}`, { ...strategy, parameters: { rollout: '60' } });
    await visit(page, `/events/${revertedEvent}`);
    await page.getByRole('button', { name: 'Revert this change…' }).click();
    await dialog.getByText('overwritten if you revert it: Parameters.').waitFor();
  },
);

testAsAdmin('an event and the preview of reverting it show the name of a segment', async ({ page, api }) => {
  const project = await createProject(api);
  const flag = await createFlag(api, project);
  const name = `segment-${unique()}`;
  const segment = await api.send<{ id: number }>('POST', '/api/admin/segments', { name, constraints: [] });
  await api.send('POST', `${environmentPath(project, flag)}/strategies`, {
    name: 'flexibleRollout',
    segments: [segment.id],
  });
  const { events } = await api.send<{ events: { id: number }[] }>(
    'GET',
    `/api/admin/search/events?feature=IS:${flag}&type=IS:feature-strategy-add`,
  );

  await visit(page, `/events/${events[0]?.id}`);
  await page.getByRole('insertion').filter({ hasText: name }).waitFor();
  await page.getByRole('button', { name: 'Revert this change…' }).click();

  await page.getByRole('dialog').getByRole('deletion').filter({ hasText: name }).waitFor();
});

testAsAdmin('reverting each revertible kind of event restores the previous state', async ({ page, api }) => {
  const project = await createProject(api);
  const parent = await createFlag(api, project);
  const flag = await createFlag(api, project, { description: 'Old words' });
  const path = `/api/admin/projects/${project}/features/${flag}`;
  const environment = environmentPath(project, flag);
  const variant = { name: 'one', weight: 1000, weightType: 'variable', stickiness: 'default' };
  const strategy = { name: 'flexibleRollout', parameters: { rollout: '50' }, variants: [variant] };
  const first = await api.send<{ id: string }>('POST', `${environment}/strategies`, strategy);
  const second = await api.send<{ id: string }>('POST', `${environment}/strategies`, strategy);
  const segment = await api.send<{ id: number }>('POST', '/api/admin/segments', {
    name: `segment-${unique()}`,
    project,
    constraints: [],
  });
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
  const readState = async () => {
    const [feature, { name, featureLimit }, { name: segmentName }] = await Promise.all([
      api.send<
        Record<string, unknown> & { environments: { strategies: { id: string; sortOrder: number }[] }[] }
      >('GET', path),
      api.send<{ name: string; featureLimit: number | null }>('GET', `/api/admin/projects/${project}`),
      api.send<{ name: string }>('GET', `/api/admin/segments/${segment.id}`),
    ]);
    const { description, stale, tags, dependencies, environments } = feature;
    const comparableEnvironments = environments.map(({ strategies, ...rest }) => ({
      ...rest,
      strategies: strategies.map(({ id: _, sortOrder: __, ...otherFields }) => otherFields),
    }));
    return {
      description,
      stale,
      tags,
      dependencies,
      comparableEnvironments,
      name,
      featureLimit,
      segmentName,
    };
  };
  const stateBefore = await readState();
  for (const step of steps) await api.send(...step);
  const { events } = await api.send<{ events: { id: number }[] }>(
    'GET',
    `/api/admin/search/events?project=IS:${project}&limit=${steps.length}`,
  );
  expect(events).toHaveLength(steps.length);

  const previewedChanges: string[] = [];
  for (const { id } of events) {
    await visit(page, `/events/${id}`);
    await page.getByRole('button', { name: 'Revert this change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('dl').waitFor();
    previewedChanges.push(...(await dialog.locator('dl > div').allTextContents()));
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await page.getByText('Change reverted.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
  }

  expect(await readState()).toEqual(stateBefore);
  expect(previewedChanges).toEqual(
    expect.arrayContaining([
      'TypeGradual rollout',
      'Rollout50 %',
      'Variantsone 100 %',
      'Variant one100 %',
      `Feature${parent}`,
    ]),
  );
  expect(previewedChanges.filter(text => text.includes('{'))).toEqual([]);
});
