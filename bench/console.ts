import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import type { CDPSession, Page } from 'playwright-core';
import { launch } from '../console/e2e/support/browser.ts';
import { buildConsole } from '../console/e2e/support/build.ts';
import { readOptions } from '../server/src/platform/command-line.ts';
import { databaseOf, prepareEvents } from './events/load.ts';
import { PROFILES } from './events/profiles.ts';
import { LARGE_PROJECT, prepareFeatures } from './feature-data.ts';
import { ADMIN_TOKEN, startServer, waitForIndex } from './server.ts';

const options = readOptions({
  run: 'npm run bench:console',
  does: 'Measures the console in Chromium: key presses in a list of 10,000 flags, filters of a million events, the first load.',
  options: {
    only: { type: 'string', default: '', meaning: 'Run only the parts whose name contains this text' },
    times: { type: 'string', default: '100', meaning: 'Measurements of each part' },
  },
});
const times = Number(options.times);

type Measure = { what: string; values: number[]; unit: string; limit?: number };

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

let failed = false;
function report({ what, values, unit, limit }: Measure): void {
  const [p50, p95] = [at(values, 0.5), at(values, 0.95)];
  const isOver = limit !== undefined && p95 > limit;
  failed ||= isOver;
  const goal = limit === undefined ? '' : `, limit of p95 ${limit}${isOver ? ': NOT REACHED' : ''}`;
  console.log(`${what}: p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)} ${unit}${goal}`);
}

/** A page of a new browser window, without a cache, of an admin. */
async function openBrowser(url: string): Promise<{ page: Page; close: () => Promise<void> }> {
  const [username, password] = [`bench-${randomBytes(4).toString('hex')}`, randomBytes(12).toString('hex')];
  const created = await fetch(`${url}/api/admin/user-admin`, {
    method: 'POST',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ username, name: username, password, rootRole: 'Admin', sendEmail: false }),
  });
  if (!created.ok) throw new Error(await created.text());
  const browser = await launch();
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const login = await page.request.post('/auth/simple/login', {
    data: { username, password },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  if (!login.ok()) throw new Error(await login.text());
  return { page, close: () => browser.close() };
}

// The code for the page is text: these sources are checked without the types of a browser.
const FOUND = `document.querySelector('[role=search] [role=status]')?.textContent`;

/**
 * Measures from the next press of the key to the paint of the next frame, or of the frame in which the found total is no longer
 * `before`. `readClock` returns the milliseconds.
 */
const startClock = (page: Page, key: string, before = ''): Promise<unknown> =>
  page.evaluate(`{
    const before = ${JSON.stringify(before)};
    globalThis.elapsed = new Promise(resolve => {
      const onKey = event => {
        if (event.key !== ${JSON.stringify(key)}) return;
        removeEventListener('keydown', onKey, true);
        const frame = () => {
          // A task after a frame runs when the frame is painted.
          if (before === '' || (${FOUND} ?? before) !== before)
            setTimeout(() => resolve(performance.now() - event.timeStamp));
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      };
      addEventListener('keydown', onKey, true);
    });
    0;
  }`);

const readClock = (page: Page): Promise<number> => page.evaluate('globalThis.elapsed');

/** Milliseconds that the page spent on script, style and layout so far. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const names = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
  return metrics
    .filter(({ name }) => names.includes(name))
    .reduce((sum, { value }) => sum + value * 1_000, 0);
}

async function measureKeys(): Promise<void> {
  const url = databaseOf('skewed', 1_000_000);
  url.pathname = '/halyard_bench_features';
  await prepareFeatures(url, false);
  const server = await startServer(url);
  const { page, close } = await openBrowser(server.url);
  await page.goto(`/projects/${LARGE_PROJECT}`);
  await page.getByRole('row').nth(5).waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const paint: number[] = [];
  const work: number[] = [];
  for (let n = 0; n < times; n++) {
    await startClock(page, 'j');
    const before = await workOf(session);
    await page.keyboard.press('j');
    paint.push(await readClock(page));
    work.push((await workOf(session)) - before);
  }
  report({ what: '10,000 flags, key press to paint', values: paint, unit: 'ms', limit: 100 });
  report({
    what: '10,000 flags, script, style and layout of a key press',
    values: work,
    unit: 'ms',
    limit: 16,
  });
  await close();
  await server.stop();
}

async function measureFilters(): Promise<void> {
  const url = databaseOf('skewed', 1_000_000);
  await prepareEvents(url, 'skewed', 1_000_000);
  const server = await startServer(url);
  await waitForIndex(server.url);
  const { page, close } = await openBrowser(server.url);
  await page.goto('/events');
  const found = page.locator('[role=search] [role=status]');
  const input = page.getByLabel('Add a filter');
  await found.waitFor();
  const all = (await found.textContent()) ?? '';
  const values: number[] = [];
  const { projects } = PROFILES.skewed;
  for (let n = 0; n < times; n++) {
    await input.fill(`project:${projects[n % projects.length]}`);
    await startClock(page, 'Enter', all);
    await page.keyboard.press('Enter');
    values.push(await readClock(page));
    await page.goBack();
    await page.waitForFunction(`${FOUND} === ${JSON.stringify(all)}`);
  }
  report({ what: 'A million events, filter to painted page', values, unit: 'ms', limit: 400 });
  await close();
  await measureFirstLoad(server.url);
  await server.stop();
}

async function measureFirstLoad(url: string): Promise<void> {
  const values: number[] = [];
  const bytes: number[] = [];
  for (let n = 0; n < Math.min(times, 10); n++) {
    const { page, close } = await openBrowser(url);
    await page.goto('/events', { waitUntil: 'commit' });
    // The first row is rendered, and a task of the page runs.
    await page.getByRole('option').first().waitFor();
    values.push(await page.evaluate('new Promise(done => setTimeout(() => done(performance.now())))'));
    bytes.push(
      await page.evaluate(`performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize / 1000, 0)`),
    );
    await close();
  }
  report({ what: '/events without a cache, until the first row', values, unit: 'ms' });
  report({ what: '/events without a cache, scripts', values: bytes, unit: 'KB' });
}

console.log(`load ${loadavg()[0]?.toFixed(1)} at the start`);
await buildConsole();
if ('keys'.includes(options.only)) await measureKeys();
if ('filters and first load'.includes(options.only)) await measureFilters();
console.log(`load ${loadavg()[0]?.toFixed(1)} at the end`);
process.exit(failed ? 1 : 0);
