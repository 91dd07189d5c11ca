// Takes a screenshot of each page of the demo, in light and dark mode: npm run screenshots
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readOptions } from '../../../server/src/platform/command-line.ts';
import { launch } from '../support/browser.ts';
import { buildConsole } from '../support/build.ts';
import { startDemoInstance, startEmptyInstance } from '../support/demo-instance.ts';
import { logIn } from '../support/log-in.ts';
import { openPage } from '../support/open-page.ts';
import {
  type CreatedIds,
  FIRST_RUN_SCREENSHOTS,
  type Ids,
  listAdministrationScreenshots,
  listScreenshots,
  type Screenshot,
} from './pages.ts';
import { takeTutorialScreenshots } from './tutorial.ts';

const { only: namePrefix, to: folder } = readOptions({
  run: 'npm run screenshots',
  does: "Builds the console, fills a new database with the demo's sample data, and takes a screenshot of each page in light and dark mode.",
  options: {
    to: { type: 'string', default: 'screenshots', meaning: 'Folder for the screenshots' },
    only: {
      type: 'string',
      default: '',
      meaning: 'Take only screenshots whose names start with this string',
    },
  },
});

const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

await buildConsole();
await mkdir(folder, { recursive: true });
const demo = await startDemoInstance();
// Hinting moves letters to whole pixels, which makes the gaps between words uneven.
const browser = await launch(['--font-render-hinting=none']);
try {
  const admin = await openTab(demo.url, 'light');
  await logIn(admin, demo.login);
  let count = await takeAll(listScreenshots(await readIds(admin)));
  // The administration pages come after the others, because they need a role, a group and a service account.
  count += await takeAll(listAdministrationScreenshots(await createPeople(admin)));
  for (const scheme of SCHEMES) count += await takeFirstRun(scheme);
  // The tutorial comes last, because it creates a flag.
  if ('tutorial'.startsWith(namePrefix)) count += await takeTutorialScreenshots(admin, folder);
  console.log(`Took ${count} screenshots in ${folder}/.`);
} finally {
  await browser.close();
  await demo.stop();
}

/** Takes screenshots of pages of the demo, in both color schemes, and returns the number of screenshots. */
async function takeAll(list: Screenshot[]): Promise<number> {
  let count = 0;
  for (const scheme of SCHEMES) {
    const [loggedInPage, loggedOutPage] = [await openTab(demo.url, scheme), await openTab(demo.url, scheme)];
    await logIn(loggedInPage, demo.login);
    for (const screenshot of list)
      count += await take(screenshot.isLoggedOut ? loggedOutPage : loggedInPage, screenshot, scheme);
    for (const page of [loggedInPage, loggedOutPage]) await page.context().close();
  }
  return count;
}

/** Takes the screenshots of a first visit, which need a separate, empty instance. */
async function takeFirstRun(scheme: Scheme): Promise<number> {
  if (!FIRST_RUN_SCREENSHOTS.some(({ name }) => name.startsWith(namePrefix))) return 0;
  const emptyInstance = await startEmptyInstance();
  try {
    const page = await openTab(emptyInstance.url, scheme);
    await logIn(page, emptyInstance.login);
    let count = 0;
    for (const screenshot of FIRST_RUN_SCREENSHOTS) count += await take(page, screenshot, scheme);
    await page.context().close();
    return count;
  } finally {
    await emptyInstance.stop();
  }
}

async function openTab(baseURL: string, colorScheme: Scheme): Promise<Page> {
  const context = await browser.newContext({
    baseURL,
    viewport: { width: 1440, height: 900 },
    deviceScaleFactor: 1.5,
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  return await context.newPage();
}

/** Takes a screenshot, unless its name is filtered out, and returns the number of screenshots. */
async function take(page: Page, { name, path, prepare }: Screenshot, scheme: Scheme): Promise<number> {
  if (!name.startsWith(namePrefix)) return 0;
  await openPage(page, path);
  await prepare?.(page);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.screenshot({ path: join(folder, `${name}-${scheme}.png`) });
  return 1;
}

/** Returns a function that sends a request with the page's session. */
function createSender(page: Page): <T>(method: string, path: string, data?: unknown) => Promise<T> {
  return async <T>(method: string, path: string, data?: unknown): Promise<T> => {
    const response = await page.request.fetch(path, {
      method,
      ...(data === undefined ? {} : { data }),
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${method} ${path} responded with ${response.status()}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** Finds the newest change of a strategy, the failing integration and its newest delivery. */
async function readIds(page: Page): Promise<Ids> {
  const send = createSender(page);
  const { events } = await send<{ events: { id: number }[] }>(
    'GET',
    '/api/admin/search/events?type=IS:feature-strategy-update&limit=1',
  );
  const { addons } = await send<{ addons: { id: number; description: string }[] }>(
    'GET',
    '/api/admin/addons',
  );
  const integration = addons.find(({ description }) => description.includes('warehouse'))?.id ?? 0;
  const deliveries = await send<{ integrationEvents: { id: number }[] }>(
    'GET',
    `/api/admin/addons/${integration}/events`,
  );
  return { event: events[0]?.id ?? 0, integration, delivery: deliveries.integrationEvents[0]?.id ?? 0 };
}

/** Creates a role, a group with this role, and a service account. Emil gets a role without permissions in production. */
async function createPeople(page: Page): Promise<CreatedIds> {
  const send = createSender(page);
  const { users } = await send<{ users: { id: number; username: string }[] }>('GET', '/api/admin/user-admin');
  const userId = (username: string): number => users.find(user => user.username === username)?.id ?? 0;
  const createRole = async (name: string, description: string, permissions: object[]): Promise<number> => {
    const { roles } = await send<{ roles: { id: number } }>('POST', '/api/admin/roles', {
      name,
      description,
      type: 'custom',
      permissions,
    });
    return roles.id;
  };
  const permissionsIn = (...environments: string[]) =>
    environments.flatMap(environment =>
      ['UPDATE_FEATURE_ENVIRONMENT', 'CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY'].map(name => ({
        name,
        environment,
      })),
    );
  const role = await createRole(
    'Release manager',
    'Ships what others build, and cannot change who has access.',
    [
      { name: 'UPDATE_FEATURE' },
      { name: 'UPDATE_FEATURE_DEPENDENCY' },
      { name: 'UPDATE_FEATURE_VARIANTS' },
      { name: 'READ_PROJECT_API_TOKEN' },
      { name: 'PROJECT_DEFAULT_STRATEGY_READ' },
      ...permissionsIn('development', 'staging', 'production'),
    ],
  );
  const testerRole = await createRole('Tester', 'Tries flags before they ship.', [
    { name: 'UPDATE_FEATURE' },
    ...permissionsIn('development', 'staging'),
  ]);
  const group = await send<{ id: number }>('POST', '/api/admin/groups', {
    name: 'on-call',
    description: 'Whoever has the pager this week',
    users: [{ user: { id: userId('ben') } }, { user: { id: userId('dora') } }],
  });
  await send('PUT', `/api/admin/projects/payments/groups/${group.id}/roles`, { roles: [role] });
  await send('PUT', `/api/admin/projects/payments/users/${userId('emil')}/roles`, { roles: [testerRole] });
  const account = await send<{ id: number }>('POST', '/api/admin/service-account', {
    name: 'deploy-bot',
    rootRole: 3,
  });
  await send('POST', `/api/admin/service-account/${account.id}/token`, {
    description: 'Deployment pipeline',
    expiresAt: new Date(Date.now() + 90 * 86_400_000).toISOString(),
  });
  return { role, group: group.id, account: account.id, tester: userId('emil') };
}
