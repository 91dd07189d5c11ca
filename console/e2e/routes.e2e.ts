import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectAccessibleInBothModes } from './support/accessible.ts';
import { type Api, createFlag, createProject, unique } from './support/api.ts';
import { findKeyboardProblems } from './support/keyboard.ts';
import { openPage, visitAndWait } from './support/open-page.ts';
import { test, testAsAdmin } from './support/test.ts';

/** Every path in routes.tsx, in the order of the file, and whether its page has the sidebar. */
const ROUTES = [
  ...readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8').matchAll(
    /\b(outsideShell|inShell|inAdministration)\(\s*'([^']+)'/g,
  ),
].map(([, kind, path = '']) => ({ path, isInShell: kind !== 'outsideShell' }));

/** Creates something to show on every page, and returns the URLs of all pages. */
async function createUrls(api: Api): Promise<{ url: string; isInShell: boolean }[]> {
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
  const parameters: Record<string, string> = {
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
    url: path.replaceAll(/\$(\w+)/g, (_, name: string) => parameters[name] ?? `no value for ${name}`),
    isInShell,
  }));
}

/** Finds the controls that a narrow window cuts off, and the width of the page if it scrolls sideways. */
const findCutOffControls = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const problems: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) problems.push(`the page is ${scrollWidth} px wide`);
    for (const control of document.querySelectorAll<HTMLElement>(
      'a[href], button, input:not([type=hidden]), select, textarea, [role=option], [role=tab]',
    )) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, right, width } = control.getBoundingClientRect();
      const name = `${control.tagName} ${control.getAttribute('aria-label') ?? control.textContent.slice(0, 40)}`;
      if (width > 1 && (left < -1 || right > clientWidth + 1))
        problems.push(`${name}: ${left} to ${right} px`);
    }
    return problems;
  });

const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1440, height: 900 };

/** The pages are split into this many tests, because a single test would exceed its timeout on a busy machine. */
const PARTS = 4;

test.for(Array.from({ length: PARTS }, (_, part) => part))(
  'every page has a security policy and no errors, is accessible, shows focus, and fits in 360 px: part %i',
  async (part, { newPage, api, logInAs }) => {
    const urls = (await createUrls(api)).filter((_, n) => n % PARTS === part);
    // Opens the pages in a narrow window first, because a wide window that is made narrow could hide a problem that appears only
    // when a page loads.
    const page = await newPage({ viewport: NARROW, colorScheme: 'dark' });
    await logInAs({ rootRole: 'Admin' }, page);

    expect(urls.length).toBeGreaterThan(4);
    const problems: string[] = [];
    let isShellOpen = false;
    for (const { url, isInShell } of urls) {
      const response = await page.request.get(url, { headers: { accept: 'text/html' } });
      expect(response.headers()['content-security-policy'], url).toContain(
        "require-trusted-types-for 'script'",
      );
      await page.setViewportSize(NARROW);
      await (isShellOpen && isInShell ? visitAndWait : openPage)(page, url);
      isShellOpen = isInShell;
      expect(await page.getByText(/This (page|part) did not load/).count(), url).toBe(0);
      problems.push(...(await findCutOffControls(page)).map(problem => `${url}: ${problem}`));
      await page.setViewportSize(WIDE);
      await expectAccessibleInBothModes(page);
      // The keyboard check comes last, because focusing a field can open its list of choices.
      problems.push(...(await findKeyboardProblems(page)).map(problem => `${url}: ${problem}`));
    }
    expect(problems).toEqual([]);
  },
);

test('a narrow window supports dark mode and reduced motion, and shows the navigation as a menu', async ({
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
  await expectAccessible(page);
});

testAsAdmin('an unknown URL shows that there is no such page', async ({ page }) => {
  await visitAndWait(page, '/segments');

  await page.getByRole('heading', { name: 'The console has no such page' }).waitFor();
  await expectAccessible(page);
});

testAsAdmin('the empty application list links to the form for a new API token', async ({ page }) => {
  await page.route('**/api/admin/metrics/applications?*', route =>
    route.fulfill({ json: { applications: [], total: 0 } }),
  );

  await visitAndWait(page, '/applications');

  const link = page.getByRole('link', { name: 'Create an API token' });
  expect(await link.getAttribute('href')).toBe('/admin/tokens/new');
  await expectAccessible(page);
});
