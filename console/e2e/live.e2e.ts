import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { accessible } from './support/accessible.ts';
import { createFlag, createPerson, createProject } from './support/api.ts';
import { insertEvents } from './support/burst.ts';
import { startRestartableServer } from './support/server.ts';
import { type Target, test } from './support/test.ts';

const list = (page: Page) => page.getByRole('listbox', { name: 'Events, newest first' });
const toggle = (page: Page) => page.getByRole('switch', { name: /development/ });

test('a change by one user appears without a reload in the window of a second user', async ({
  page,
  newPage,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });
  const other = await newPage();
  await logInAs({ rootRole: 'Viewer' }, other);
  await page.goto(`/projects/${project}/features/${name}`);
  await other.goto(`/projects/${project}`);
  await expect.poll(() => toggle(other).isChecked()).toBe(false);

  await toggle(page).click();

  await expect.poll(() => toggle(other).isChecked()).toBe(true);
  await accessible(other);
});

test('a tab has one event stream, whichever pages it shows', async ({ page, api, logInAs }) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  await logInAs({ rootRole: 'Admin' });
  let streams = 0;
  page.on('request', request => {
    if (request.url().includes('/api/admin/events/stream')) streams++;
  });

  await page.goto(`/projects/${project}`);
  await page.getByRole('link', { name }).first().click();
  await page.getByRole('heading', { name: /^Strategies in/ }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await list(page).getByRole('option').first().waitFor();

  expect(streams).toBe(1);
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

/** Waits until the list has rendered the rows at its new position. */
const nextFrames = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

/** The names of the flags in the rows of the whole list. */
async function listedFlags(page: Page): Promise<string[]> {
  const rows = new Map<string, string>();
  for (let top = 0; ; top += 300) {
    await list(page).evaluate((element, to) => element.scrollTo(0, to), top);
    await nextFrames(page);
    // A row that is not loaded yet.
    await page.waitForFunction(
      () => !document.querySelector('[role=listbox] [role=presentation] > i:only-child'),
    );
    const shown = await list(page)
      .getByRole('option')
      .evaluateAll(options => options.map(({ id, textContent }) => ({ id, text: textContent ?? '' })));
    for (const { id, text } of shown) rows.set(id, /burst-\d+/.exec(text)?.[0] ?? '');
    if (
      await list(page).evaluate(
        ({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight >= scrollHeight - 1,
      )
    )
      return [...rows.values()].filter(name => name !== '');
  }
}

testWithRestarts(
  'the log shows every event of a burst once, including those from while the server was down',
  async ({ page, api, server, logInAs, tolerated }) => {
    const project = await createProject(api);
    await logInAs({ rootRole: 'Admin' });
    tolerated.push(/ERR_|Failed to load resource|502/);
    await page.goto(`/projects/${project}/events`);
    await list(page).getByRole('option').first().waitFor();
    const found = page.getByRole('search').getByRole('status');
    const before = Number((await found.textContent())?.split(' ')[0]);
    const names = Array.from({ length: 300 }, (_, n) => `burst-${n}`);
    const banner = page.getByText('The server is not available at the moment.');

    await insertEvents(server.databaseUrl, project, names.slice(0, 100));
    await expect.poll(() => found.textContent()).toBe(`${before + 100} events`);
    await server.kill();
    await insertEvents(server.databaseUrl, project, names.slice(100, 200));
    await banner.waitFor();
    await server.restart();
    await insertEvents(server.databaseUrl, project, names.slice(200));

    await expect.poll(() => found.textContent()).toBe(`${before + 300} events`);
    await banner.waitFor({ state: 'hidden' });
    expect((await listedFlags(page)).toSorted()).toEqual(names.toSorted());
    await accessible(page);
  },
);

test('a role that somebody else revokes changes the controls without a reload', async ({
  page,
  api,
  logInAs,
}) => {
  const project = await createProject(api);
  const name = await createFlag(api, project);
  // The last admin cannot lose the role.
  await createPerson(api, { rootRole: 'Admin' });
  const person = await logInAs({ rootRole: 'Admin' });
  await page.goto(`/projects/${project}/features/${name}`);
  await expect.poll(() => toggle(page).getAttribute('aria-disabled')).toBe(null);

  await api.send('PUT', `/api/admin/user-admin/${person.id}`, { rootRole: 'Viewer' });

  // A viewer may not see this event. Within 15 s, the server says that there was one.
  await expect.poll(() => toggle(page).getAttribute('aria-disabled'), { timeout: 120_000 }).toBe('true');
});
