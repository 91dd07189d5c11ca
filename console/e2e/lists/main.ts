// How fast long lists respond to the keyboard: npm run bench:console
import { cpus, loadavg } from 'node:os';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { readOptions } from '../../../server/src/platform/command-line.ts';
import { launch } from '../support/browser.ts';
import { buildConsole } from '../support/build.ts';
import { logIn } from '../support/log-in.ts';
import { openPage } from '../support/open-page.ts';
import { startStory } from '../support/story.ts';

const LIMIT_MS = 100;
const options = readOptions({
  run: 'npm run bench:console',
  does: `Opens lists of 10,000 users, 5,000 tokens and 2,000 segments in a real browser, presses keys, and expects that 95 % of them are painted within ${LIMIT_MS} ms.`,
  options: {
    keys: {
      type: 'string',
      default: '40',
      meaning: 'Rows to move in each list, in addition to the typed text',
    },
  },
});

/** Rows as the pages would show them. The server is not involved in a key press. */
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

/** From each key press until its effect is painted, as the browser measures it. Times below 16 ms count as 16 ms. */
async function press(page: Page, keys: readonly string[]): Promise<number[]> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { seen });
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') seen.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: false } as PerformanceObserverInit);
  });
  for (const key of keys) {
    await page.keyboard.press(key);
    // A person does not type faster than that.
    await page.waitForTimeout(80);
  }
  await page.waitForTimeout(500);
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
  return [...seen, ...Array.from({ length: Math.max(0, keys.length - seen.length) }, () => 16)];
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0;

await buildConsole();
const story = await startStory({ HALYARD_MAX_API_TOKENS: '6000', HALYARD_MAX_SEGMENTS: '3000' });
const browser = await launch([]);
let isSlow = false;
try {
  const client = new pg.Client(story.databaseUrl);
  await client.connect();
  await client.query(FILL);
  await client.end();
  const context = await browser.newContext({ baseURL: story.url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await logIn(page, story.login);
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, no GPU. Milliseconds from key press to paint:`,
  );
  for (const { path, rows, text } of LISTS) {
    await openPage(page, path);
    await page.getByRole('row').nth(3).waitFor();
    const moved = await press(
      page,
      Array.from({ length: Number(options.keys) }, () => 'j'),
    );
    await page.keyboard.press('/');
    const typed = await press(page, [...text, ...Array.from(text, () => 'Backspace')]);
    const times = [...moved, ...typed];
    const p95 = percentile(times, 0.95);
    isSlow ||= p95 > LIMIT_MS;
    console.log(
      `${path} with ${rows.toLocaleString('en')} rows: ${times.length} keys, p50 ${percentile(times, 0.5)}, p95 ${p95}, most ${percentile(times, 1)}`,
    );
  }
} finally {
  await browser.close();
  await story.stop();
}
process.exit(isSlow ? 1 : 0);
