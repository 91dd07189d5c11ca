import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessible, accessibleInBoth } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { keyboardProblems } from './support/keyboard.ts';
import { goTo, openPage } from './support/open-page.ts';
import { test, testAsAdmin } from './support/test.ts';

/** Every path in routes.tsx, in the order of the file, and whether its page has the sidebar. */
const ROUTES = [
  ...readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8').matchAll(
    /\b(alone|inShell|inAdministration)\(\s*'([^']+)'/g,
  ),
].map(([, kind, path = '']) => ({ path, isInShell: kind !== 'alone' }));

/** The URL of every page, with something to show on each. */
async function createAddresses(api: Api): Promise<{ address: string; isInShell: boolean }[]> {
  const project = await createProject(api);
  const feature = await createFlag(api, project, { description: 'One page instead of four' });
  const { id: integration } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    description: `Receiver ${unique()}`,
    enabled: false,
    parameters: { url: 'http://127.0.0.1:9/' },
    events: ['feature-created'],
  });
  const account = await api.send<{ id: number }>('POST', '/api/admin/service-account', {
    name: `Account ${unique()}`,
    rootRole: 3,
  });
  const { id: segment } = await api.send<{ id: number }>('POST', '/api/admin/segments', {
    name: `segment-${unique()}`,
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['ada', 'ben'] }],
  });
  const { events } = await api.send<{ events: { id: number }[] }>(
    'GET',
    `/api/admin/search/events?project=IS:${project}&limit=1`,
  );
  const { id: group } = await api.send<{ id: number }>('POST', '/api/admin/groups', {
    name: `Group ${unique()}`,
  });
  const values: Record<string, string> = {
    projectId: project,
    featureName: feature,
    eventId: String(events[0]?.id),
    provider: 'webhook',
    integrationId: String(integration),
    deliveryId: '1',
    token: 'unknown',
    appName: 'unknown',
    groupId: String(group),
    roleId: '5',
    accountId: String(account.id),
    segmentId: String(segment),
    contextField: 'userId',
  };
  return ROUTES.map(({ path, isInShell }) => ({
    address: path.replaceAll(/\$(\w+)/g, (_, name: string) => values[name] ?? `no value for ${name}`),
    isInShell,
  }));
}

/** The controls that a narrow window cuts off, and the width of the page if it scrolls sideways. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide`);
    for (const control of document.querySelectorAll<HTMLElement>(
      'a[href], button, input:not([type=hidden]), select, textarea, [role=option], [role=tab]',
    )) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, right, width } = control.getBoundingClientRect();
      const name = `${control.tagName} ${control.getAttribute('aria-label') ?? control.textContent.slice(0, 40)}`;
      if (width > 1 && (left < -1 || right > clientWidth + 1)) found.push(`${name}: ${left} to ${right} px`);
    }
    return found;
  });

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1440, height: 900 };

/** On a busy machine, all pages in one test would take longer than a test may. */
const PARTS = 4;

test.for(Array.from({ length: PARTS }, (_, part) => part))(
  'every page keeps its policy, has no error, is accessible, shows the focus, and fits into 360 px: part %i',
  async (part, { newPage, api, logInAs }) => {
    const addresses = (await createAddresses(api)).filter((_, n) => n % PARTS === part);
    // The narrow window comes first, because a wide window that is made narrow could hide a problem that appears only when the
    // page loads.
    const page = await newPage({ viewport: NARROW, colorScheme: 'dark' });
    await logInAs({ rootRole: 'Admin' }, page);

    expect(addresses.length).toBeGreaterThan(4);
    const problems: string[] = [];
    let isOpen = false;
    for (const { address, isInShell } of addresses) {
      const response = await page.request.get(address, { headers: { accept: 'text/html' } });
      expect(response.headers()['content-security-policy'], address).toContain(
        "require-trusted-types-for 'script'",
      );
      await page.setViewportSize(NARROW);
      await (isOpen && isInShell ? goTo : openPage)(page, address);
      isOpen = isInShell;
      expect(await page.getByText(/This (page|part) did not load/).count(), address).toBe(0);
      problems.push(...(await cutOff(page)).map(problem => `${address}: ${problem}`));
      await page.setViewportSize(WIDE);
      await accessibleInBoth(page);
      // Last, because the focus opens lists of choices.
      problems.push(...(await keyboardProblems(page)).map(problem => `${address}: ${problem}`));
    }
    expect(problems).toEqual([]);
  },
);

test('a narrow window supports dark colors and reduced motion, and has the navigation in a menu', async ({
  newPage,
  logInAs,
}) => {
  const page = await newPage({ viewport: NARROW, colorScheme: 'dark' });
  await logInAs({ rootRole: 'Admin' }, page);

  await openPage(page, '/flags?query=none');
  expect(await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches)).toBe(true);
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  expect(await page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe('dark');
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('link', { name: 'Integrations' }).click();
  await page.waitForURL('/integrations');
  await page.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor();
  await accessible(page);
});

testAsAdmin('an unknown URL says that there is no such page', async ({ page }) => {
  await goTo(page, '/segments');

  await page.getByRole('heading', { name: 'The console has no such page' }).waitFor();
  await accessible(page);
});

testAsAdmin('without applications, the page links to the form of a new API token', async ({ page }) => {
  await page.route('**/api/admin/metrics/applications?*', route =>
    route.fulfill({ json: { applications: [], total: 0 } }),
  );

  await goTo(page, '/applications');

  const link = page.getByRole('link', { name: 'Create an API token' });
  expect(await link.getAttribute('href')).toBe('/admin/tokens/new');
  await accessible(page);
});
