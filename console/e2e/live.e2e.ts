import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createPerson, createProject } from './support/api.ts';
import { insertEvents } from './support/burst.ts';
import { startRestartableServer } from './support/server.ts';
import { type Target, test } from './support/test.ts';

const list = (page: Page) => page.getByRole('listbox', { name: 'Events, newest first' });
const toggle = (page: Page) => page.getByRole('switch', { name: /development/ });

test('a change by one user appears without a reload for a second user', async ({
  page,
  newPage,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });
  const otherPage = await newPage();
  await logInAs({ rootRole: 'Viewer' }, otherPage);
  await page.goto(`/projects/${project}/features/${name}`);
  await otherPage.goto(`/projects/${project}`);
  await expect.poll(() => toggle(otherPage).isChecked()).toBe(false);

  await toggle(page).click();

  await expect.poll(() => toggle(otherPage).isChecked()).toBe(true);
  await expectAccessible(otherPage);
});

test('a tab has one event stream, no matter which pages it shows', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });
  let streamCount = 0;
  page.on('request', request => {
    if (request.url().includes('/api/admin/events/stream')) streamCount++;
  });

  await page.goto(`/projects/${project}`);
  await page.getByRole('link', { name }).first().click();
  await page.getByRole('heading', { name: /^Strategies in/ }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await list(page).getByRole('option').first().waitFor();

  expect(streamCount).toBe(1);
});

type Restartable = Target & { kill: () => Promise<unknown>; restart: () => Promise<void> };

const testWithRestarts = test.extend<{ server: Restartable }>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
  server: async ({}, use) => {
    const server = await startRestartableServer(inject('template'));
    try {
      await use(server);
    } finally {
      await server.stop();
    }
  },
});

/** Waits until the list has rendered the rows at its new scroll position. */
const waitForRender = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

/** Scrolls through the whole list and returns the names of the flags in its rows. */
async function readListedFlags(page: Page): Promise<string[]> {
  const rows = new Map<string, string>();
  for (let top = 0; ; top += 300) {
    await list(page).evaluate((element, to) => element.scrollTo(0, to), top);
    await waitForRender(page);
    // Waits, because rows in view may not be loaded yet.
    await page.waitForFunction(
      () => !document.querySelector('[role=listbox] [role=presentation] > i:only-child'),
    );
    const visibleRows = await list(page)
      .getByRole('option')
      .evaluateAll(options => options.map(({ id, textContent }) => ({ id, text: textContent ?? '' })));
    for (const { id, text } of visibleRows) rows.set(id, /burst-\d+/.exec(text)?.[0] ?? '');
    if (
      await list(page).evaluate(
        ({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight >= scrollHeight - 1,
      )
    )
      return [...rows.values()].filter(name => name !== '');
  }
}

testWithRestarts(
  'the log shows every event of a burst once, including events during an outage',
  async ({ page, api, server, logInAs, tolerated }) => {
    const project = await createProject(api);
    await logInAs({ rootRole: 'Admin' });
    tolerated.push(/ERR_|Failed to load resource|502/);
    await page.goto(`/projects/${project}/events`);
    await list(page).getByRole('option').first().waitFor();
    const resultCount = page.getByRole('search').getByRole('status');
    const countBefore = Number((await resultCount.textContent())?.split(' ')[0]);
    const names = Array.from({ length: 300 }, (_, n) => `burst-${n}`);
    const banner = page.getByText('The server is not available at the moment.');

    await insertEvents(server.databaseUrl, project, names.slice(0, 100));
    await expect.poll(() => resultCount.textContent()).toBe(`${countBefore + 100} events`);
    await server.kill();
    await insertEvents(server.databaseUrl, project, names.slice(100, 200));
    await banner.waitFor();
    await server.restart();
    await insertEvents(server.databaseUrl, project, names.slice(200));

    await expect.poll(() => resultCount.textContent()).toBe(`${countBefore + 300} events`);
    await banner.waitFor({ state: 'hidden' });
    expect((await readListedFlags(page)).toSorted()).toEqual(names.toSorted());
    await expectAccessible(page);
  },
);

test("disables controls without a reload after an admin has revoked the user's role", async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  // A second admin is necessary, because the last admin cannot lose the role.
  await createPerson(api, { rootRole: 'Admin' });
  const person = await logInAs({ rootRole: 'Admin' });
  await page.goto(`/projects/${project}/features/${name}`);
  await expect.poll(() => toggle(page).getAttribute('aria-disabled')).toBe(null);

  await api.send('PUT', `/api/admin/user-admin/${person.id}`, { rootRole: 'Viewer' });

  // A viewer cannot see the event, but within 15 s, the server reports that there was an event.
  await expect.poll(() => toggle(page).getAttribute('aria-disabled'), { timeout: 120_000 }).toBe('true');
});
