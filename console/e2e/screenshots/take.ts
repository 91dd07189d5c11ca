// Takes a picture of each page of the demo story, in light and in dark: npm run screenshots
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readOptions } from '../../../server/src/platform/command-line.ts';
import { launch } from '../support/browser.ts';
import { buildConsole } from '../support/build.ts';
import { logIn } from '../support/log-in.ts';
import { openPage } from '../support/open-page.ts';
import { startStory } from '../support/story.ts';
import { type Ids, pictures } from './pages.ts';
import { takeTutorial } from './tutorial.ts';

const { only, to } = readOptions({
  run: 'npm run screenshots',
  does: 'Builds the console, fills a new database with the demo story, and takes a picture of each page in light and in dark.',
  options: {
    to: { type: 'string', default: 'screenshots', meaning: 'The folder of the pictures' },
    only: { type: 'string', default: '', meaning: 'Only pictures whose name starts with this text' },
  },
});

const SCHEMES = ['light', 'dark'] as const;

await buildConsole();
await mkdir(to, { recursive: true });
const story = await startStory();
// Hinting moves letters to whole pixels, which makes the gaps between words uneven.
const browser = await launch(['--font-render-hinting=none']);
try {
  let taken = 0;
  const open = async (colorScheme: (typeof SCHEMES)[number]) =>
    await (
      await browser.newContext({
        baseURL: story.url,
        viewport: { width: 1440, height: 900 },
        deviceScaleFactor: 1.5,
        colorScheme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'UTC',
      })
    ).newPage();
  for (const scheme of SCHEMES) {
    const [inside, outside] = [await open(scheme), await open(scheme)];
    await logIn(inside, story.login);
    for (const { name, path, loggedOut } of pictures(await readIds(inside))) {
      if (!name.startsWith(only)) continue;
      const page = loggedOut ? outside : inside;
      await openPage(page, path);
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await page.screenshot({ path: join(to, `${name}-${scheme}.png`) });
      taken++;
    }
    for (const page of [inside, outside]) await page.context().close();
  }
  // Last, because it creates a flag.
  if ('tutorial'.startsWith(only)) {
    const page = await open('light');
    await logIn(page, story.login);
    taken += await takeTutorial(page, to);
  }
  console.log(`Pictures taken: ${taken}, in ${to}/.`);
} finally {
  await browser.close();
  await story.stop();
}

/** The newest change of a strategy, the failing integration and its newest delivery. */
async function readIds(page: Page): Promise<Ids> {
  const read = async <T>(path: string): Promise<T> => (await page.request.get(path)).json();
  const { events } = await read<{ events: { id: number }[] }>(
    '/api/admin/search/events?type=IS:feature-strategy-update&limit=1',
  );
  const { addons } = await read<{ addons: { id: number; description: string }[] }>('/api/admin/addons');
  const failing = addons.find(({ description }) => description.includes('warehouse'))?.id ?? 0;
  const deliveries = await read<{ integrationEvents: { id: number }[] }>(
    `/api/admin/addons/${failing}/events`,
  );
  return { event: events[0]?.id ?? 0, failing, delivery: deliveries.integrationEvents[0]?.id ?? 0 };
}
