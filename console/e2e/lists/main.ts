// Measures how fast long lists respond to the keyboard (npm run bench:console).
import { cpus, loadavg } from 'node:os';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { readOptions } from '../../../server/src/platform/command-line.ts';
import { launch } from '../support/browser.ts';
import { buildConsole } from '../support/build.ts';
import { startDemoInstance } from '../support/demo-instance.ts';
import { logIn } from '../support/log-in.ts';
import { openPage } from '../support/open-page.ts';

const LIMIT_MS = 100;
const options = readOptions({
  run: 'npm run bench:console',
  does: `Opens lists of 10,000 users, 5,000 tokens and 2,000 segments in a real browser, and checks that 95 % of key presses are painted within ${LIMIT_MS} ms.`,
  options: {
    keys: {
      type: 'string',
      default: '40',
      meaning: 'Number of rows to move down in each list, in addition to typing',
    },
  },
});

/** Fills the tables directly, which is faster than the API. The server is not involved in a key press. */
const FILL = `
  insert into users (username, name, email)
  select 'person-' || n, 'Person ' || n, 'person-' || n || '@example.com' from generate_series(1, 10000) n;
  insert into api_tokens (hash, type, name, hint, environment, all_projects)
  select sha256(n::text::bytea), 'backend', 'service-' || n, '*:production.…' || n, 'production', true
  from generate_series(1, 5000) n;
  insert into segments (name, description, constraints, created_by)
  select 'segment-' || n, 'Customers of region ' || n % 40, '[]', 'ada' from generate_series(1, 2000) n;
`;
const LISTS = [
  { path: '/admin/users', rows: 10_000, text: 'person-77' },
  { path: '/admin/tokens', rows: 5_000, text: 'service-42' },
  { path: '/admin/segments', rows: 2_000, text: 'region 17' },
];

/** Returns the milliseconds from each key press to its paint. The browser does not report times below 16 ms, so they count as 16. */
async function press(page: Page, keys: readonly string[]): Promise<number[]> {
  await page.evaluate(() => {
    const durations: number[] = [];
    Object.assign(globalThis, { durations });
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') durations.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: false } as PerformanceObserverInit);
  });
  for (const key of keys) {
    await page.keyboard.press(key);
    // Pauses between the keys, because no person types faster than this.
    await page.waitForTimeout(80);
  }
  await page.waitForTimeout(500);
  const durations = await page.evaluate(() => (globalThis as unknown as { durations: number[] }).durations);
  return [...durations, ...Array.from({ length: Math.max(0, keys.length - durations.length) }, () => 16)];
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0;

await buildConsole();
const demo = await startDemoInstance({ HALYARD_MAX_API_TOKENS: '6000', HALYARD_MAX_SEGMENTS: '3000' });
const browser = await launch([]);
let isSlow = false;
try {
  const client = new pg.Client(demo.databaseUrl);
  await client.connect();
  await client.query(FILL);
  await client.end();
  const context = await browser.newContext({ baseURL: demo.url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await logIn(page, demo.login);
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, no GPU. Milliseconds from key press to paint:`,
  );
  for (const { path, rows, text } of LISTS) {
    await openPage(page, path);
    await page.getByRole('row').nth(3).waitFor();
    const moveTimes = await press(
      page,
      Array.from({ length: Number(options.keys) }, () => 'j'),
    );
    await page.keyboard.press('/');
    const typeTimes = await press(page, [...text, ...Array.from(text, () => 'Backspace')]);
    const times = [...moveTimes, ...typeTimes];
    const p95 = percentile(times, 0.95);
    isSlow ||= p95 > LIMIT_MS;
    console.log(
      `${path} with ${rows.toLocaleString('en')} rows: ${times.length} keys, p50 ${percentile(times, 0.5)}, p95 ${p95}, maximum ${percentile(times, 1)}`,
    );
  }
} finally {
  await browser.close();
  await demo.stop();
}
process.exit(isSlow ? 1 : 0);
