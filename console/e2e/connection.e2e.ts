import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { createFlag, createProject } from './support/api.ts';
import { startServerBehindProxy } from './support/server.ts';
import { type Target, test, testBehindLoadBalancer } from './support/test.ts';

type ServerBehindProxy = Target & { cutDatabase: () => void; restoreDatabase: () => void };

const testWithDatabaseOutage = test.extend<{ server: ServerBehindProxy }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest requires this pattern
  server: async ({}, use) => {
    const server = await startServerBehindProxy(inject('template'));
    try {
      await use(server);
    } finally {
      await server.stop();
    }
  },
});

testWithDatabaseOutage(
  'during a database outage, the console keeps the page open, retries, and shows a message',
  async ({ page, api, server, logInAs, tolerated }) => {
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await logInAs({ rootRole: 'Admin' });
    await page.goto(`/projects/${project}`);
    await page.getByRole('link', { name: flag }).first().waitFor();
    const banner = page.getByText('The server is not available at the moment. Requests are retried.');
    tolerated.push(/status of 503|responded with 503/);

    server.cutDatabase();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await banner.waitFor();
    expect(await page.getByRole('status').filter({ has: banner }).count()).toBe(1);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    server.restoreDatabase();

    // The test does nothing after the outage, so only the page's own retry can have loaded the list.
    await page.getByRole('option').filter({ hasText: flag }).first().waitFor();
    await banner.waitFor({ state: 'hidden' });
    await expectAccessible(page);
  },
);

/** Finds the page's style sheets that are not loaded. */
const findMissingStyles = (page: Page): Promise<string[]> =>
  page
    .locator('link[rel=stylesheet]')
    .evaluateAll(links =>
      links.filter(link => !(link as HTMLLinkElement).sheet).map(link => (link as HTMLLinkElement).href),
    );

testBehindLoadBalancer(
  'a page whose script is not loaded yet opens when the server is back, and the current page stays open until then',
  async ({ page, server, logInAs, tolerated }) => {
    const { loadBalancer } = server;
    await logInAs({ rootRole: 'Admin' });
    await page.goto('/integrations/new/webhook');
    await page.getByLabel('Description').fill('Change log');
    const banner = page.getByText('The server is not available at the moment. Requests are retried.');
    tolerated.push(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|Failed to load resource|preload/);
    // Opens a dialog before the outage, because the dialogs' script loads after the page and would be missing otherwise.
    const confirmation = page.getByRole('dialog', { name: 'Discard changes?' });
    await page.getByRole('link', { name: 'Applications' }).click();
    await confirmation.getByRole('button', { name: 'Cancel', exact: true }).click();
    await confirmation.waitFor({ state: 'hidden' });

    loadBalancer.state = 'down';
    await page.getByRole('link', { name: 'Playground' }).click();
    await confirmation.getByRole('button', { name: 'Discard changes' }).click();
    await banner.waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Change log');
    await expectAccessible(page);
    loadBalancer.state = 'up';

    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await banner.waitFor({ state: 'hidden' });
    expect(await findMissingStyles(page)).toEqual([]);
    await expectAccessible(page);
  },
);

testBehindLoadBalancer(
  "offers a reload if a server update removed a page's script, and keeps the current page open until then",
  async ({ page, server, logInAs }) => {
    const { loadBalancer } = server;
    await logInAs({ rootRole: 'Admin' });
    await page.goto('/projects?query=none');
    await page.getByText('No projects match.').waitFor();

    loadBalancer.state = 'updated';
    await page.getByRole('link', { name: 'Playground' }).click();
    const banner = page.getByRole('alert').filter({ hasText: 'Halyard was updated.' });
    await banner.waitFor();
    expect(await page.getByLabel('Filter projects').inputValue()).toBe('none');
    await expectAccessible(page);
    loadBalancer.state = 'up';
    await banner.getByRole('button', { name: 'Reload' }).click();

    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    expect(await banner.count()).toBe(0);
  },
);

testBehindLoadBalancer(
  'a part of a page that fails to load shows an error and a retry button',
  async ({ page, api, server, logInAs, tolerated }) => {
    const { loadBalancer } = server;
    const project = await createProject(api);
    const flag = await createFlag(api, project);
    await logInAs({ rootRole: 'Admin' });
    tolerated.push(/500/);

    loadBalancer.broken = { paths: /^\/api\/admin\/search\/events/, status: 500 };
    await page.goto(`/projects/${project}/features/${flag}`);
    const changes = page.getByRole('region', { name: 'Recent changes' });
    await changes.getByText('This part did not load').waitFor();
    await page.getByRole('heading', { name: /^Strategies in/ }).waitFor();
    await expectAccessible(page);
    delete loadBalancer.broken;
    await changes.getByRole('button', { name: 'Retry' }).click();

    await changes.getByRole('link', { name: /created/ }).waitFor();
    expect(await page.getByText('This part did not load').count()).toBe(0);
  },
);

testBehindLoadBalancer(
  'a part of a page that failed to load in an outage loads when the server is back',
  async ({ page, server, logInAs, tolerated }) => {
    const { loadBalancer } = server;
    await logInAs({ rootRole: 'Admin' });
    tolerated.push(/502/);

    loadBalancer.broken = { paths: /^\/api\/admin\/user\/sessions/, status: 502 };
    await page.goto('/profile');
    await page.getByText('This part did not load').waitFor();
    delete loadBalancer.broken;

    await page.getByText('This session').waitFor();
    expect(await page.getByText('This part did not load').count()).toBe(0);
  },
);

testBehindLoadBalancer(
  'the console opens without a click once it can load the user',
  async ({ page, server, logInAs, tolerated }) => {
    const { loadBalancer } = server;
    await logInAs({ rootRole: 'Admin' });
    tolerated.push(/502|Cannot reach/);

    loadBalancer.broken = { paths: /^\/api\/admin\/user$/, status: 502 };
    await page.goto('/projects');
    await page.getByText('This page did not load').waitFor();
    delete loadBalancer.broken;

    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  },
);
